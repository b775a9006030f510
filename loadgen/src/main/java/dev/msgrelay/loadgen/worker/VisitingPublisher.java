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
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

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
        this.library = args.library();
        this.level = library ? args.acks() : null;
        this.atOnce = atOnce;
        this.sizes = sizes;
        this.id = id;
        this.name = "loadgen-visitor-" + id + "-" + Long.toHexString(System.nanoTime());
        this.buffers = tls == null || library ? null : new TlsSocket.Buffers();
        this.connection = new PublishConnection(id, this::publish);
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
        batch.fill(LoadMessage.stamp(id, first), now);
        connection.write(batch.take(), first + MESSAGES);
    }

    private void publish(ByteBuffer frames) throws IOException {
        try {
            if (level != null) {
                kept.add(frames);
                publishKept(atOnce && visits++ % 2 == 1);
                return;
            }
            try (Outlet outlet = library
                    ? new LibraryOutlet(LibraryOutlet.options(relay, tls), null, Duration.ZERO)
                    : new Outlet.Plain(Sockets.connect(relay, tls, buffers))) {
                outlet.write(frames);
                if (atOnce && !library) {
                    outlet.write(half());
                }
                outlet.leave();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Of the next message. When the publisher comes again, it sends the whole of it. */
    private ByteBuffer half() {
        FrameBatch next = FrameBatch.ofMessages(sizes, 1);
        next.add(LoadMessage.stamp(id, connection.messages() + MESSAGES), System.nanoTime());
        ByteBuffer half = next.take();
        return half.limit(half.limit() - LoadMessage.MIN_BODY / 2);
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
        try (LibraryOutlet outlet = new LibraryOutlet(options, heard, Duration.ZERO)) {
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
}
