package dev.msgrelay.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The nodes as the cluster's log shows them: how far each one's entries are in it, and since when a node is away. The
 * clock is the one that stands in the log.
 *
 * <p>For one thread.
 */
final class ClusterNodes {
    /** Time at which a connected node left. */
    static final long CONNECTED = Long.MAX_VALUE;

    /** A node, with the number of its last entry in the log. */
    static final class Node {
        long session;
        long life;
        long entry;
        // Time at which the node lost its connection to the cluster. It may come back, and its publishers with it.
        long leftMillis = CONNECTED;
    }

    // Ordered by number: snapshots list them so.
    private final Map<Integer, Node> nodes = new TreeMap<>();
    // Clock of the leader as it was told last, and time that has passed by it: the clock of the next leader may be
    // behind.
    private long toldMillis;
    private long passedMillis;

    /** The leader's clock shows this time now. */
    void advanceTo(long millis) {
        passedMillis += Math.max(0, millis - toldMillis);
        toldMillis = millis;
    }

    /** Time that has passed by the clocks of all leaders so far. */
    long passedMillis() {
        return passedMillis;
    }

    /** Returns a node, which is made where the log has not shown it yet. */
    Node of(int number) {
        return nodes.computeIfAbsent(number, n -> new Node());
    }

    /** Time at which a node of the log left, or {@link #CONNECTED}. */
    long leftMillis(int number) {
        return nodes.get(number).leftMillis;
    }

    /** A connection of the cluster has ended: its node is away, unless it has a later connection. */
    void sessionClosed(long session) {
        for (Node node : nodes.values()) {
            if (node.session == session) {
                node.leftMillis = passedMillis;
            }
        }
    }

    // ---- for snapshots -------------------------------------------------------------------------------------------

    long toldMillis() {
        return toldMillis;
    }

    int size() {
        return nodes.size();
    }

    void forEach(BiConsumer<Integer, Node> action) {
        nodes.forEach(action);
    }

    void restoreClock(long told, long passed) {
        toldMillis = told;
        passedMillis = passed;
    }

    void restore(int number, Node node) {
        nodes.put(number, node);
    }
}
