package dev.msgrelay.testing.scripted;

import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Stands between a client and a relay, and cuts connections after a random number of bytes, half of them with a reset.
 */
public final class CuttingProxy implements AutoCloseable {
    /** Gets the bytes as they pass. */
    @FunctionalInterface
    interface Tap {
        /** @param what {@code >}: the client's bytes, {@code <}: the relay's, {@code open}, {@code end} */
        void passed(int connection, String what, ByteBuffer bytes);
    }

    private static final Duration CONNECT = Duration.ofSeconds(120);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final ScriptedRelay server;
    private final Endpoint relay;
    private final Random random;
    private final int farthest;
    private final int most;
    private final Tap tap;

    private volatile int connections;
    private volatile int cuts;

    /**
     * Cuts every connection.
     *
     * @param random owned by the proxy from here on
     * @param farthest most bytes, in the direction that is cut first, between two cuts
     */
    public CuttingProxy(Endpoint relay, Random random, int farthest) throws IOException {
        this(relay, random, farthest, Integer.MAX_VALUE);
    }

    /** As above, {@code most} connections at most. */
    public CuttingProxy(Endpoint relay, Random random, int farthest, int most) throws IOException {
        this(relay, random, farthest, most, (connection, what, bytes) -> {});
    }

    /** Cuts nothing, and tells what passes. */
    CuttingProxy(Endpoint relay, Tap tap) throws IOException {
        this(relay, new Random(), 1, 0, tap);
    }

    private CuttingProxy(Endpoint relay, Random random, int farthest, int most, Tap tap) throws IOException {
        this.server = ScriptedRelay.tcp();
        this.relay = relay;
        this.random = random;
        this.farthest = farthest;
        this.most = most;
        this.tap = tap;
        start(this::acceptAll, "proxy");
    }

    public Endpoint endpoint() {
        return server.endpoint();
    }

    /** Number of connections so far. */
    public int connections() {
        return connections;
    }

    /** Number of connections so far that the proxy has cut, or will. */
    public int cuts() {
        return cuts;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void acceptAll() {
        try {
            while (true) {
                SocketChannel client = server.accept().channel();
                int number = ++connections;
                SocketChannel onward;
                try {
                    onward = relay.open(CONNECT);
                } catch (IOException e) {
                    client.close();
                    continue;
                }
                tap.passed(number, "open", NOTHING);
                boolean cut = cuts < most;
                long bytes = cut ? random.nextInt(farthest) : Long.MAX_VALUE;
                boolean hard = random.nextBoolean() && cut;
                cuts += cut ? 1 : 0;
                AtomicBoolean ended = new AtomicBoolean();
                start(() -> copy(client, onward, bytes, hard, number, ">", ended), "proxy to the relay");
                start(() -> copy(onward, client, bytes, hard, number, "<", ended), "proxy to the client");
            }
        } catch (IOException e) {
            // Closed: the test is over.
        }
    }

    /** Ends both connections after so many bytes, or when one of them ends. */
    private void copy(
            SocketChannel from,
            SocketChannel to,
            long bytes,
            boolean hard,
            int number,
            String direction,
            AtomicBoolean ended) {
        ByteBuffer buffer = ByteBuffer.allocate(8 << 10);
        try (from;
                to) {
            long left = bytes;
            while (left > 0 && from.read(buffer.clear().limit((int) Math.min(left, buffer.capacity()))) >= 0) {
                left -= buffer.position();
                buffer.flip();
                tap.passed(number, direction, buffer.duplicate());
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
            }
            if (direction.equals(">") && ended.compareAndSet(false, true)) {
                tap.passed(number, "end", NOTHING);
            }
            if (hard) {
                to.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException e) {
            // Cut by the other direction, or by one of the two ends.
        } finally {
            ended.set(true);
        }
    }

    private static void start(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
