package dev.msgrelay.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * A publisher that outlives its connections. With acknowledgements it keeps each message until the relay has said that it
 * is in the stream, and sends again what it has not: no loss and no duplicate across a cut connection. Without them it
 * tells with {@link SessionEvent.InDoubt} what may be lost.
 *
 * <p>Thread-safe: any number of threads publish; the messages of each keep their order. Publishing never blocks on the
 * network, allocates nothing, works while there is no connection, and refuses with {@link PublishOutcome#FULL} rather
 * than growing. A thread of the publisher's own connects, sends and listens.
 */
public final class ReconnectingPublisher implements AutoCloseable {
    /** Beyond the close time-out: for a thread whose channel was just closed under it to notice. */
    private static final long GRACE_MS = 1000;

    private final PublisherOptions options;
    private final SendQueue queue;
    private final PublisherSession session;
    private final Thread thread;

    private ReconnectingPublisher(PublisherOptions options, Selector selector) {
        this.options = options;
        this.queue = new SendQueue(options.connection().bufferSize(), selector::wakeup);
        LongSupplier clock = System::nanoTime;
        LinkOptions link = options.link();
        Reconnector reconnector = new Reconnector(link.endpoints(), link.reconnect(), new SplittableRandom(), clock);
        this.session = new PublisherSession(options, selector, queue, reconnector, clock);
        this.thread = new Thread(session, "relay-publisher " + options.name());
        // A program that forgets to close its publisher still ends.
        thread.setDaemon(true);
    }

    /**
     * Starts; the first connection is made meanwhile, and its failure is told by the listener and {@link #failure}.
     *
     * @throws IOException the system gives no selector
     */
    public static ReconnectingPublisher open(PublisherOptions options) throws IOException {
        Selector selector = Selector.open();
        try {
            ReconnectingPublisher publisher = new ReconnectingPublisher(options, selector);
            publisher.thread.start();
            return publisher;
        } catch (RuntimeException | Error e) {
            selector.close();
            throw e;
        }
    }

    /**
     * Publishes one message, or refuses at once.
     *
     * @param body its bytes between position and limit; copied, left as it was
     * @throws IllegalArgumentException the type is reserved, or the body over the limit: the publisher's own or, once
     *     connected, the relay's
     */
    public PublishOutcome publish(int type, ByteBuffer body) {
        check(type, body.remaining());
        return queue.offer(type, body);
    }

    /**
     * As {@link #publish(int, ByteBuffer)}; the body is a part of an array.
     *
     * @throws IndexOutOfBoundsException offset and length do not lie within the array
     */
    public PublishOutcome publish(int type, byte[] body, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, body.length);
        check(type, length);
        return queue.offer(type, body, offset, length);
    }

    /**
     * Publishes one message and waits for room where the buffer is full.
     *
     * @return FULL where there was no room for {@code atMost}
     * @throws InterruptedException nothing was taken
     */
    public PublishOutcome publish(int type, ByteBuffer body, Duration atMost) throws InterruptedException {
        check(type, body.remaining());
        return queue.offer(type, body, atMost);
    }

    /** As {@link #publish(int, ByteBuffer, Duration)}; the body is a part of an array. */
    public PublishOutcome publish(int type, byte[] body, int offset, int length, Duration atMost)
            throws InterruptedException {
        Objects.checkFromIndexSize(offset, length, body.length);
        check(type, length);
        return queue.offer(type, body, offset, length, atMost);
    }

    /**
     * Waits until every message accepted before this call is acknowledged, and the listener has been told; without
     * acknowledgements, until it was handed to a socket.
     *
     * @return false where the time ran out or the publisher has failed, see {@link #failure}
     */
    public boolean awaitAcked(Duration atMost) throws InterruptedException {
        return queue.awaitForgotten(Timeouts.deadline(atMost));
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

    /** How many of {@link #messages} are acknowledged; without acknowledgements, handed to a socket. */
    public long acked() {
        return queue.forgottenMessages();
    }

    /** Bytes of {@link #acked}. */
    public long ackedBytes() {
        return queue.sentBytes();
    }

    /**
     * Number of this publisher's first message in the relay's count of its name: the n-th message accepted has the
     * number {@code firstNumber() + n - 1}. 0 before the first connection, and without acknowledgements.
     */
    public long firstNumber() {
        return session.stream().firstNumber();
    }

    /**
     * Takes no more messages, and waits until all are acknowledged, over new connections if need be; without
     * acknowledgements until they are handed to a socket. Bounded by the close time-out; {@link #failure} says how many
     * were not by then. Does nothing the second time.
     */
    @Override
    public void close() {
        Duration bound = options.connection().closeTimeout();
        queue.close(Timeouts.deadline(bound));
        boolean interrupted = !join(bound.toMillis());
        if (thread.isAlive()) {
            session.abort();
            String why = interrupted ? "interrupted" : bound.toMillis() + " ms were over";
            interrupted |= !join(GRACE_MS);
            keepLoss(why);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void keepLoss(String why) {
        long kept = messages() - acked();
        if (kept > 0) {
            String what = options.acks() ? " messages not acknowledged: " : " messages not sent: ";
            queue.fail(new IOException("closed with " + kept + what + why));
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

    private void check(int type, int length) {
        SendQueue.check(type, length, session.stream().maxBody());
    }
}
