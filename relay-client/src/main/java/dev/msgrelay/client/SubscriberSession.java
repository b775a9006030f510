package dev.msgrelay.client;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a {@link RelaySubscriber}, one after another: a session connects, reads, changes the types, and
 * begins anew if a connection is lost. Owned by the thread that polls; {@link #types} and {@link #close} may be called
 * on any.
 */
final class SubscriberSession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelaySubscriber.class);

    /** Time for the state, after which the program is told that it is late. */
    private static final long STATE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final SubscriberOptions options;
    private final LongSupplier clock;
    private final Selector selector;
    private final Reconnector reconnector;
    private final TypeChanges changes;
    private final SubscriberStream stream;
    private final Consumer<SessionEvent> listener;
    private final Consumer<SelectionKey> ignoreKey = key -> {};

    private boolean wasConnected;
    private boolean ended;
    // Whether the present connection's state was told to be late, and since when it is awaited.
    private boolean lateTold;
    private long stateSince;
    private Optional<IOException> gaveUp = Optional.empty();
    // Written by the polling thread; close() closes it.
    private volatile RelayLink link;
    private volatile boolean closed;

    /** @param kept where to go on; empty: the options say where to start */
    SubscriberSession(SubscriberOptions options, Optional<Position> kept, LongSupplier clock) throws IOException {
        this.options = options;
        this.clock = clock;
        this.selector = Selector.open();
        this.reconnector = new Reconnector(options.endpoints(), options.reconnect(), new SplittableRandom(), clock);
        this.changes = new TypeChanges(options.types());
        this.listener = options.listener();
        this.stream = new SubscriberStream(options, kept, reconnector, changes, listener, this::opened);
    }

    private void opened() {
        lateTold = false;
        stateSince = clock.getAsLong();
        SignsOfLife.scheduleFor(link);
    }

    SubscriberStream stream() {
        return stream;
    }

    boolean isConnected() {
        return link != null;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether no message can come any more. */
    boolean isOver() {
        return closed || ended;
    }

    /** The reason for which there is no further try; empty while there may be one. */
    Optional<IOException> gaveUp() {
        return gaveUp;
    }

    /** As {@link RelaySubscriber#types}. */
    CompletableFuture<Long> types(TypeRanges wanted) {
        if (options.plain()) {
            throw new IllegalStateException("the plain mode knows no types");
        }
        CompletableFuture<Long> answer = changes.ask(wanted);
        selector.wakeup();
        return answer;
    }

    @Override
    public void close() {
        closed = true;
        RelayLink present = link;
        if (present != null) {
            present.close();
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing the selector", e);
        }
        changes.endAll(new IOException("the subscriber was closed"));
    }

    /**
     * Takes the step of {@link RelaySubscriber#poll}, and sorts what it throws.
     *
     * @param atMostMillis longest wait for an event, at least 1
     */
    void advance(long atMostMillis) throws IOException {
        try {
            if (!closed && !ended) {
                step(atMostMillis);
            }
        } catch (ClosedChannelException | ClosedSelectorException | CancelledKeyException e) {
            if (!closed) {
                drop(e);
                throw e;
            }
        } catch (IOException e) {
            if (!closed) {
                if (e.getCause() instanceof ClosedByInterruptException interrupted) {
                    // An interrupt within a connect comes in another exception.
                    throw interrupted;
                }
                connectionFailed(e);
            }
        } catch (RuntimeException | Error e) {
            if (!stream.takeUnhandled()) {
                drop(e);
                throw e;
            }
            handlerFailed(e);
        }
    }

    private void step(long atMostMillis) throws IOException {
        RelayLink present = link;
        if (present == null) {
            connectWhenDue(atMostMillis);
            return;
        }
        if (options.plain()) {
            // A plain subscriber has nothing to write, and nothing else to wait for.
            read(present);
            return;
        }
        if (present.isOpen() && changes.isWaiting()) {
            changes.send(present, stream.maxRanges());
        }
        if (!present.flush() || read(present) == 0) {
            boolean writes = present.hasOutput() || !present.isSent();
            int ops = SelectionKey.OP_READ | (writes ? SelectionKey.OP_WRITE : 0);
            present.key().interestOps(ops);
            present.waits(true);
            try {
                await(Math.min(present.waitMillis(), atMostMillis));
            } finally {
                present.waits(false);
            }
            if (!closed && read(present) == 0) {
                present.checkSilence();
            }
        }
        // PONGs go out before the thread waits for anything else.
        present.flush();
    }

    private int read(RelayLink present) throws IOException {
        try {
            int n = present.read();
            if (n > 0 && stream.lacksState() && !lateTold && clock.getAsLong() - stateSince > STATE_NANOS) {
                lateTold = true;
                stream.stateIsLate(TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - stateSince));
            }
            return n;
        } finally {
            if (stream.takeAlive()) {
                reconnector.progressed();
            }
        }
    }

    private void await(long millis) throws IOException {
        selector.select(ignoreKey, millis);
        // An interrupted thread would spin instead of waiting.
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException();
        }
    }

    private void connectWhenDue(long atMostMillis) throws IOException {
        long waitNanos = reconnector.waitNanos();
        if (waitNanos > 0) {
            await(Math.min(TimeUnit.NANOSECONDS.toMillis(waitNanos) + 1, atMostMillis));
            if (closed || reconnector.waitNanos() > 0) {
                return;
            }
        }
        Endpoint endpoint = reconnector.current();
        emit(new SessionEvent.Connecting(endpoint));
        FrameReader reader = new FrameReader(options.bufferSize(), options.maxBody());
        Token token = options.token();
        link = options.connect(
                endpoint, token, options.plain() ? null : selector, reader, stream, clock, stream.certificate());
        if (closed) {
            // close() may have been called before there was a link to close.
            link.close();
        } else if (options.plain()) {
            startPlain(endpoint);
        } else {
            link.greet(stream.hello(token), options.handshakeTimeout().toNanos());
        }
    }

    private void startPlain(Endpoint endpoint) {
        link.openPlain();
        reconnector.welcomed();
        emit(new SessionEvent.ConnectedPlain(endpoint));
        if (wasConnected) {
            emit(new SessionEvent.MissedUnknown(endpoint));
        }
        wasConnected = true;
    }

    private void connectionFailed(IOException end) throws IOException {
        if (end instanceof AskAgainException) {
            link.close();
            link = null;
            reconnector.dropped();
            return;
        }
        Endpoint endpoint = reconnector.current();
        boolean isOlder = options.newerThanSome().isPresent()
                && link != null
                && !link.isOpen()
                && end instanceof RelayErrorException error
                && error.reason() == CloseReason.MALFORMED_CONTROL;
        boolean endOfStream = options.plain() && link != null && link.hasEnded();
        if (link != null) {
            if (end instanceof FrameException fault) {
                link.sendError(fault);
            }
            link.close();
            link = null;
        }
        IOException cause = reconnector.explained(
                isOlder ? olderRelay(endpoint, options.newerThanSome().get(), end) : end);
        if (reconnector.failed(cause)) {
            emit(new SessionEvent.Lost(endpoint, cause, Duration.ofNanos(Math.max(0, reconnector.waitNanos()))));
            return;
        }
        giveUp(endpoint, cause, endOfStream);
        if (gaveUp.isPresent()) {
            throw gaveUp.get();
        }
    }

    private static IOException olderRelay(Endpoint endpoint, String wanted, IOException refusal) {
        return new RelayUnsuitableException(
                "the relay at " + endpoint + " is older than " + wanted + " (" + refusal.getMessage() + ")", refusal);
    }

    private void giveUp(Endpoint endpoint, IOException cause, boolean endOfStream) {
        ended = endOfStream;
        gaveUp = endOfStream ? Optional.empty() : Optional.of(cause);
        changes.endAll(cause);
        emit(new SessionEvent.GaveUp(endpoint, cause));
    }

    /**
     * Gives up a connection after an exception within a read: the messages behind it are asked for anew, over another
     * connection, if the options allow it.
     */
    private void drop(Throwable fault) {
        if (link == null) {
            return;
        }
        link.close();
        link = null;
        if (options.plain() && options.reconnect().rounds() == 0) {
            giveUp(reconnector.current(), new IOException("the connection was given up: " + fault, fault), false);
        } else {
            reconnector.dropped();
        }
    }

    private void handlerFailed(Throwable fault) throws IOException {
        IOException end = new IOException(
                "the handler failed at message " + stream.position().next() + ": " + fault, fault);
        if (options.retriesHandler() && fault instanceof RuntimeException) {
            connectionFailed(end);
            return;
        }
        link.close();
        link = null;
        if (options.positions().isPresent()) {
            giveUp(reconnector.current(), end, false);
        } else {
            reconnector.dropped();
        }
        if (fault instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) fault;
    }

    private void emit(SessionEvent event) {
        LOG.debug("subscriber: {}", event.text());
        listener.accept(event);
    }
}
