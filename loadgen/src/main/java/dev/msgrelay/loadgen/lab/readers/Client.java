package dev.msgrelay.loadgen.lab.readers;

import java.io.IOException;
import java.net.InetSocketAddress;

/** One of the article's clients: connects and reads messages until the server ends the stream. */
interface Client {
    /**
     * Reads a whole stream.
     *
     * @return how often the socket was read
     * @throws IOException the stream broke, or ended in the middle of a message
     */
    long receive(InetSocketAddress server, Sink sink) throws IOException;
}
