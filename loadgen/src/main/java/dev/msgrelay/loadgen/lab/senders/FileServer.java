package dev.msgrelay.loadgen.lab.senders;

import java.io.IOException;

/**
 * Sends files on the loopback interface. A client connects and asks for a file by its number, an int; it gets the bytes of
 * the file and nothing else, and may ask again.
 */
interface FileServer extends AutoCloseable {
    int port();

    /** The processor time of all its threads so far. */
    long cpuNanos();

    /** Ends all connections and threads. */
    @Override
    void close() throws IOException;
}
