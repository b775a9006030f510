package dev.msgrelay.loadgen.plan;

import dev.msgrelay.protocol.net.Endpoint;

/**
 * One worker's part of a run: a line of JSON, and the same record on both sides.
 *
 * @param relay endpoint that the worker connects to; null: it listens
 * @param listen addresses that the worker listens at; null: it connects
 * @param first id of its first publisher, or index of its first subscriber
 * @param connections number of its connections; of the plain relay those of subscribers
 * @param slow whether its subscribers are the load's slow readers
 * @param bytes of each read of the plain relay, or each write of pre-packed frames; 0 for others
 */
public record Job(
        Endpoint relay, Listen listen, Access access, int first, int connections, boolean slow, int bytes, Load load) {
    /** Places to listen at: free ports of an address, or the Unix sockets that are not null. */
    public record Listen(String address, String publish, String subscribe) {}

    /** The endpoints at which a worker listens; {@code publish} is null where it sends by itself. */
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
}
