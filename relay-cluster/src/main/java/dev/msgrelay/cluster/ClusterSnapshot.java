package dev.msgrelay.cluster;

import io.aeron.CncFileDescriptor;
import io.aeron.cluster.ClusterControl;
import io.aeron.cluster.ClusterControl.ToggleState;
import io.aeron.cluster.ConsensusModule;
import io.aeron.cluster.RecordingLog;
import io.aeron.cluster.service.Cluster.Role;
import io.aeron.cluster.service.ClusterCounters;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.IoUtil;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

/**
 * A snapshot on request. The request is a counter in the leader's shared memory on this machine. No clock is compared
 * with the leader's: after a change of the machine's time the leader would seem dead.
 */
public final class ClusterSnapshot {
    private static final long WAIT_SECONDS = 30;

    private ClusterSnapshot() {}

    /**
     * Takes a snapshot on all nodes of a cluster.
     *
     * @param conf the cluster's file
     * @param node the leader, which must run on this machine
     * @throws IOException the node does not run here or does not lead, or no snapshot was taken
     */
    public static void takeSnapshot(Path conf, int node) throws IOException {
        ClusterFile cluster = NodePlace.read(conf, node);
        File counters = new File(NodePlace.driver(cluster, node), CncFileDescriptor.CNC_FILE);
        if (!NodePlace.isTaken(cluster, node) || !counters.exists()) {
            throw new IOException("node " + node + " does not run here: no process has " + cluster.directoryOf(node));
        }
        File consensus = NodePlace.consensus(cluster, node);
        long before = countSnapshots(consensus);
        CountersReader mapped = ClusterControl.mapCounters(counters);
        try {
            ask(mapped, AeronParts.clusterId(cluster), "node " + node + " took no snapshot: ");
        } finally {
            IoUtil.unmap(mapped.valuesBuffer().byteBuffer());
        }
        if (countSnapshots(consensus) == before) {
            throw new IOException("node " + node + " skipped the snapshot: its log says why");
        }
    }

    private static void ask(CountersReader counters, int id, String failed) throws IOException {
        int role = ClusterCounters.find(counters, ConsensusModule.Configuration.CLUSTER_NODE_ROLE_TYPE_ID, id);
        AtomicCounter toggle = ClusterControl.findControlToggle(counters, id);
        if (toggle == null || role < 0 || counters.getCounterValue(role) != Role.LEADER.code()) {
            throw new IOException(failed + "it does not lead");
        }
        if (!ToggleState.SNAPSHOT.toggle(toggle)) {
            throw new IOException(failed + "it is about to do something else: " + ToggleState.get(toggle));
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (ToggleState.get(toggle) != ToggleState.NEUTRAL) {
            if (System.nanoTime() - end > 0) {
                throw new IOException(failed + "it did not within " + WAIT_SECONDS + " s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** Number of snapshots in the node's directory, valid or not. */
    private static long countSnapshots(File consensus) {
        try (RecordingLog log = new RecordingLog(consensus, false)) {
            return log.entries().stream()
                    .filter(entry -> entry.type == RecordingLog.ENTRY_TYPE_SNAPSHOT)
                    .count();
        }
    }
}
