package dev.msgrelay.cluster;

import dev.msgrelay.server.figures.ClusterStatus;
import dev.msgrelay.server.figures.ClusterStatus.State;
import dev.msgrelay.server.stream.NodeLeftException;
import io.aeron.Aeron;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.client.ArchiveException;
import io.aeron.cluster.ClusterControl;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.ElectionState;
import io.aeron.cluster.RecordingLog;
import io.aeron.cluster.service.Cluster.Role;
import io.aeron.cluster.service.ClusterCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's periodic work, a few times a second: it reports the node's status, leaves the cluster before the disk is
 * full, requests snapshots if the node leads, and deletes the log before them.
 *
 * <pre>
 *   log   |-------- dropped --------|= segments =|============|======>
 *                                      last snapshot but one  last snapshot
 * </pre>
 *
 * The log is kept from the last snapshot but one: a node that was away for less than a snapshot's interval gets what it
 * has missed from the other nodes. On a thread of its own, since the archive may answer late.
 */
final class Upkeep implements AutoCloseable {
    /** Free bytes of the disk below which a node leaves: Aeron loses bytes that it cannot write. */
    static final long LEAST_FREE = 64 << 20;

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Least bytes of the log for a snapshot: a shorter log is replayed at once. */
    private static final long LEAST_LOG = 1 << 20;

    /** Time until a skipped snapshot is requested again: its wait for the journal delayed all messages. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int SNAPSHOTS_KEPT = 2;

    /** Silence after which a member's last report is out of date. */
    private static final long SILENT_MILLIS = 3_000;

    private final NodePlace place;
    private final int clusterId;
    private final Aeron aeron;
    private final AeronArchive.Context archive;
    private final RelayService service;
    private final ClusterOrderer orderer;
    private final Watchman watchman;
    private final Consumer<Throwable> leave;
    private final NodeThread thread;
    private final JournalWatch journal = new JournalWatch();
    private volatile boolean closed;

    // Owned by the upkeep's thread.
    private long snapshots = -1;
    private long snapshotPosition;
    private long snapshotNanos = System.nanoTime();
    private long askedNanos = System.nanoTime() - AGAIN_NANOS;
    private int purged;

    /** @param leave gets the reason for which the node has to leave */
    Upkeep(
            NodePlace place,
            Aeron aeron,
            AeronArchive.Context archive,
            RelayService service,
            ClusterOrderer orderer,
            Watchman watchman,
            Consumer<Throwable> leave) {
        this.place = place;
        this.clusterId = AeronParts.clusterId(place.file());
        this.aeron = aeron;
        this.archive = archive;
        this.service = service;
        this.orderer = orderer;
        this.watchman = watchman;
        this.leave = leave;
        this.thread = new NodeThread("relay-cluster-upkeep", this::run, leave);
    }

    void start() {
        report();
        thread.start();
    }

