package dev.msgrelay.cluster;

import io.aeron.cluster.ClusterTool;
import io.aeron.cluster.RecordingLog;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A snapshot that a person asks for. Aeron's ClusterTool asks the leader, by its files on this machine. */
public final class ClusterSnapshot {
    private ClusterSnapshot() {}

    /**
     * Has the cluster take a snapshot, on all its nodes.
     *
     * @param conf the cluster's file
     * @param node runs on this machine, and leads
     * @throws IOException the node does not, or no snapshot was taken; the message says why
     */
    public static void take(Path conf, int node) throws IOException {
        ClusterFile cluster = NodePlace.read(conf, node);
        // Aeron would wait two minutes for a process that was killed.
        if (!NodePlace.isTaken(cluster, node)) {
            throw new IOException("node " + node + " does not run here: no process has " + cluster.directoryOf(node));
        }
        AeronParts.setDriverTimeout();
        File consensus = NodePlace.consensus(cluster, node);
        long before = taken(consensus);
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            if (!ClusterTool.snapshot(consensus, out)) {
                throw new IOException("node " + node + " took no snapshot: "
                        + said.toString(StandardCharsets.UTF_8).strip().replaceAll("\\s+", " "));
            }
        }
        if (taken(consensus) == before) {
            throw new IOException("node " + node + " skipped the snapshot: its log says why");
        }
    }

    /** Returns how many snapshots the node has taken since it has its directory. */
    private static long taken(File consensus) {
        try (RecordingLog log = new RecordingLog(consensus, false)) {
            return log.entries().stream()
                    .filter(entry -> entry.type == RecordingLog.ENTRY_TYPE_SNAPSHOT)
                    .count();
        }
    }
}
