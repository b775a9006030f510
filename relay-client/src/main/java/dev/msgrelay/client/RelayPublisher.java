package dev.msgrelay.client;

import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.Selector;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes messages to a relay: a message is copied into a send buffer, and a thread of the publisher's own writes the
 * messages that have gathered since its last write.
 *
 * <pre>{@code
 * PublisherOptions options = PublisherOptions.builder("127.0.0.1:7401").acks("orders").build();
 * try (RelayPublisher publisher = RelayPublisher.open(options)) {
 *     publisher.publish(7, "hello");
 *     publisher.flush(Duration.ofSeconds(30));    // throws unless all is acknowledged by then
 * }
 * }</pre>
 *
 * <p>{@link PublisherOptions} choose how safely:
 *
 * <ul>
 * <li>plain, without reconnecting ({@link #connect(Endpoint)}): one connection, no control frames. Accepted messages
 * are handed to the operating system; a connection that fails may lose messages under way, and nobody tells.
 * <li>confirmed, the default: the publisher outlives its connections, and the relay confirms what it has read.
 * {@link #flush}, {@link #close} and {@link SessionEvent.InDoubt} tell how many messages it has not: these may be lost.
 * <li>acknowledged: the publisher keeps each message until the relay has acknowledged it, and sends the others again:
 * no loss and no duplicate across a cut connection.
 * </ul>
 *
 * <p>There are three ways to publish:
 *
 * <ul>
 * <li>{@link #publish(int, byte[])} waits for room, and throws if a message cannot be taken.
 * <li>{@link #publishAsync} does so too, and its future completes once this one message is settled.
 * <li>The methods that return a {@link PublishOutcome} allocate nothing, and refuse with {@link PublishOutcome#FULL}
 * rather than wait longer than they are told: look at what they return.
 * </ul>
 *
 * <p>Close each publisher. A program that ends without gives it the close time-out to settle, in a shutdown hook, and
 * tells in one line what is left then; a killed one has no such chance.
 *
 * <p>Thread-safe: any number of threads publish; the messages of each keep their order. The buffer never grows. {@link
 * #failure} keeps the first failure; an exception of a listener is one. {@link #flush} and {@link #close} throw it.
 */
public final class RelayPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelayPublisher.class);

    /** Time beyond the close time-out for the thread to notice that its channel was closed. */
    private static final long GRACE_MS = 1000;

    /** Time to wait for room where the caller names none. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final PublisherOptions options;
    private final SendQueue queue;
    private final PublisherSession session;
    private final Unsettled unsettled;
    private final Thread thread;
    private final Thread exit;
    private final AtomicBoolean endIsTold = new AtomicBoolean();
    // Whether flush or publish has thrown the failure.
    private volatile boolean failureIsTold;
    // Whether the program hears from close what is left.
    private volatile boolean closing;

    private RelayPublisher(PublisherOptions options, Selector selector) {
        LongSupplier clock = System::nanoTime;
        Reconnector reconnector =
                new Reconnector(options.endpoints(), options.reconnect(), new SplittableRandom(), clock);
        this.options = options;
        queue = new SendQueue(options.bufferSize(), options.confirms(), selector::wakeup);
        session = new PublisherSession(options, selector, queue, reconnector, clock);
        unsettled = new Unsettled(options, queue, session);
        thread = new Thread(
                session,
                "relay-publisher "
                        + (options.name().isEmpty() ? options.endpoints().get(0) : options.name()));
        // A program that forgets to close its publisher still ends, and settles before.
        thread.setDaemon(true);
        exit = new Thread(this::settleAtExit, thread.getName() + " at exit");
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
     * @throws IOException no connection was made; the message names the endpoint and the cause; or as {@link #open}
     */
    public static RelayPublisher connect(PublisherOptions options) throws IOException {
        return open(options, true);
    }

    /**
     * Starts a publisher whose own thread makes the first connection; the listener and {@link #failure} report a
     * failure.
     *
     * @throws IOException a file of the options cannot be used, or the token's function has failed: {@link
     *     ErrorKind#YOURS}; or the system gives no selector
     */
    public static RelayPublisher open(PublisherOptions options) throws IOException {
        return open(options, false);
    }

    private static RelayPublisher open(PublisherOptions options, boolean connected) throws IOException {
        options.checkCredentials();
        Selector selector = Selector.open();
        try {
            RelayPublisher publisher = new RelayPublisher(options, selector);
            if (connected) {
                publisher.session.connectFirst();
            }
            publisher.thread.start();
            publisher.changeHooks(Runtime.getRuntime()::addShutdownHook);
            return publisher;
        } catch (IOException | RuntimeException | Error e) {
            selector.close();
            throw e;
        }
    }

    /**
     * Publishes one message; waits for room, up to 30 s, if the buffer is full. For a program that does not look at
     * outcomes: returns only if the message is accepted.
     *
     * @param body is copied
     * @throws PublishException the publisher has failed or is closed, or there was no room in time; in a listener of
     *     this publisher, whose thread is the one that makes room, there is no wait
     * @throws IllegalArgumentException the type is reserved, or the body is over the publisher's limit, or over the
     *     relay's once that is known
     * @throws InterruptedException the thread was interrupted, and the message was not taken
     */
    public void publish(int type, byte[] body) throws PublishException, InterruptedException {
        PublishOutcome outcome = publish(type, body, 0, body.length, PATIENCE);
        if (outcome != PublishOutcome.ACCEPTED) {
            noteTold();
            throw unsettled.refused(outcome);
        }
    }

    /**
     * Publishes as {@link #publish(int, byte[])}; the body is the text in UTF-8.
     *
     * @throws IllegalArgumentException also if the text has half of a surrogate pair, which UTF-8 cannot express
     */
    public void publish(int type, String body) throws PublishException, InterruptedException {
        publish(type, utf8(body));
    }

    /**
     * Publishes one message as {@link #publish(int, byte[])}, and tells when it is settled.
     *
     * @return completes once the message is acknowledged; without acknowledgements, once it is handed to a socket,
     *     whether the relay reads it or not: {@link #flush} waits for that.
     *     Completes with a {@link PublishException} if the message was not taken, and if the publisher fails or is
     *     closed before the message is settled: then it may be in the stream. The publisher's own thread completes it:
     *     a slow action that depends on it holds up sending
     * @throws IllegalArgumentException as {@link #publish(int, byte[])}
     * @throws InterruptedException the thread was interrupted, and the message was not taken
     */
    public CompletableFuture<Void> publishAsync(int type, byte[] body) throws InterruptedException {
        SendQueue.check(type, body.length, session.stream().maxBody());
        CompletableFuture<Void> settled = new CompletableFuture<>();
        PublishOutcome outcome = queue.offer(type, body, settled, deadline(PATIENCE));
        if (outcome != PublishOutcome.ACCEPTED) {
            settled.completeExceptionally(unsettled.refused(outcome));
        }
        return settled;
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
     * Publishes a run of messages, either all or none, or refuses at once. Many small messages in a run cost a fraction
     * of what they cost one by one: they are one copy under one lock, and wake the publisher's thread once at most.
     *
     * @param frames whole frames between position and limit, each the message's type and the length of its body, both 4
     *     bytes and big-endian, and its body; they are copied; position and limit stay as they are
     * @throws IllegalArgumentException the bytes are not whole frames, or are more than the {@linkplain
     *     PublisherOptions.Builder#bufferSize buffer}; or as {@link #publish(int, ByteBuffer)}
     */
    public PublishOutcome publishRun(ByteBuffer frames) {
        return queue.offerRun(frames, checkRun(frames));
    }

    /** Publishes as {@link #publishRun(ByteBuffer)}; waits as {@link #publish(int, ByteBuffer, Duration)}. */
    public PublishOutcome publishRun(ByteBuffer frames, Duration atMost) throws InterruptedException {
        return queue.offerRun(frames, checkRun(frames), deadline(atMost));
    }

    private int checkRun(ByteBuffer frames) {
        return SendQueue.checkRun(frames, session.stream().maxBody(), options.bufferSize());
    }

    /**
     * Waits until every message accepted before this call is acknowledged, and reported to the listener; without
     * acknowledgements, until the relay has read it, or it is in doubt since its connection is lost; plain, until it is
     * handed to a socket. In a listener of this publisher it does not wait.
     *
     * @throws PublishException messages are left after this time; messages are in doubt that no flush has told before;
     *     or the publisher has failed, even if none is left
     */
    public void flush(Duration atMost) throws PublishException, InterruptedException {
        long left = queue.awaitSettled(deadline(atMost));
        IOException failure = queue.failure();
        if (failure != null) {
            noteTold();
            throw unsettled.failed(failure);
        } else if (left > 0) {
            throw unsettled.unflushed(left);
        }
    }

    /**
     * Takes note that the program hears of the failure, if there is one, and of what is left: close does not repeat it.
     */
    private void noteTold() {
        if (queue.failure() != null) {
            failureIsTold = true;
        }
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

    /**
     * Number of messages of {@link #messages} that the relay has confirmed: acknowledged; without acknowledgements,
     * read, and perhaps not in its journal yet; plain, 0. Never more than the relay has.
     */
    public long confirmed() {
        return options.acks() ? settled() : queue.confirmedMessages();
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

    /** Registers this publisher's counters: {@code messages}, {@code bytes} and so on. */
    public void metrics(ClientMetrics to) {
        to.counter("messages", this::messages);
        to.counter("bytes", this::bytes);
        to.counter("settled", this::settled);
        to.counter("settled_bytes", this::settledBytes);
        to.counter("confirmed", this::confirmed);
        to.counter("writes", this::writes);
        to.gauge("buffered_bytes", queue::keptBytes);
    }

    /**
     * Takes no more messages, and settles the accepted ones as {@link #flush} within the close time-out, over new
     * connections if needed. Without acknowledgements, what was sent over a connection that is lost meanwhile is in
     * doubt at once. Then ends the stream, and waits at most a second for the relay to do the same. Further calls throw
     * nothing; the first one throws nothing that {@link #flush} or {@link #publish(int, byte[])} has thrown before.
     * Does not wait in a listener of this publisher, nor on an interrupted thread, which stays interrupted.
     *
     * @throws PublishException messages were not settled by then, or are in doubt and no flush has told it; or the
     *     publisher has failed
     */
    @Override
    public void close() throws PublishException {
        boolean first = queue.close(Timeouts.deadline(options.closeTimeout()));
        if (Thread.currentThread() == thread) {
            if (first) {
                Thread closing = new Thread(this::endThreadAndHook, thread.getName() + " closing");
                closing.setDaemon(true);
                closing.start();
            }
            return;
        }
        boolean toldBefore = failureIsTold;
        closing = true;
        endThreadAndHook();
        IOException failure = queue.failure();
        if (failure != null && !toldBefore && endIsTold.compareAndSet(false, true)) {
            throw unsettled.failed(failure);
        }
    }

    /** Settles what is left as the program ends, and tells what could not be, unless the program hears of it. */
    private void settleAtExit() {
        if (queue.unsettledMessages() == 0) {
            return;
        }
        long left;
        try {
            left = queue.awaitSettled(Timeouts.deadline(options.closeTimeout()));
        } catch (InterruptedException e) {
            left = queue.unsettledMessages();
        }
        if (left > 0 && !closing && !failureIsTold) {
            SeenLog.warn(LOG, unsettled.atExit(left));
        }
    }

    /** Adds or removes the hook; without effect while the JVM is ending. */
    private void changeHooks(Consumer<Thread> change) {
        try {
            change.accept(exit);
        } catch (IllegalStateException e) {
            // Too late: the hooks run.
        }
    }

    private void endThreadAndHook() {
        try {
            endThread();
        } finally {
            changeHooks(Runtime.getRuntime()::removeShutdownHook);
        }
    }

    private void endThread() {
        Duration bound = options.closeTimeout();
        boolean interrupted = !join(bound.toMillis());
        String why = "";
        if (thread.isAlive()) {
            session.abort();
            why = interrupted ? ": interrupted" : ": " + bound.toMillis() + " ms were over";
            interrupted |= !join(GRACE_MS);
        }
        // Only after the thread's end it is certain how many bytes the socket has taken.
        long left = queue.unsettledMessages();
        if (left > 0) {
            queue.fail(unsettled.closed(left, why));
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

    private static byte[] utf8(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return Arrays.copyOf(encoded.array(), encoded.limit());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the text has half of a surrogate pair, which UTF-8 cannot express", e);
        }
    }
}
