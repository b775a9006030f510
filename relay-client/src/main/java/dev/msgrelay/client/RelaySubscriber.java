package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Subscribes to a relay: every message, or those of the types wanted, in the relay's one total order.
 *
 * <pre>{@code
 * SubscriberOptions options = SubscriberOptions.builder("127.0.0.1:7400").fromEarliest().build();
 * try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
 *     subscriber.run((sequence, type, body) ->
 *             System.out.println(sequence + " " + type + " " + StandardCharsets.UTF_8.decode(body)));
 * }
 * }</pre>
 *
 * <p>{@link SubscriberOptions} choose how safely:
 *
 * <ul>
 * <li>plain, without reconnecting ({@link #connect(Endpoint)}): one connection, messages from the time of connecting
 * on, no numbers. The stream may end, see {@link #poll}.
 * <li>reconnecting: the subscriber connects again by itself, resumes behind the last message that was handed over, and
 * reports every gap. No message is handed over twice.
 * <li>with a {@link PositionStore}: another process goes on where this one ended; every message is handled at least
 * once.
 * </ul>
 *
 * <p>One thread owns a subscriber and calls {@link #poll} or {@link #run}; there is no other thread, and nothing is
 * allocated per message. That thread answers the relay's PINGs: a handler that takes longer than the relay's idle
 * time-out for the messages of one read may cost the connection, but no message. {@link #close}, {@link #types} and the
 * counters may be called on any thread.
 */
public final class RelaySubscriber implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelaySubscriber.class);

    /** The handler before there is a connection. */
    private static final MessageHandler NO_MESSAGES = (sequence, type, body) -> {};

    private final SubscriberSession session;
    private final SubscriberStream stream;
    private final Optional<PositionKeeper> keeper;

    // Owned by the polling thread.
    private boolean polling;
    private Optional<IOException> unsaved = Optional.empty();

    // Written by the polling thread once per read, guarded by this object's lock.
    private long messages;
    private long bytes;
    private long epoch;
    private long next;
    private long head;
    private long missed;

    private RelaySubscriber(SubscriberOptions options, LongSupplier clock) throws IOException {
        this.keeper = options.positions()
                .map(store -> new PositionKeeper(store, options.saveEvery().toNanos(), clock));
        Optional<Position> kept = keeper.isPresent() ? keeper.get().load() : Optional.empty();
        try {
            this.session = new SubscriberSession(options, kept, clock);
        } catch (IOException | RuntimeException | Error e) {
            if (keeper.isPresent()) {
                keeper.get().close();
            }
            throw e;
        }
        this.stream = session.stream();
    }

    /** Makes one plain connection with the default settings, as {@link #connect(SubscriberOptions)}. */
    public static RelaySubscriber connect(Endpoint endpoint) throws IOException {
        return connect(SubscriberOptions.builder(endpoint)
                .plain()
                .reconnect(ReconnectPolicy.none())
                .build());
    }

    /**
     * Connects before it returns, as often as the policy says. {@link #poll} waits for WELCOME later.
     *
     * @throws IOException no connection was made; the message names the endpoint and the cause
     */
    public static RelaySubscriber connect(SubscriberOptions options) throws IOException {
        RelaySubscriber subscriber = open(options);
        try {
            while (!subscriber.session.isConnected()) {
                subscriber.poll(NO_MESSAGES);
            }
            return subscriber;
        } catch (IOException | RuntimeException | Error e) {
            subscriber.close();
            throw e;
        }
    }

    /**
     * A subscriber that connects at its first {@link #poll}.
     *
     * @throws IOException a file of the options cannot be used, or the token's function has failed: {@link
     *     ErrorKind#YOURS}; or the {@link PositionStore} cannot be read, or the system gives no selector
     */
    public static RelaySubscriber open(SubscriberOptions options) throws IOException {
        return open(options, System::nanoTime);
    }

    static RelaySubscriber open(SubscriberOptions options, LongSupplier clock) throws IOException {
        options.checkCredentials();
        return new RelaySubscriber(options, clock);
    }

    /**
     * Takes one step: connects, waits for the next try, or waits for bytes and hands over every whole message. An
     * exception of the handler or a listener comes out of this method and costs the connection. Polling may continue,
     * behind the message that was handed over last; only a plain subscriber that does not reconnect has given up then,
     * and one whose positions are kept, after an exception of the handler.
     *
     * @param handler gets each message; a {@link RunHandler} whole runs, where there is no {@link StateView}
     * @return number of messages handed over, may be 0; -1 after {@link #close}, and after the relay has closed,
     *     between two messages, a plain connection that is not to be made again
     * @throws RelayErrorException the relay ended the connection with a reason. This and the following exceptions come
     *     only once the subscriber has given up, with the cause of {@link SessionEvent.GaveUp}; every later poll throws
     *     the same
     * @throws FrameException the stream breaks the protocol
     * @throws java.io.EOFException the stream ended within a message, or without a reason
     * @throws ClosedByInterruptException the thread was interrupted while it would wait, and still is; polling may
     *     continue, over another connection, as above
     * @throws IOException the connection was lost, or none could be made; or the {@link PositionStore} did not save:
     *     polling may continue, and tries that again
     */
    public int poll(MessageHandler handler) throws IOException {
        return pollFor(handler, Long.MAX_VALUE);
    }

    /**
     * As {@link #poll(MessageHandler)}, but waits no longer than a time, in milliseconds and at least one, for bytes or
     * the next try; not for a connect. A plain subscriber waits for bytes all the same.
     *
     * @return as {@link #poll(MessageHandler)}; 0 also if the time is up
     */
    public int poll(MessageHandler handler, Duration atMost) throws IOException {
        return pollFor(handler, Math.max(1, TimeUnit.MILLISECONDS.convert(atMost)));
    }

    private int pollFor(MessageHandler handler, long atMostMillis) throws IOException {
        if (session.gaveUp().isPresent()) {
            throw session.gaveUp().get();
        }
        if (polling) {
            throw new IllegalStateException("a handler cannot poll");
        }
        long before = stream.messages();
        stream.handler(Objects.requireNonNull(handler, "handler"));
        polling = true;
        try {
            session.advance(keeper.isPresent() ? Math.min(keeper.get().polling(), atMostMillis) : atMostMillis);
        } finally {
            polling = false;
            publishCounters();
            unsaved = Optional.empty();
            if (keeper.isPresent()) {
                keepPosition(keeper.get());
            }
        }
        if (unsaved.isPresent()) {
            throw unsaved.get();
        }
        int handed = (int) (stream.messages() - before);
        return session.isOver() && handed == 0 ? -1 : handed;
    }

    /** Polls until {@link #poll} returns -1; otherwise as {@link #poll}. */
    public void run(MessageHandler handler) throws IOException {
        int n;
        do {
            n = poll(handler);
        } while (n >= 0);
    }

    /**
     * Changes the types that this subscriber gets, on this connection and on later ones.
     *
     * @return completes with the sequence of the first message that these types choose, on the thread that polls; with
     *     an IOException if there are more ranges than the relay takes, if too many changes wait for their answer, or
     *     if the subscriber ends before
     * @throws IllegalStateException the plain mode knows no types
     */
    public CompletableFuture<Long> types(TypeRanges wanted) {
        return session.types(wanted);
    }

    /** Number of messages handed over, up to the last read. */
    public synchronized long messages() {
        return messages;
    }

    /** Bytes of these messages, headers included. */
    public synchronized long bytes() {
        return bytes;
    }

    /**
     * Epoch of the stream; 0 before the first WELCOME. Epoch and {@link #next} are the place where another subscriber
     * could resume.
     */
    public synchronized long epoch() {
        return epoch;
    }

    /** Sequence of the next message that can come, as of the last read; 0 before the first WELCOME. */
    public synchronized long next() {
        return next;
    }

    /** Number of messages in all {@link Gap}s so far, up to the last read. */
    public synchronized long missed() {
        return missed;
    }

    /** Number of messages that are still to come, of those in the stream at the relay's last PING. */
    public synchronized long lag() {
        return Math.max(0, head - next + 1);
    }

    /** Registers this subscriber's counters, {@code messages}, {@code bytes} and {@code missed}, and its lag. */
    public void metrics(ClientMetrics to) {
        to.counter("messages", this::messages);
        to.counter("bytes", this::bytes);
        to.counter("missed", this::missed);
        to.gauge("lag", this::lag);
    }

    /** The newest sequence of the stream, from the relay's last PING; 0 before the first. */
    public synchronized long head() {
        return head;
    }

    /**
     * Ends the subscription, and a {@link #poll} that waits on another thread; a poll that is connecting ends within
     * the connect time-out. Further calls do nothing.
     */
    @Override
    public void close() {
        session.close();
        try {
            if (keeper.isPresent()) {
                keeper.get().close();
            }
        } catch (IOException e) {
            LOG.warn("the position was not saved, so messages will come again: {}", e.getMessage());
        }
    }

    private void keepPosition(PositionKeeper by) {
        try {
            if (stream.isKeepable()) {
                StreamPosition at = stream.position();
                by.moved(at.epoch(), at.next(), at.epochs());
            }
            if (session.isClosed() || session.gaveUp().isPresent()) {
                by.save();
            }
        } catch (IOException e) {
            unsaved = Optional.of(new IOException("the position was not saved: " + e.getMessage(), e));
        } finally {
            by.polled();
        }
    }

    private synchronized void publishCounters() {
        messages = stream.messages();
        bytes = stream.bytes();
        epoch = stream.position().epoch();
        next = stream.position().next();
        head = stream.head();
        missed = stream.position().missed();
    }
}
