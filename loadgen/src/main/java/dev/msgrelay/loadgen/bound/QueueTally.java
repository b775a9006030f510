package dev.msgrelay.loadgen.bound;

import java.util.HashMap;
import java.util.Map;

/** Adds up the samples of one queue of each connection. The sampler's thread owns it. */
final class QueueTally {
    /** Connections that are told apart; what comes on top is not looked at. */
    private static final int MAX_CONNECTIONS = 4_096;

    /** With fewer looks a share would mean nothing. */
    private static final int MIN_SAMPLES = 3;

    private final Map<Integer, Sum> connections = new HashMap<>();

    private static final class Sum {
        private int samples;
        private int waiting;
        private long bytes;
    }

    /** @param client the port of the end that connected, which tells a connection from the others */
    void add(int client, long bytes) {
        if (connections.size() == MAX_CONNECTIONS && !connections.containsKey(client)) {
            return;
        }
        Sum sum = connections.computeIfAbsent(client, key -> new Sum());
        sum.samples++;
        sum.bytes += bytes;
        if (bytes >= Queue.LONG_BYTES) {
            sum.waiting++;
        }
    }

    /** The connection with the longest queue, or null where it was hardly seen. */
    Queue worst() {
        Queue worst = null;
        for (Sum sum : connections.values()) {
            if (sum.samples >= MIN_SAMPLES) {
                Queue one = new Queue(
                        connections.size(),
                        sum.samples,
                        (double) sum.waiting / sum.samples,
                        (double) sum.bytes / sum.samples);
                worst = worst == null || longer(one, worst) ? one : worst;
            }
        }
        return worst;
    }

    private static boolean longer(Queue one, Queue other) {
        return one.waiting() != other.waiting() ? one.waiting() > other.waiting() : one.meanBytes() > other.meanBytes();
    }
}
