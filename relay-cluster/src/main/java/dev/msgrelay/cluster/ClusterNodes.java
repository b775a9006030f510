package dev.msgrelay.cluster;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The nodes as the cluster's log shows them: the last entry of each, and the time at which it left. The clock is the
 * log's. For one thread.
 */
final class ClusterNodes {
    /** The value of {@code leftMillis} of a connected node. */
    static final long CONNECTED = Long.MAX_VALUE;

    static final class Node {
        long session;
        long life;
        // Number of the node's last entry in the log.
        long entry;
        // Time at which the node lost its connection to the cluster. The node may come back with its publishers.
        long leftMillis = CONNECTED;
    }

    // Ordered by number: snapshots list them so.
    private final Map<Integer, Node> nodes = new TreeMap<>();
    // Last time of the leader's clock, and the sum of its steps forward: the next leader's clock may be slow.
    private long toldMillis;
    private long passedMillis;

    /** Advances the clock to a time of the leader's clock. */
    void advanceTo(long millis) {
        passedMillis += Math.max(0, millis - toldMillis);
        toldMillis = millis;
    }

    /** Time that has passed by the clocks of all leaders. */
    long passedMillis() {
        return passedMillis;
    }

    /** Returns a node, and creates it if it is new in the log. */
    Node of(int number) {
        return nodes.computeIfAbsent(number, n -> new Node());
    }

    long leftMillis(int number) {
        return nodes.get(number).leftMillis;
    }

    void sessionClosed(long session) {
        nodes.values().stream().filter(node -> node.session == session).forEach(node -> node.leftMillis = passedMillis);
    }

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
