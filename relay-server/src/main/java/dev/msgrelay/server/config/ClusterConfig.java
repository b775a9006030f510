package dev.msgrelay.server.config;

import dev.msgrelay.protocol.Policy;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The cluster that this relay belongs to, and the relay's number in it. The module relay-cluster reads the file.
 *
 * @param file file with the {@code cluster} block, the same on all nodes; null if the relay is in no cluster
 * @param node number of this relay in the cluster; 0 if the relay is in no cluster
 */
public record ClusterConfig(Path file, int node) {
    public static final ClusterConfig NONE = new ClusterConfig(null, 0);

    /** Longest body of a message in a cluster, whose log takes messages of up to 2 MiB. */
    public static final int MOST_BODY = 1 << 20;

    /**
     * Time for which a name stays reserved for its publisher after the connection's end. All nodes need the same time,
     * so there is no setting. A cluster needs a longer time, since a publisher may have to find another node.
     */
    public static final Duration NAME_HOLD = Duration.ofSeconds(30);

    /** Memory for frames that wait to be sent to the leader. */
    public static final int OUTGOING_BYTES = 16 << 20;

    /** Memory for ordered frames that wait for the core. */
    public static final int ORDERED_BYTES = 32 << 20;

    /** Direct memory of the consensus; its mapped files are not counted here. */
    private static final int CONSENSUS_DIRECT_BYTES = 32 << 20;

    /** Shared memory of a node: files in a file system in memory, which count as memory of its control group. */
    public static final long SHARED_BYTES = 384L << 20;

    /** Length of a file of the cluster's log, which is dropped file by file. */
    public static final int FILE_BYTES = 64 << 20;

    /** Java heap of the consensus, the table of names, and messages under way. */
    public static final int HEAP_BYTES = 64 << 20;

    public static final int DIRECT_BYTES = OUTGOING_BYTES + ORDERED_BYTES + CONSENSUS_DIRECT_BYTES;

    public ClusterConfig {
        if (file != null && node < 1) {
            throw new IllegalArgumentException("cluster " + file + " needs node: the number that this relay has in it");
        }
        if (file == null && node != 0) {
            throw new IllegalArgumentException("node " + node + " needs cluster: the file that names the nodes");
        }
    }

    public boolean on() {
        return file != null;
    }

    Duration usualNameHold() {
        return on() ? NAME_HOLD : LimitsConfig.DEFAULT_NAME_HOLD;
    }

    void checkFor(StreamConfig stream, ClientConfig clients, LimitsConfig limits) {
        if (!on()) {
            return;
        }
        if (stream.maxBody() > MOST_BODY) {
            throw new IllegalArgumentException(
                    "max body " + stream.maxBody() + " is over the " + MOST_BODY + " of a cluster");
        }
        if (!limits.nameHold().equals(NAME_HOLD)) {
            throw new IllegalArgumentException("name hold "
                    + limits.nameHold().toMillis() + " ms does not go with cluster: all nodes hold a name for "
                    + NAME_HOLD.toMillis() + " ms, so leave it out");
        }
        if (clients.allowedPolicies().contains(Policy.BACKPRESSURE)) {
            throw new IllegalArgumentException("slow subscriber backpressure does not go with cluster: one subscriber"
                    + " would hold back a node that all publishers of the cluster feed");
        }
    }
}
