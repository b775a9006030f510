package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.worker.Sockets;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A way over a loopback connection. The receiving side sees the end of the stream once this is closed. */
final class SocketLink implements AutoCloseable {
    private final Sender sender;
    private final SocketChannel sending;
    private final SocketChannel receiving;
    private boolean ended;

    /**
     * @param sending null for the relay, which has its own
     */
    private SocketLink(Sender sender, SocketChannel sending, SocketChannel receiving) {
        this.sender = sender;
        this.sending = sending;
        this.receiving = receiving;
    }

    static SocketLink open(Way way, BatchingOptions options) throws IOException, InterruptedException {
        if (way == Way.RELAY) {
            return overRelay();
        }
        try (ServerSocketChannel server = Sockets.listen()) {
            SocketChannel sending = Sockets.connect(Sockets.endpoint(server));
            SocketChannel receiving = Sockets.accept(server);
            return new SocketLink(way.open(new SocketNetwork(sending), options), sending, receiving);
        }
    }

    private static SocketLink overRelay() throws IOException, InterruptedException {
        RelaySender relay = new RelaySender();
        try {
            return new SocketLink(relay, null, relay.subscribe());
        } catch (IOException | InterruptedException e) {
            relay.close();
            throw e;
        }
    }

    Sender sender() {
        return sender;
    }

    SocketChannel receiving() {
        return receiving;
    }

    /** Sends what has been handed over, then ends the stream. */
    void end() throws IOException {
        if (ended) {
            return;
        }
        ended = true;
        try {
            sender.close();
        } finally {
            if (sending != null) {
                sending.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        // Where the go failed, nobody reads any more: a write that waits for room would wait for ever.
        receiving.close();
        end();
    }
}
