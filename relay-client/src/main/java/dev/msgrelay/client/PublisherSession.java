package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.net.Segments;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The I/O thread of a {@link RelayPublisher}: connects, waits for WELCOME, sends, listens, and begins anew if the
 * connection is lost.
 *
 * <p>Smart batching: one write at a time, and the messages that have gathered during it go out in the next one; with
 * none left, the thread sleeps until a producer wakes it. No spinning, and no timer but that of {@link Confirmations}.
 * A control frame goes between two messages.
 *
 * <p>No message is sent before WELCOME: a relay that declines acknowledgements would take the message a second time.
 * Without HELLO there is no WELCOME to wait for.
 */
final class PublisherSession implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PublisherSession.class);

    /** Bytes of the input buffer: the relay sends control frames only, small ones apart from their texts. */
    private static final int INPUT_BUFFER = 16 << 10;

    /** Most bytes of one write while more waits, rounded down to whole segments. */
    private static final int LARGEST_WRITE = 256 << 10;

    /** Bytes after which the input is read between two writes: acknowledgements make room. */
    private static final int BYTES_UNHEARD = 64 << 10;

    /** Longest time to wait for the relay's end of the connection after the publisher's. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PublisherOptions options;
    private final Selector selector;
    private final SendQueue queue;
    private final LongSupplier clock;
    private final Reconnector reconnector;
    private final SentFrames sent;
    private final Confirmations confirmations;
    private final PublisherStream stream;
    private final Consumer<SessionEvent> listener;
    private final Consumer<SelectionKey> noteReady = ready -> this.readable = ready.isReadable();

    private boolean readable;
    private int mostPerWrite;
    private int unheard;

    private volatile Endpoint endpoint;
    private volatile RelayLink link;
    private volatile boolean aborted;
    // The end of the last try or connection; empty: the present one works.
    private volatile Optional<IOException> trouble = Optional.empty();

    PublisherSession(
            PublisherOptions options, Selector selector, SendQueue queue, Reconnector reconnector, LongSupplier clock) {
        this.options = options;
        this.selector = selector;
        this.queue = queue;
        this.clock = clock;
        this.reconnector = reconnector;
        this.endpoint = reconnector.current();
        this.sent = new SentFrames(queue, options.onAck());
        this.confirmations = new Confirmations(
                queue, sent, clock, () -> ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
        this.listener = options.listener();
        this.stream = new PublisherStream(options, reconnector, queue, sent, confirmations, listener);
    }

    PublisherStream stream() {
        return stream;
    }

    /** The endpoint that the publisher is connected or connecting to. Any thread. */
    Endpoint endpoint() {
        return endpoint;
    }

    /** What keeps the publisher from sending; empty: nothing that it knows of. Any thread. */
    Optional<IOException> trouble() {
        return trouble;
    }

    /** Ends the session, and drops the messages kept. Any thread. */
    void abort() {
        aborted = true;
        RelayLink present = link;
        if (present != null) {
            present.close();
        }
        selector.wakeup();
    }

    /**
     * Makes the first connection, before {@link #run}, on the thread that made the publisher.
     *
     * @throws IOException the policy allows no more tries
     */
    void connectFirst() throws IOException {
        while (link == null) {
            try {
                awaitTurn();
                connect();
            } catch (IOException e) {
                closeLink();
                IOException explained = reconnector.explained(e);
                if (!failedTry(explained)) {
                    emit(new SessionEvent.GaveUp(endpoint, explained));
                    throw explained;
                }
                if (Thread.currentThread().isInterrupted()) {
                    // An interrupt behind the failed try is not in its exception.
                    throw (IOException) new InterruptedIOException("interrupted: " + e.getMessage()).initCause(e);
                }
            } catch (RuntimeException | Error e) {
                closeLink();
                throw e;
            }
        }
    }

    @Override
    public void run() {
        try {
            boolean again = true;
            while (again && !isDone()) {
                again = oneConnection();
            }
        } catch (RuntimeException | Error e) {
            queue.fail(new IOException("fault of the publisher: " + e, e));
            throw e;
        } finally {
            closeLink();
            closeSelector();
        }
    }

    /** Whether nothing is left to do: all is sent, and the relay has confirmed what it will. */
    private boolean isDone() {
        return aborted || queue.isDrained() && !confirmations.areAwaited();
    }

    /** Runs one connection, from the wait before it to its end; returns whether there is to be another one. */
    private boolean oneConnection() {
        takeInterrupt();
        try {
            if (link == null) {
                awaitTurn();
                if (isDone()) {
                    return false;
                }
                connect();
            }
            awaitWelcome();
            if (link.isOpen()) {
                trouble = Optional.empty();
            }
            while (!isDone()) {
                transfer();
            }
            endConnection();
            if (options.confirms() && !aborted) {
                stream.tellDoubt();
                confirmations.lost();
            }
            return false;
        } catch (ClosedChannelException | ClosedSelectorException | CancelledKeyException e) {
            // Only abort closes the channel under this thread, and its caller reports the lost messages.
            return !aborted && connectionLost(new IOException("connection to " + reconnector.current() + " lost", e));
        } catch (IOException e) {
            return !aborted && connectionLost(e);
        }
    }

    private void awaitTurn() throws IOException {
        long waitNanos;
        // An interrupted thread would spin instead of waiting; its next connect fails.
        while (!isDone()
                && (waitNanos = reconnector.waitNanos()) > 0
                && !Thread.currentThread().isInterrupted()) {
            selector.select(noteReady, TimeUnit.NANOSECONDS.toMillis(waitNanos) + 1);
        }
    }

    private void connect() throws IOException {
        endpoint = reconnector.current();
        emit(new SessionEvent.Connecting(endpoint));
        sent.restart();
        confirmations.restart();
        unheard = 0;
        // The relay sends messages, and then the ERROR that names the mistake, to a plain publisher on the subscribe
        // port.
        int most = options.plain() ? Math.max(INPUT_BUFFER, options.maxBody()) : INPUT_BUFFER;
        FrameReader reader = new FrameReader(INPUT_BUFFER, most);
        Token token = options.token();
        link = options.connect(endpoint, token, selector, reader, stream, clock, stream.certificate());
        mostPerWrite = Segments.wholeUpTo(LARGEST_WRITE, Segments.payload(link.localAddress()));
        if (aborted) {
            // abort() may have been called before there was a link to close.
            link.close();
        } else if (options.plain()) {
            link.openPlain();
            reconnector.welcomed();
            emit(new SessionEvent.ConnectedPlain(endpoint));
        } else {
            link.greet(stream.hello(token), options.handshakeTimeout().toNanos());
        }
    }

    private void awaitWelcome() throws IOException {
        while (!link.isOpen() && !isDone()) {
            boolean written = link.flush();
            await(written ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    /** One turn: at most one write of messages, and one look at the input. */
    private void transfer() throws IOException {
        int most = mostPerWrite;
        boolean asks = confirmations.isDue();
        if (asks || link.hasOutput()) {
            int toBoundary = sent.toBoundary();
            if (toBoundary == 0) {
                // Without room for it now, it stays due.
                if (asks && link.send(confirmations.ping())) {
                    confirmations.asked();
                }
                if (!link.flush()) {
                    await(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                    return;
                }
            } else {
                most = Math.min(most, toBoundary);
            }
        }
        int prepared = stream.isLeaving() ? 0 : queue.prepare(sent.written(), most);
        int written = prepared == 0 ? 0 : write();
        if (written < prepared) {
            await(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        } else if (prepared > 0) {
            unheard += written;
            // The plain mode needs no read: a relay that sends anything ends the connection, and the next write fails.
            if (!options.plain() && unheard >= BYTES_UNHEARD) {
                read();
            }
        } else if (!isDone()) {
            await(SelectionKey.OP_READ);
        }
    }

    private int write() throws IOException {
        int written;
        try {
            written = queue.writePrepared(link.sink());
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw link.writeFailed(e);
        }
        sent.wrote(written);
        if (!options.acks()) {
            sent.forgetWritten();
        }
        return written;
    }

    /**
     * Waits until the socket is ready for one of {@code ops}, a producer wakes the thread, a PING is due, or the relay
     * has been silent for too long.
     */
    private void await(int ops) throws IOException {
        takeInterrupt();
        readable = link.hasInput();
        if (!readable) {
            link.key().interestOps(link.isSent() ? ops : ops | SelectionKey.OP_WRITE);
            long untilPing = confirmations.waitMillis();
            selector.select(noteReady, untilPing > 0 ? Math.min(untilPing, link.waitMillis()) : link.waitMillis());
        }
        if (!readable || read() == 0) {
            link.checkSilence();
        }
    }

    /** Clears an interrupt that a listener left on this thread: with it the thread would spin instead of waiting. */
    private static void takeInterrupt() {
        Thread.interrupted();
    }

    private int read() throws IOException {
        unheard = 0;
        try {
            return link.read();
        } finally {
            if (stream.takeAlive()) {
                reconnector.progressed();
            }
        }
    }

    /**
     * Ends the output, and reads to the end of the input: to close at once would reset the connection if there were
     * unread input. A plain publisher hears only now of a fault in its last messages.
     */
    private void endConnection() throws IOException {
        if (aborted || link == null) {
            return;
        }
        long leftMs;
        link.key().interestOps(SelectionKey.OP_WRITE);
        while (!link.isSent()
                && (leftMs = TimeUnit.NANOSECONDS.toMillis(queue.closeDeadline() - System.nanoTime())) > 0) {
            selector.select(noteReady, leftMs);
        }
        link.endOutput();
        long deadline = System.nanoTime() + Math.min(queue.closeDeadline() - System.nanoTime(), LINGER_NANOS);
        link.key().interestOps(SelectionKey.OP_READ);
        while (!aborted && (leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) > 0) {
            readable = false;
            selector.select(noteReady, leftMs);
            try {
                if (readable) {
                    link.read();
                }
            } catch (EOFException | NoWelcomeException e) {
                return;
            }
        }
    }

    /** Handles the end of a connection; returns whether there is to be another one. */
    private boolean connectionLost(IOException end) {
        if (end instanceof AskAgainException) {
            closeLink();
            reconnector.dropped();
            return true;
        }
        if (link != null && end instanceof FrameException fault && sent.toBoundary() == 0) {
            link.sendError(fault);
        }
        closeLink();
        if (queue.isDrained() && options.plain()) {
            giveUp(end);
            return false;
        }
        stream.tellDoubt();
        boolean drained = queue.isDrained();
        IOException explained = drained ? end : reconnector.explained(end);
        trouble = Optional.of(explained);
        boolean again = !drained && failedTry(explained);
        if (!drained && !again) {
            giveUp(explained);
        }
        // Last: a flush or close that tells the doubt knows the reason.
        confirmations.lost();
        return again;
    }

    /** Fails first: a listener of GaveUp finds the publisher failed. */
    private void giveUp(IOException cause) {
        if (queue.fail(cause)) {
            LOG.warn("publisher to {}: {}", endpoint, cause.getMessage());
        }
        emit(new SessionEvent.GaveUp(endpoint, cause));
    }

    /** Notes the trouble; returns whether there will be another try. */
    private boolean failedTry(IOException end) {
        Endpoint endpoint = reconnector.current();
        trouble = Optional.of(end);
        boolean again = reconnector.failed(end);
        if (again) {
            emit(new SessionEvent.Lost(endpoint, end, Duration.ofNanos(Math.max(0, reconnector.waitNanos()))));
        }
        return again;
    }

    private void emit(SessionEvent event) {
        LOG.debug("publisher: {}", event.text());
        listener.accept(event);
    }

    private void closeLink() {
        RelayLink present = link;
        if (present != null) {
            present.close();
            link = null;
        }
    }

    private void closeSelector() {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing the selector", e);
        }
    }
}
