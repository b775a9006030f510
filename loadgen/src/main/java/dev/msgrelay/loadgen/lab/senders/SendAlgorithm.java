package dev.msgrelay.loadgen.lab.senders;

import java.io.IOException;

/** What a worker does with a download that it is given: one of the article's algorithms. */
interface SendAlgorithm {
    /** Whether the socket is to be in blocking mode while a worker has it; it is out of the selector then. */
    boolean isBlocking();

    /** Sends some of it, or all; then the worker is free for another. Stateless: many workers at a time. */
    void send(Download download) throws IOException;
}
