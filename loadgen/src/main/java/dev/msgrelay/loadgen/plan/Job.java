package dev.msgrelay.loadgen.plan;

import dev.msgrelay.protocol.net.Endpoint;

/**
 * A worker process's part of a run. It is sent as a line of JSON.
 *
 * @param relay endpoint to which the worker connects; null if the worker listens
 * @param listen addresses at which the worker listens; null if it connects
 * @param first id of the worker's first publisher, or index of its first subscriber
 * @param connections number of the worker's connections; for the plain relay, the number of its subscribers
 * @param bytes size of the plain relay's reads, or of the prepacked sender's writes; 0 for other workers
 */
public record Job(
        Endpoint relay, Listen listen, Access access, int first, int connections, boolean slow, int bytes, Load load) {
    /**
     * Where to listen. {@code publish} and {@code subscribe} are paths of Unix sockets; null: a free TCP port of {@code
     * address}.
     */
    public record Listen(String address, String publish, String subscribe) {}

    public record Listening(Endpoint publish, Endpoint subscribe) {}

    public static Job client(Endpoint relay, Access access, int first, int connections, Load load) {
        return new Job(relay, null, access, first, connections, false, 0, load);
    }

    public static Job inPlaceOfARelay(Listen listen, int bytes, Load load) {
        return new Job(null, listen, Access.OPEN, 0, load.subscribers(), false, bytes, load);
    }

    public Job ofSlowReaders() {
        return new Job(relay, listen, access, 0, load.slow().count(), true, bytes, load);
    }

    /** Whether the worker's subscribers start with the state. Slow readers do not. */
    public boolean startsWithState() {
        return load.fromState() && !slow;
    }
}
