package dev.msgrelay.cluster;

import io.aeron.archive.Archive;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.status.RecordingPos;
import io.aeron.cluster.ClusterBackup;
import io.aeron.cluster.ClusterBackup.Configuration.ReplayStart;
import io.aeron.cluster.ClusterBackupEventsListener;
import io.aeron.cluster.ClusterBackupMediaDriver;
import io.aeron.cluster.ClusterMember;
import io.aeron.cluster.RecordingLog;
import io.aeron.exceptions.AeronEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.agrona.IoUtil;
import org.agrona.concurrent.status.CountersReader;

/**
 * Copies the cluster's last snapshot and the log after it from the other nodes, by Aeron's ClusterBackup. It is for a
 * node that has lost its log, or was away for so long that the other nodes have deleted the part that it lacks.
 */
public final class ClusterRestore {
    /** Time without an answer, or without more bytes of the snapshot, until the restore fails. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Interval of reports on the progress. */
    private static final Duration SAY = Duration.ofSeconds(10);

    /** The log is complete if no more than {@link #QUIET_BYTES} come in this time. */
    private static final Duration QUIET = Duration.ofSeconds(1);

    /** More bytes than the nodes' own reports need in that time. */
    private static final long QUIET_BYTES = 64 << 10;

    /** Limit of the time for the log: a started node gets the rest by itself. */
    private static final Duration ENOUGH = Duration.ofSeconds(60);

    private static final long LOOK_MILLIS = 50;

    /** Progress of the copy, written by Aeron's thread. */
    private static final class Progress implements ClusterBackupEventsListener {
        volatile int from;
        volatile long snapshot = -1;
        volatile boolean snapshotHere;
        volatile long position = -1;
        volatile String trouble = "";

        @Override
        public void onBackupQuery() {
            // A query is no progress.
        }

        @Override
        public void onPossibleFailure(Exception e) {
            trouble = ": " + e.getMessage();
        }

        @Override
        public void onBackupResponse(ClusterMember[] all, ClusterMember source, List<RecordingLog.Snapshot> snapshots) {
            from = source.id();
            for (RecordingLog.Snapshot each : snapshots) {
                snapshot = Math.max(snapshot, each.logPosition());
            }
        }

        @Override
        public void onUpdatedRecordingLog(RecordingLog log, List<RecordingLog.Snapshot> snapshots) {
            snapshotHere = true;
        }

        @Override
        public void onLiveLogProgress(long recording, long counter, long to) {
            position = to;
        }
    }

    private ClusterRestore() {}

    /**
     * Restores a node that does not run.
     *
     * @param conf the cluster's file
     * @param replace whether an existing log of the node is deleted; otherwise it is an error
     * @param asked at zero, the restore is cancelled
     * @param say gets texts about the progress
     * @return true: the restore is complete; false: it was cancelled, and its files are deleted
     * @throws IOException the node cannot be restored; the message has the cause
     */
    public static boolean run(Path conf, int node, boolean replace, CountDownLatch asked, Consumer<String> say)
            throws IOException, InterruptedException {
        try (NodePlace place = NodePlace.acquire(conf, node)) {
            if (place.archive().exists() || place.consensus().exists()) {
                if (!replace) {
                    throw new IOException(place.who() + ": " + place.directory()
                            + " has a log: --replace deletes it and gets another one");
                }
                IoUtil.delete(place.archive(), true);
                IoUtil.delete(place.consensus(), true);
            }
            boolean done = false;
            try {
                done = copy(place, asked, say);
            } finally {
                if (!done) {
                    // A part of a log would look like the whole one.
                    IoUtil.delete(place.archive(), true);
                    IoUtil.delete(place.consensus(), true);
                }
            }
            if (!done) {
                say.accept(place.who() + " was asked to end before it was done: it has nothing");
            }
            return done;
        }
    }

