package dev.msgrelay.loadgen.worker;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * A publisher that comes and goes, under one publisher id. Owned by one thread at a time.
 *
 * <pre>
 *  plain      | connect | messages | in a storm half a message | end | until the relay has ended too |
 *  library    | connect | messages | until all are handed over, or acknowledged | close |
 *  in a storm with acknowledgements:
 *             | connect | what was not acknowledged, messages | close at once |
 * </pre>
 */
final class VisitingPublisher implements ChurnMain.Visitor {
    /** Messages of a visit: it is there for them in one write. */
    private static final int MESSAGES = 10;

    /** For the relay's end of a connection: below the controller's patience. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int READ = 4_096;

    /** Who leaves at once gives the library no time to settle anything. */
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final Endpoint relay;
    private final Tls tls;
    private final boolean library;
    private final Level level;
    private final boolean atOnce;
    private final SizeTable sizes;
    private final int id;
    private final String name;
    private final ProducerId producer = ProducerId.random();
    private final TlsSocket.Buffers buffers;
    private final PublishConnection connection;

    /** Batches of which something may not be acknowledged, and the number of their first message, from 1. */
    private final Deque<ByteBuffer> kept = new ArrayDeque<>();

    private long firstKept = 1;
    private int visits;

    /**
     * @param atOnce whether it leaves without a word, in the middle of a message
     */
    VisitingPublisher(WorkerArgs args, SizeTable sizes, int id, boolean atOnce) {
        this.relay = args.endpoint("to");
        this.tls = Tls.of(args);
        this.library = args.flag("library");
        this.level = args.flag("ack") ? Level.ofFlag(args.text("ack")) : null;
        this.atOnce = atOnce;
        this.sizes = sizes;
        this.id = id;
        this.name = "loadgen-visitor-" + id + "-" + Long.toHexString(System.nanoTime());
        this.buffers = tls == null || library ? null : new TlsSocket.Buffers();
        this.connection = new PublishConnection(id, this::publish);
    }

    @Override
    public String name() {
        return "visiting-publisher-" + id;
    }

    /** Counts what it has published. */
    PublishConnection connection() {
        return connection;
    }

    @Override
    public void visit(long now, Window window) throws IOException {
        connection.sendsAt(now, window);
        FrameBatch batch = FrameBatch.ofMessages(sizes, MESSAGES);
        long first = connection.messages();
        for (int i = 0; i < MESSAGES; i++) {
            batch.add(LoadMessage.stamp(id, first + i), now);
        }
        connection.write(batch.take(), first + MESSAGES);
    }

    private void publish(ByteBuffer frames) throws IOException {
        try {
            if (library && level != null) {
                kept.add(frames);
                publishKept(atOnce && visits % 2 == 1);
                visits++;
            } else if (library) {
                try (LibraryOutlet outlet = new LibraryOutlet(LibraryOutlet.options(relay, tls), null)) {
                    outlet.write(frames);
                    outlet.settle();
                }
            } else if (tls != null) {
                try (TlsSocket channel = TlsSocket.connect(relay, tls, buffers)) {
                    write(channel, channel.socket(), frames);
                    channel.endOutput();
                    awaitEnd(channel, channel.socket());
                }
            } else {
                try (SocketChannel channel = Sockets.connect(relay)) {
                    write(channel, channel, frames);
                    channel.shutdownOutput();
                    awaitEnd(channel, channel);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Nothing of it is under way any more. */
    void settle() throws IOException, InterruptedException {
        if (!kept.isEmpty()) {
            publishKept(false);
        }
    }

    /** What the relay has of it, it drops. */
    private void publishKept(boolean leaves) throws IOException, InterruptedException {
        PublisherOptions.Builder options = LibraryOutlet.options(relay, tls)
                .acks(name, level)
                .producer(producer)
                .firstNumber(0, firstKept);
        if (leaves) {
            options.closeTimeout(AT_ONCE);
        }
        LibraryOutlet.Acknowledged heard =
                new LibraryOutlet.Acknowledged(firstKept, Receiver.Settings.UNTIMED, () -> Window.NONE);
        try (LibraryOutlet outlet = new LibraryOutlet(options, heard)) {
            for (ByteBuffer batch : kept) {
                outlet.write(batch.duplicate());
            }
            if (!leaves) {
                outlet.settle();
            }
        }
        while (!kept.isEmpty() && heard.number() >= firstKept + MESSAGES - 1) {
            kept.remove();
            firstKept += MESSAGES;
        }
    }

    private void write(ByteChannel channel, SocketChannel socket, ByteBuffer frames) throws IOException {
        Outlet outlet = new Outlet.Plain(channel, socket);
        outlet.write(frames);
        if (atOnce) {
            // The next one's first half. When it comes again, it sends the whole of it.
            FrameBatch next = FrameBatch.ofMessages(sizes, 1);
            next.add(LoadMessage.stamp(id, connection.messages() + MESSAGES), System.nanoTime());
            ByteBuffer half = next.take();
            outlet.write(half.limit(half.limit() - LoadMessage.MIN_BODY / 2));
        }
    }

    /** The relay closes when it has read everything. */
    private static void awaitEnd(ByteChannel channel, SocketChannel socket) throws IOException {
        socket.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            socket.register(selector, SelectionKey.OP_READ);
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            ByteBuffer ignored = ByteBuffer.allocate(READ);
            do {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0 || selector.select(left) == 0) {
                    throw new IOException("the relay did not end the connection within "
                            + TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS) + " ms");
                }
                selector.selectedKeys().clear();
            } while (channel.read(ignored.clear()) >= 0);
        }
    }
}
