package dev.msgrelay.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A connection to a relay's publish port that batches by itself: a message is copied into a send buffer, and a thread of
 * the publisher's own writes whatever has gathered since its last write.
 *
 * <p>Thread-safe: any number of threads publish; the messages of each keep their order. Publishing never blocks on the
 * network, allocates nothing, and refuses with {@link PublishOutcome#FULL} rather than growing.
 *
 * <p>ACCEPTED and flushed means handed to the operating system, not received: a connection that fails may lose what was
 * under way. A failure is kept, see {@link #failure}.
 */
public final class RelayPublisher implements AutoCloseable {
    /** Beyond the close time-out: for a thread whose channel was just closed under it to notice. */
    private static final long GRACE_MS = 1000;

    private final Endpoint endpoint;
    private final PublisherConfig config;
    private final SocketChannel channel;
    private final Selector selector;
    private final SendQueue queue;
    private final Thread thread;

    private RelayPublisher(Endpoint endpoint, PublisherConfig config, SocketChannel channel, Selector selector)
            throws IOException {
        this.endpoint = endpoint;
        this.config = config;
        this.channel = channel;
        this.selector = selector;
        this.queue = new SendQueue(config.bufferSize(), selector::wakeup);
        this.thread = new Thread(new PublisherLoop(endpoint, channel, selector, queue), "relay-publisher " + endpoint);
        // A program that forgets to close its publisher still ends.
        thread.setDaemon(true);
    }

    /** Connects with the default settings. */
    public static RelayPublisher connect(Endpoint endpoint) throws IOException {
        return connect(endpoint, PublisherConfig.defaults());
    }

    /**
     * Connects.
     *
     * @throws IOException naming the endpoint and the cause
     */
    public static RelayPublisher connect(Endpoint endpoint, PublisherConfig config) throws IOException {
        SocketChannel channel = endpoint.open(config.connectTimeout());
        Selector selector = null;
        try {
            selector = Selector.open();
            RelayPublisher publisher = new RelayPublisher(endpoint, config, channel, selector);
            publisher.thread.start();
            return publisher;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            if (selector != null) {
                selector.close();
            }
            throw e;
        }
    }

    /**
     * Publishes one message, or refuses at once.
     *
     * @param body its bytes between position and limit; copied, left as it was
     * @throws IllegalArgumentException the type is reserved or the body over the limit
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
     * Waits until every message accepted before this call was handed to the socket.
     *
     * @return false where the time ran out or the connection failed, see {@link #failure}
     */
    public boolean flush(Duration atMost) throws InterruptedException {
        return queue.awaitSent(Timeouts.deadline(atMost));
    }

    /** Why this publisher takes no more messages; empty while all is well, and after an orderly {@link #close}. */
    public Optional<IOException> failure() {
        return Optional.ofNullable(queue.failure());
    }

    /** Where this publisher is connected to. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** Messages accepted so far. */
    public long messages() {
        return queue.acceptedMessages();
    }

    /** Bytes of these messages on the wire, headers included. */
    public long bytes() {
        return queue.acceptedBytes();
    }

    /** How many of {@link #bytes} the socket has taken. */
    public long sentBytes() {
        return queue.sentBytes();
    }

    /** Writes to the socket so far: bytes a write is what batching is about. */
    public long writes() {
        return queue.writes();
    }

    /**
     * Takes no more messages, sends what was accepted, ends the stream in an orderly way and waits a moment (a second at
     * most) for the relay to do the same: a relay that objects to the last messages says so only then. All of it is
     * bounded by the close time-out; what could not be sent by then is lost, and {@link #failure} says how much. Does
     * nothing the second time.
     */
    @Override
    public void close() {
        queue.close(Timeouts.deadline(config.closeTimeout()));
        boolean interrupted = !join(config.closeTimeout().toMillis());
        if (thread.isAlive()) {
            closeChannel();
            String why = interrupted ? "interrupted" : config.closeTimeout().toMillis() + " ms were over";
            interrupted |= !join(GRACE_MS);
            // Only now is it certain how much the socket has taken.
            keepLoss(why);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            queue.fail(e);
        }
        selector.wakeup();
    }

    private void keepLoss(String why) {
        long unsent = queue.acceptedBytes() - queue.sentBytes();
        if (unsent > 0) {
            queue.fail(new IOException("closed with " + unsent + " bytes not sent to " + endpoint + ": " + why));
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
        SendQueue.check(type, length, config.maxBody());
    }
}