    /** Copies snapshot and log; returns false if it was cancelled. */
    private static boolean copy(NodePlace place, CountDownLatch asked, Consumer<String> say)
            throws IOException, InterruptedException {
        Map<Integer, ClusterFile.Member> others = new TreeMap<>(place.file().members());
        others.remove(place.node());
        if (others.isEmpty()) {
            throw new IOException(place.who() + " has nobody to get a log from: it is the only one");
        }
        say.accept(place.who() + " asks " + others);
        Progress progress = new Progress();
        ClusterSecret secret = ClusterSecret.of(place.file());
        try (ClusterBackupMediaDriver driver = launch(place, secret, others, progress)) {
            CountersReader counters = driver.mediaDriver().context().countersManager();
            long copied = 0;
            long movedNanos = System.nanoTime();
            long saidNanos = movedNanos;
            while (!progress.snapshotHere) {
                if (asked.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    return false;
                }
                long now = System.nanoTime();
                long bytes = recorded(counters);
                // A copy that was restarted after a failure is no progress until it has more bytes than before.
                if (bytes > copied) {
                    copied = bytes;
                    movedNanos = now;
                }
                if (now - movedNanos > PATIENCE.toNanos()) {
                    throw new IOException(place.who() + ": "
                            + (progress.from == 0
                                    ? "none of " + others + " has answered"
                                    : "node " + progress.from + " has answered, but nothing has come")
                            + " for " + PATIENCE.toSeconds() + " s" + progress.trouble);
                }
                if (now - saidNanos > SAY.toNanos()) {
                    saidNanos = now;
                    say.accept(
                            progress.from == 0
                                    ? "nobody has answered so far"
                                    : "node " + progress.from + " has given " + copied
                                            + " bytes of its snapshot so far");
                }
            }
            say.accept("node " + progress.from + " gives "
                    + (progress.snapshot < 0 ? "no snapshot" : "a snapshot, of log position " + progress.snapshot)
                    + ", and the log behind it");
            long before;
            long pauses = 0;
            do {
                before = progress.position;
                if (asked.await(QUIET.toMillis(), TimeUnit.MILLISECONDS)) {
                    return false;
                }
                pauses++;
                if (pauses % SAY.toSeconds() == 0) {
                    say.accept("the log has come up to position " + progress.position + " so far");
                }
            } while ((before < 0 || progress.position - before > QUIET_BYTES) && pauses < ENOUGH.toSeconds());
            if (before < 0) {
                throw new IOException(place.who() + ": node " + progress.from
                        + " has given its snapshot, and no log for " + ENOUGH.toSeconds() + " s" + progress.trouble);
            }
        }
        say.accept(place.who() + " has the log up to position " + progress.position);
        return true;
    }

    /** Bytes of the active recordings. */
    private static long recorded(CountersReader counters) {
        long[] bytes = {0};
        counters.forEach((id, type, key, label) ->
                bytes[0] += type == RecordingPos.RECORDING_POSITION_TYPE_ID ? counters.getCounterValue(id) : 0);
        return bytes[0];
    }

    private static ClusterBackupMediaDriver launch(
            NodePlace place, ClusterSecret secret, Map<Integer, ClusterFile.Member> others, Progress progress) {
        Consumer<Throwable> trouble = e -> progress.trouble = ": " + e.getMessage();
        AeronParts parts = new AeronParts(place, secret, e -> note(e, trouble));
        Archive.Context archive = parts.archive();
        return ClusterBackupMediaDriver.launch(
                parts.media(),
                archive,
                new ClusterBackup.Context()
                        .epochClock(SteadyClock.INSTANCE)
                        .aeronDirectoryName(place.driver())
                        .clusterId(AeronParts.clusterId(place.file()))
                        .clusterDir(place.consensus())
                        .markFileDir(place.marks())
                        .archiveContext(parts.archiveClient(archive))
                        .clusterArchiveContext(new AeronArchive.Context()
                                .aeronDirectoryName(place.driver())
                                .credentialsSupplier(secret.credentials())
                                .controlRequestChannel("aeron:udp?term-length=64k")
                                .controlResponseChannel(parts.anyPort()))
                        .clusterConsensusEndpoints(others.values().stream()
                                .map(member -> member.endpoint(1))
                                .collect(Collectors.joining(",")))
                        .consensusStreamId(AeronParts.consensusStream(place.file()))
                        .consensusChannel("aeron:udp?term-length=64k|endpoint="
                                + place.member().endpoint(1))
                        .catchupEndpoint(place.member().endpoint(3))
                        .sourceType(ClusterBackup.SourceType.ANY)
                        .initialReplayStart(ReplayStart.LATEST_SNAPSHOT)
                        .clusterBackupCoolDownIntervalNs(TimeUnit.SECONDS.toNanos(1))
                        .idleStrategySupplier(Idle::new)
                        .credentialsSupplier(secret.credentials())
                        .eventsListener(progress)
                        .errorHandler(e -> note(e, trouble)));
    }

    private static void note(Throwable e, Consumer<Throwable> trouble) {
        if (!(e instanceof AeronEvent)) {
            trouble.accept(e);
        }
    }
}
