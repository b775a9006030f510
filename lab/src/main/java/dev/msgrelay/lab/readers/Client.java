package dev.msgrelay.lab.readers;

import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.lab.readers.ChannelClient.Way;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** One of the article's clients. It connects, and reads messages until the server ends the stream. */
interface Client {
    /**
     * Reads a whole stream.
     *
     * @return how often the socket was read
     * @throws EOFException the stream ends within a message
     */
    long receive(InetSocketAddress server, Sink sink) throws IOException;

    enum Ladder {
        BYTE_WISE("integers byte by byte", () -> new StreamClient(false, false, false)),
        FOUR_BYTES("four bytes at a time", () -> new StreamClient(false, true, false)),
        BUFFERED("BufferedInputStream", () -> new StreamClient(true, false, false)),
        BOTH("BufferedInputStream, four bytes", () -> new StreamClient(true, true, false)),
        REUSING("the same, nothing allocated", () -> new StreamClient(true, true, true)),
        APPENDING("channel and buffer, appending", () -> new ChannelClient(Way.APPENDING)),
        COMPACTING("channel and buffer, compacting", () -> new ChannelClient(Way.COMPACTING)),
        HANDING("channel, buffer handed over", () -> new ChannelClient(Way.HANDING)),
        RELAY("relay's client", () -> Client::relay);

        private final String text;
        private final Supplier<Client> maker;

        Ladder(String text, Supplier<Client> maker) {
            this.text = text;
            this.maker = maker;
        }

        String text() {
            return text;
        }

        Client newClient() {
            return maker.get();
        }
    }

    static EOFException cut() {
        return new EOFException("stream ended in the middle of a message");
    }

    /**
     * The client of module relay-client with its default settings: it compacts its buffer, checks lengths, and passes a
     * view of the buffer.
     */
    private static long relay(InetSocketAddress server, Sink sink) throws IOException {
        Endpoint endpoint = Endpoint.tcp(server.getAddress().getHostAddress(), server.getPort());
        try (RelaySubscriber subscriber = RelaySubscriber.connect(endpoint)) {
            // Each poll is one read.
            long reads = 1;
            while (subscriber.poll((sequence, type, body) -> sink.message(type, body)) >= 0) {
                reads++;
            }
            return reads;
        }
    }
}
