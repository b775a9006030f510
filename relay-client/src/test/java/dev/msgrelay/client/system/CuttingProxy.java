package dev.msgrelay.client.system;

import dev.msgrelay.client.PlainServer;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Random;

/** Stands between a client and a relay, and cuts each connection after a random number of bytes. */
final class CuttingProxy implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(120);

    private final PlainServer server;
    private final Endpoint relay;
    private final Random random;
    private final int farthest;

    private volatile int connections;

    /**
     * @param random owned by the proxy from here on
     * @param farthest most bytes, in the direction that is cut first, between two cuts
     */
    CuttingProxy(Endpoint relay, Random random, int farthest) throws IOException {
        this.server = PlainServer.tcp();
        this.relay = relay;
        this.random = random;
        this.farthest = farthest;
        start(this::acceptAll, "proxy");
    }

    Endpoint endpoint() {
        return server.endpoint();
    }

    int connections() {
        return connections;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void acceptAll() {
        try {
            while (true) {
                SocketChannel client = server.accept();
                connections++;
                SocketChannel onward = relay.open(CONNECT);
                int bytes = random.nextInt(farthest);
                boolean hard = random.nextBoolean();
                start(() -> copy(client, onward, bytes, hard), "proxy to the relay");
                start(() -> copy(onward, client, bytes, hard), "proxy to the client");
            }
        } catch (IOException e) {
            // Closed: the test is over.
        }
    }

    /** Ends both connections after so many bytes, or when one of them ends. */
    private static void copy(SocketChannel from, SocketChannel to, int bytes, boolean hard) {
        ByteBuffer buffer = ByteBuffer.allocate(8 << 10);
        try (from;
                to) {
            int left = bytes;
            while (left > 0 && from.read(buffer.clear().limit(Math.min(left, buffer.capacity()))) >= 0) {
                left -= buffer.position();
                buffer.flip();
                PlainServer.write(to, buffer);
            }
            if (hard) {
                to.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            // Cut by the other direction, or by one of the two ends.
        }
    }

    private static void start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
