package dev.msgrelay.client;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.ShortText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Publishes messages to a relay: a message is copied into a send buffer, and a thread of the publisher's own writes
 * whatever has gathered since its last write.
 *
 * <p>{@link PublisherOptions} say how much it does:
 *
 * <ul>
 *   <li>plain, without reconnecting ({@link #connect(Endpoint)}): one connection, no control frames. What is accepted is
 *       handed to the operating system; a connection that fails may lose what was under way.
 *   <li>reconnecting: it outlives its connections, and tells with {@link SessionEvent.InDoubt} what may be lost.
 *   <li>acknowledged: it keeps each message until the relay has said that it is in the stream, and sends again what it has
 *       not: no loss and no duplicate across a cut connection.
 * </ul>
 *
 * <p>Thread-safe: any number of threads publish; the messages of each keep their order. Publishing never blocks on the
 * network, allocates nothing, and refuses with {@link PublishOutcome#FULL} rather than growing. A failure is kept, see
 * {@link #failure}; what a listener throws is one.
 */
public class RelayPublisher implements AutoCloseable {
    /** Beyond the close time-out: for a thread whose channel was just closed under it to notice. */
    private static final long GRACE_MS = 1000;

    private final PublisherOptions options;
    private final SendQueue queue;
    private final PublisherSession session;
    private final Thread thread;

    private RelayPublisher(PublisherOptions options, Selector selector) {
        LongSupplier clock = System::nanoTime;
        Reconnector reconnector =
                new Reconnector(options.endpoints(), options.reconnect(), new SplittableRandom(), clock);
        this.options = options;
        queue = new SendQueue(options.bufferSize(), selector::wakeup);
        session = new PublisherSession(options, selector, queue, reconnector, clock);
        thread = new Thread(
                session,
                "relay-publisher "
                        + (options.name().isEmpty() ? options.endpoints().get(0) : options.name()));
        // A program that forgets to close its publisher still ends.
        thread.setDaemon(true);
    }

    /** One plain connection, with the default settings: as {@link #connect(PublisherOptions)}. */
    public static RelayPublisher connect(Endpoint endpoint) throws IOException {
        return connect(PublisherOptions.builder(endpoint)
                .plain()
                .reconnect(ReconnectPolicy.none())
                .build());
    }

    /**
     * Connects before it returns, as often as the policy says. WELCOME is awaited later, by the publisher's own thread.
     *
     * @throws IOException no connection was made; naming the endpoint and the cause
     */
    public static RelayPublisher connect(PublisherOptions options) throws IOException {
        return open(options, true);
    }

    /**
     * Starts; the first connection is made meanwhile, and its failure is told by the listener and {@link #failure}.
     *
     * @throws IOException the system gives no selector
     */
    public static RelayPublisher open(PublisherOptions options) throws IOException {
        return open(options, false);
    }

    private static RelayPublisher open(PublisherOptions options, boolean connected) throws IOException {
        Selector selector = Selector.open();
        try {
            RelayPublisher publisher = new RelayPublisher(options, selector);
            if (connected) {
                publisher.session.connectFirst();
            }
            publisher.thread.start();
            return publisher;
        } catch (IOException | RuntimeException | Error e) {
            selector.close();
            throw e;
        }
    }

    /**
     * Publishes one message, or refuses at once.
     *
     * @param body its bytes between position and limit; copied, left as it was
     * @throws IllegalArgumentException the type is reserved, or the body over the limit: the publisher's own or, where that
     *     is known, the relay's
     */
    public PublishOutcome publish(int type, ByteBuffer body) {
        SendQueue.check(type, body.remaining(), session.stream().maxBody());
        return queue.offer(type, body);
    }

    /**
     * As {@link #publish(int, ByteBuffer)}; the body is a part of an array.
     *
     * @throws IndexOutOfBoundsException offset and length do not lie within the array
     */
    public PublishOutcome publish(int type, byte[] body, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, body.length);
        SendQueue.check(type, length, session.stream().maxBody());
        return queue.offer(type, body, offset, length);
    }

    /**
     * Publishes one message and waits for room where the buffer is full.
     *
     * @return FULL where there was no room for {@code atMost}; at once for a listener of this publisher, as the thread that
     *     makes room is its own
     * @throws InterruptedException nothing was taken
     */
    public PublishOutcome publish(int type, ByteBuffer body, Duration atMost) throws InterruptedException {
        SendQueue.check(type, body.remaining(), session.stream().maxBody());
        return queue.offer(type, body, deadline(atMost));
    }

    /** As {@link #publish(int, ByteBuffer, Duration)}; the body is a part of an array. */
    public PublishOutcome publish(int type, byte[] body, int offset, int length, Duration atMost)
            throws InterruptedException {
        Objects.checkFromIndexSize(offset, length, body.length);
        SendQueue.check(type, length, session.stream().maxBody());
        return queue.offer(type, body, offset, length, deadline(atMost));
    }

    /**
     * Waits until every message accepted before this call is settled: acknowledged, and the listener has been told;
     * without acknowledgements, handed to a socket.
     *
     * @return false where the time ran out or the publisher has failed, see {@link #failure}; for a listener of this
     *     publisher, where it is not so already
     */
    public boolean flush(Duration atMost) throws InterruptedException {
        return queue.awaitForgotten(deadline(atMost));
    }

    /** The publisher's own thread, in a listener, would wait for itself. */
    private long deadline(Duration atMost) {
        return Timeouts.deadline(Thread.currentThread() == thread ? Duration.ZERO : atMost);
    }

    /** Why this publisher takes no more messages; empty while all is well, and after an orderly {@link #close}. */
    public Optional<IOException> failure() {
        return Optional.ofNullable(queue.failure());
    }

    /** Messages accepted so far. */
    public long messages() {
        return queue.acceptedMessages();
    }

    /** Bytes of these messages on the wire, headers included. */
    public long bytes() {
        return queue.acceptedBytes();
    }

    /** How many of {@link #messages} are acknowledged; without acknowledgements, handed to a socket as a whole. */
    public long settled() {
        return queue.forgottenMessages();
    }

    /** Bytes of {@link #settled}. */
    public long settledBytes() {
        return queue.forgottenBytes();
    }

    /** Writes to the socket so far: bytes a write is what batching is about. */
    public long writes() {
        return queue.writes();
    }

    /**
     * Number of this publisher's first message in the relay's count of its name: the n-th message accepted has the
     * number {@code firstNumber() + n - 1}. 0 before the first WELCOME where the options say none, and without
     * acknowledgements.
     */
    public long firstNumber() {
        return session.stream().firstNumber();
    }

    /**
     * Takes no more messages, and settles those accepted, over new connections if need be, within the close time-out;
     * {@link #failure} says what was not by then. Then it ends the stream in an orderly way and waits a moment (a second
     * at most) for the relay to do the same: a relay that objects to the last messages says so only then. Does nothing
     * the second time. Called by a listener of this publisher it does not wait; nor does it where its thread is
     * interrupted, which it stays.
     */
    @Override
    public void close() {
        Duration bound = options.closeTimeout();
        boolean first = queue.close(Timeouts.deadline(bound));
        if (Thread.currentThread() == thread) {
            if (first) {
                Thread closing = new Thread(this::close, thread.getName() + " closing");
                closing.setDaemon(true);
                closing.start();
            }
            return;
        }
        boolean interrupted = !join(bound.toMillis());
        if (thread.isAlive()) {
            session.abort();
            String why = interrupted ? "interrupted" : bound.toMillis() + " ms were over";
            interrupted |= !join(GRACE_MS);
            // Only now is it certain how much the socket has taken.
            String lost = unsettled();
            if (lost != null) {
                queue.fail(new IOException("closed with " + lost + ": " + why));
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** False where the wait was interrupted; the interrupt is taken. */
    private boolean join(long timeoutMs) {
        try {
            thread.join(Math.max(1, timeoutMs));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** What would be lost by closing now; null: nothing. */
    private String unsettled() {
        if (options.acks()) {
            long kept = messages() - settled();
            return kept > 0 ? ShortText.counted(kept, "message") + " not acknowledged" : null;
        }
        long unsent = bytes() - settledBytes();
        return unsent > 0 ? unsent + " bytes not sent to " + session.endpoint() : null;
    }
}
