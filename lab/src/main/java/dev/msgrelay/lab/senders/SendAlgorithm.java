package dev.msgrelay.lab.senders;

/**
 * One of the article's algorithms: how long a worker stays with a client.
 *
 * @param blocking whether the socket is in blocking mode while a worker has it; it is out of the selector then
 * @param part bytes that a worker sends at most before it is free for another client, and the selector waits for room
 */
record SendAlgorithm(boolean blocking, long part) {
    /** While not at the end, write: a worker has one client until it has the whole file. */
    static final SendAlgorithm SIMPLE_BLOCKING = new SendAlgorithm(true, Long.MAX_VALUE);

    /** A worker writes what the socket takes, and no more. The rest is another part, perhaps another worker's. */
    static final SendAlgorithm EQUAL_NON_BLOCKING = new SendAlgorithm(false, Long.MAX_VALUE);

    /** A worker writes one part of fixed size and blocks until the socket has it. */
    static SendAlgorithm equalBlocking(int part) {
        return new SendAlgorithm(true, part);
    }
}
