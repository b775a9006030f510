package dev.msgrelay.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What publishes messages: a message is copied into a send buffer, and a thread of the publisher's own writes whatever has
 * gathered since its last write.
 *
 * <p>Thread-safe: any number of threads publish; the messages of each keep their order. Publishing never blocks on the
 * network, allocates nothing, and refuses with {@link PublishOutcome#FULL} rather than growing. A failure is kept, see
 * {@link #failure}.
 */
public abstract sealed class Publisher implements AutoCloseable permits RelayPublisher, ReconnectingPublisher {
    /** Beyond the close time-out: for a thread whose channel was just closed under it to notice. */
    private static final long GRACE_MS = 1000;

    private final SendQueue queue;
    private final Thread thread;

    /** @param thread which sends what is in the queue, not started yet */
    Publisher(SendQueue queue, Thread thread) {
        this.queue = queue;
        this.thread = thread;
        // A program that forgets to close its publisher still ends.
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** The longest body that is taken at present. */
    abstract int maxBody();

    abstract Duration closeTimeout();

    /** Ends what the thread is at. Any thread. */
    abstract void abort();

    /** What would be lost by closing now, to be followed by the reason; null: nothing. */
    abstract String unsettled();

    /**
     * Publishes one message, or refuses at once.
     *
     * @param body its bytes between position and limit; copied, left as it was
     * @throws IllegalArgumentException the type is reserved, or the body over the limit: the publisher's own or, where that
     *     is known, the relay's
     */
    public final PublishOutcome publish(int type, ByteBuffer body) {
        SendQueue.check(type, body.remaining(), maxBody());
        return queue.offer(type, body);
    }

    /**
     * As {@link #publish(int, ByteBuffer)}; the body is a part of an array.
     *
     * @throws IndexOutOfBoundsException offset and length do not lie within the array
     */
    public final PublishOutcome publish(int type, byte[] body, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, body.length);
        SendQueue.check(type, length, maxBody());
        return queue.offer(type, body, offset, length);
    }

    /**
     * Publishes one message and waits for room where the buffer is full.
     *
     * @return FULL where there was no room for {@code atMost}
     * @throws InterruptedException nothing was taken
     */
    public final PublishOutcome publish(int type, ByteBuffer body, Duration atMost) throws InterruptedException {
        SendQueue.check(type, body.remaining(), maxBody());
        return queue.offer(type, body, atMost);
    }

    /** As {@link #publish(int, ByteBuffer, Duration)}; the body is a part of an array. */
    public final PublishOutcome publish(int type, byte[] body, int offset, int length, Duration atMost)
            throws InterruptedException {
        Objects.checkFromIndexSize(offset, length, body.length);
        SendQueue.check(type, length, maxBody());
        return queue.offer(type, body, offset, length, atMost);
    }

    /** Why this publisher takes no more messages; empty while all is well, and after an orderly {@link #close}. */
    public final Optional<IOException> failure() {
        return Optional.ofNullable(queue.failure());
    }

    /** Messages accepted so far. */
    public final long messages() {
        return queue.acceptedMessages();
    }

    /** Bytes of these messages on the wire, headers included. */
    public final long bytes() {
        return queue.acceptedBytes();
    }

    /**
     * Takes no more messages, and sends what was accepted, within the close time-out; {@link #failure} says what was not sent by
     * then. Does nothing the second time.
     */
    @Override
    public final void close() {
        Duration bound = closeTimeout();
        queue.close(Timeouts.deadline(bound));
        boolean interrupted = !join(bound.toMillis());
        if (thread.isAlive()) {
            abort();
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
}