    private void run() {
        while (!closed) {
            try {
                ClusterStatus status = report();
                checkDisk();
                checkJournal(System.nanoTime());
                dropIfSnapshot(System.nanoTime());
                if (status.state() == State.LEADS) {
                    snapshotIfDue(status.commitPosition(), System.nanoTime());
                }
            } catch (RuntimeException e) {
                if (!closed) {
                    LOG.warn("{}: {}", place.who(), e.getMessage());
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
                }
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private long counter(int type) {
        CountersReader counters = aeron.countersReader();
        int id = ClusterCounters.find(counters, type, clusterId);
        return id < 0 ? -1 : counters.getCounterValue(id);
    }

    private ClusterStatus report() {
        State state = state();
        ClusterStatus status = new ClusterStatus(
                place.file().name(),
                place.node(),
                state,
                state == State.NO_LEADER ? 0 : service.leader(),
                service.term(),
                counter(ConsensusModule.Configuration.COMMIT_POSITION_TYPE_ID),
                members(System.nanoTime()));
        orderer.setStatus(status);
        return status;
    }

    private State state() {
        long election = counter(ConsensusModule.Configuration.ELECTION_STATE_TYPE_ID);
        if (election < 0) {
            return State.NO_LEADER;
        }
        return switch (ElectionState.get(election)) {
            // A leader does not lead if the log does not bring back this node's reports.
            case CLOSED ->
                System.nanoTime() - service.heardNanos() > TimeUnit.MILLISECONDS.toNanos(SILENT_MILLIS)
                        ? State.NO_LEADER
                        : counter(ConsensusModule.Configuration.CLUSTER_NODE_ROLE_TYPE_ID) == Role.LEADER.code()
                                ? State.LEADS
                                : State.FOLLOWS;
            case FOLLOWER_LOG_REPLICATION,
                    FOLLOWER_REPLAY,
                    FOLLOWER_CATCHUP_INIT,
                    FOLLOWER_CATCHUP_AWAIT,
                    FOLLOWER_CATCHUP -> State.CATCHES_UP;
            default -> State.NO_LEADER;
        };
    }

    private List<ClusterStatus.Member> members(long nanos) {
        long position = service.position();
        List<ClusterStatus.Member> members = new ArrayList<>();
        new TreeMap<>(place.file().members()).forEach((number, member) -> {
            String at = member.toString();
            members.add(service.report(number)
                    .map(report -> {
                        long silent = TimeUnit.NANOSECONDS.toMillis(nanos - report.nanos());
                        long lag = silent < SILENT_MILLIS ? report.lag() : position - report.position();
                        return new ClusterStatus.Member(number, at, report.position(), Math.max(0, lag), silent);
                    })
                    .orElseGet(() -> new ClusterStatus.Member(number, at, -1, -1, -1)));
        });
        return members;
    }

    static String full(NodePlace place, long free) {
        return "the disk of " + place.directory() + " has " + free + " bytes free, and a node needs " + LEAST_FREE;
    }

    private void checkDisk() {
        watchman.takeSlow()
                .ifPresent(words -> LOG.warn("{}: the disk of {} {}", place.who(), place.directory(), words));
        long free = place.free();
        if (free < LEAST_FREE) {
            leaveCluster(full(place, free));
        }
    }

    private void leaveCluster(String why) {
        leave.accept(new NodeLeftException(why));
        closed = true;
    }

    private void checkJournal(long nanos) {
        // The stream's end is read first: bytes that are appended in between do not lag.
        long appended = orderer.appended();
        long forced = orderer.forced();
        switch (journal.judge(appended, forced, nanos)) {
            case ASK -> orderer.hurry(appended);
            case END ->
                leaveCluster("its journal has forced nothing for "
                        + TimeUnit.NANOSECONDS.toSeconds(JournalWatch.END_NANOS) + " s, and lacks "
                        + (appended - forced) + " bytes of the stream: its disk is full, or does not answer");
            default -> {}
        }
    }

    private void snapshotIfDue(long committed, long nanos) {
        long grown = committed - snapshotPosition;
        boolean late = nanos - snapshotNanos >= place.file().snapshot().toNanos();
        boolean due = late && grown >= LEAST_LOG || grown >= place.file().snapshotBytes();
        due &= nanos - askedNanos >= AGAIN_NANOS;
        AtomicCounter toggle = due ? ClusterControl.findControlToggle(aeron.countersReader(), clusterId) : null;
        if (toggle != null) {
            // Without effect while Aeron takes a snapshot.
            ClusterControl.ToggleState.SNAPSHOT.toggle(toggle);
            askedNanos = nanos;
        }
    }

    private void dropIfSnapshot(long nanos) {
        long taken = counter(ConsensusModule.Configuration.SNAPSHOT_COUNTER_TYPE_ID);
        if (taken == snapshots) {
            return;
        }
        List<RecordingLog.Entry> all = new ArrayList<>();
        long log;
        try (RecordingLog recordings = new RecordingLog(place.consensus(), false)) {
            for (RecordingLog.Entry entry : recordings.entries()) {
                if (entry.isValid && entry.type == RecordingLog.ENTRY_TYPE_SNAPSHOT) {
                    all.add(entry);
                }
            }
            log = recordings.findLastTermRecordingId();
        }
        long[] positions = all.stream()
                .mapToLong(entry -> entry.logPosition)
                .sorted()
                .distinct()
                .toArray();
        if (positions.length > 0) {
            snapshotPosition = positions[positions.length - 1];
        }
        snapshotNanos = nanos;
        askedNanos = nanos - AGAIN_NANOS;
        if (positions.length >= SNAPSHOTS_KEPT) {
            drop(all, positions[positions.length - SNAPSHOTS_KEPT], log);
        }
        snapshots = taken;
    }

    /** @param position end of the log to delete */
    private void drop(List<RecordingLog.Entry> all, long position, long log) {
        try (AeronArchive own =
                AeronArchive.connect(archive.clone().aeron(aeron).ownsAeronClient(false))) {
            long[] from = new long[2];
            own.listRecording(log, (a, b, c, d, e, start, f, g, segment, termLength, h, i, j, k, l, m) -> {
                from[0] = start;
                from[1] = AeronArchive.segmentFileBasePosition(start, position, termLength, segment);
            });
            if (from[1] > from[0]) {
                long files = own.purgeSegments(log, from[1]);
                LOG.info("{} has dropped {} files of the log, all before position {}", place.who(), files, from[1]);
            }
            for (; purged < all.size() && all.get(purged).logPosition < position; purged++) {
                long id = all.get(purged).recordingId;
                if (own.listRecording(id, (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) -> {}) > 0) {
                    own.purgeRecording(id);
                }
            }
        } catch (ArchiveException e) {
            // A node reads the file at present, or it is the newest one. The next snapshot tries again.
            LOG.info("{} drops nothing of the log this time: {}", place.who(), e.getMessage());
        }
    }

    /** Must be closed before Aeron, whose memory it reads. */
    @Override
    public void close() {
        closed = true;
        thread.awaitEnd();
    }
}
