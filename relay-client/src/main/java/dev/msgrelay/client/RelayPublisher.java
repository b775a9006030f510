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
 * Publishes messages to a relay: a message is copied into a send buffer, and a thread of the publisher's own writes the
 * messages that have gathered since its last write.
 *
 * <p>{@link PublisherOptions} choose how safely:
 *
 * <ul>
 * <li>plain, without reconnecting ({@link #connect(Endpoint)}): one connection, no control frames. Accepted messages
 * are handed to the operating system; a connection that fails may lose messages under way.
 * <li>reconnecting: the publisher outlives its connections, and {@link SessionEvent.InDoubt} reports the messages that
 * may be lost.
 * <li>acknowledged: the publisher keeps each message until the relay has acknowledged it, and sends the others again:
 * no loss and no duplicate across a cut connection.
 * </ul>
 *
 * <p>Thread-safe: any number of threads publish; the messages of each keep their order. Publishing never blocks on the
 * network, allocates nothing, and refuses with {@link PublishOutcome#FULL} rather than growing. {@link #failure} keeps
 * the first failure; an exception of a listener is one.
 */
public class RelayPublisher implements AutoCloseable {
    /** Time beyond the close time-out for the thread to notice that its channel was closed. */
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

    /** Makes one plain connection with the default settings, as {@link #connect(PublisherOptions)}. */
    public static RelayPublisher connect(Endpoint endpoint) throws IOException {
        return connect(PublisherOptions.builder(endpoint)
                .plain()
                .reconnect(ReconnectPolicy.none())
                .build());
    }

    /**
     * Connects before it returns, as often as the policy says. The publisher's own thread waits for WELCOME later.
     *
     * @throws IOException no connection was made; the message names the endpoint and the cause
     */
    public static RelayPublisher connect(PublisherOptions options) throws IOException {
        return open(options, true);
    }

    /**
     * Starts a publisher whose own thread makes the first connection; the listener and {@link #failure} report a
     * failure.
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
     * @param body the bytes between position and limit, which are copied; both stay as they are
     * @throws IllegalArgumentException the type is reserved, or the body is over the publisher's limit, or over the
     *     relay's once that is known
     */
    public PublishOutcome publish(int type, ByteBuffer body) {
        SendQueue.check(type, body.remaining(), session.stream().maxBody());
        return queue.offer(type, body);
    }

    /**
     * Publishes as {@link #publish(int, ByteBuffer)}; the body is a part of an array.
     *
     * @throws IndexOutOfBoundsException offset and length are not within the array
     */
    public PublishOutcome publish(int type, byte[] body, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, body.length);
        SendQueue.check(type, length, session.stream().maxBody());
        return queue.offer(type, body, offset, length);
    }

    /**
     * Publishes one message; waits for room if the buffer is full.
     *
     * @return FULL if there was no room within {@code atMost}; without a wait in a listener of this publisher, whose
     *     thread is the one that makes room
     * @throws InterruptedException the thread was interrupted, and the message was not taken
     */
    public PublishOutcome publish(int type, ByteBuffer body, Duration atMost) throws InterruptedException {
        SendQueue.check(type, body.remaining(), session.stream().maxBody());
        return queue.offer(type, body, deadline(atMost));
    }

    /** Publishes as {@link #publish(int, ByteBuffer, Duration)}; the body is a part of an array. */
    public PublishOutcome publish(int type, byte[] body, int offset, int length, Duration atMost)
            throws InterruptedException {
        Objects.checkFromIndexSize(offset, length, body.length);
        SendQueue.check(type, length, session.stream().maxBody());
        return queue.offer(type, body, offset, length, deadline(atMost));
    }

    /**
     * Waits until every message accepted before this call is settled: acknowledged, and reported to the listener;
     * without acknowledgements, handed to a socket.
     *
     * @return false if the time ran out or the publisher has failed, see {@link #failure}; in a listener of this
     *     publisher it does not wait
     */
    public boolean flush(Duration atMost) throws InterruptedException {
        return queue.awaitForgotten(deadline(atMost));
    }

    /** The deadline of a wait; no wait for the publisher's own thread, in a listener, which would wait for itself. */
    private long deadline(Duration atMost) {
        return Timeouts.deadline(Thread.currentThread() == thread ? Duration.ZERO : atMost);
    }

    /**
     * The reason why this publisher takes no more messages; empty while all is well, and after an orderly {@link
     * #close}.
     */
    public Optional<IOException> failure() {
        return Optional.ofNullable(queue.failure());
    }

    /** Number of messages accepted so far. */
    public long messages() {
        return queue.acceptedMessages();
    }

    /** Bytes of these messages on the wire, headers included. */
    public long bytes() {
        return queue.acceptedBytes();
    }

    /**
     * Number of messages of {@link #messages} that are acknowledged; without acknowledgements, handed to a socket
     * completely.
     */
    public long settled() {
        return queue.forgottenMessages();
    }

    /** Bytes of the {@link #settled} messages. */
    public long settledBytes() {
        return queue.forgottenBytes();
    }

    /** Number of writes to the socket so far; bytes per write show how well messages are batched. */
    public long writes() {
        return queue.writes();
    }

    /**
     * Number of this publisher's first message in the relay's count of its name: the n-th message accepted has the
     * number {@code firstNumber() + n - 1}. 0 before the first WELCOME if the options have none, and without
     * acknowledgements.
     */
    public long firstNumber() {
        return session.stream().firstNumber();
    }

    /**
     * Takes no more messages, and settles the accepted ones within the close time-out, over new connections if needed;
     * {@link #failure} reports those that were not settled by then. Then ends the stream, and waits at most a second
     * for the relay to do the same: only then it reports a fault in the last messages. Further calls do nothing. Does
     * not wait in a listener of this publisher, nor on an interrupted thread, which stays interrupted.
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
            // Only after the thread's end it is certain how many bytes the socket has taken.
            String lost = unsettled();
            if (lost != null) {
                queue.fail(new IOException("closed with " + lost + ": " + why));
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the thread. Returns false if the wait was interrupted; the interrupt is cleared. */
    private boolean join(long timeoutMs) {
        try {
            thread.join(Math.max(1, timeoutMs));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** A text about the messages that a close now would lose; null: none. */
    private String unsettled() {
        if (options.acks()) {
            long kept = messages() - settled();
            return kept > 0 ? ShortText.counted(kept, "message") + " not acknowledged" : null;
        }
        long unsent = bytes() - settledBytes();
        return unsent > 0 ? unsent + " bytes not sent to " + session.endpoint() : null;
    }
}
