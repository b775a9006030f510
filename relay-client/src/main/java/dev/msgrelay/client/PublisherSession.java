package dev.msgrelay.client;

import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.net.Segments;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The I/O thread of a {@link RelayPublisher}: connects, waits for WELCOME, sends, listens, and begins anew where the
 * connection is lost.
 *
 * <p>Smart batching: one write at a time, and what has gathered during it goes out in the next; with nothing left it
 * sleeps until a producer wakes it. No timer, no spinning. A control frame goes between two messages.
 *
 * <p>No message is sent before WELCOME: a relay that declines acknowledgements would take it a second time. Without
 * HELLO there is none to wait for.
 */
final class PublisherSession implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PublisherSession.class);

    /** All that comes is control frames, small ones but for the texts. */
    private static final int INPUT_BUFFER = 16 << 10;

    /** Of one write while more waits: as many whole segments as fit. */
    private static final int LARGEST_WRITE = 256 << 10;

    /** So much is written at most without a look at what has come: acknowledgements make room. */
    private static final int BYTES_UNHEARD = 64 << 10;

    /** How long to listen for the relay's last word after ours, at most. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PublisherOptions options;
    private final Selector selector;
    private final SendQueue queue;
    private final LongSupplier clock;
    private final Reconnector reconnector;
    private final SentFrames sent;
    private final PublisherStream stream;
    private final Consumer<SelectionKey> noteReady = ready -> this.readable = ready.isReadable();

    private boolean readable;
    private int mostPerWrite;
    private int unheard;

    private volatile Endpoint endpoint;
    private volatile RelayLink link;
    private volatile boolean aborted;

    PublisherSession(
            PublisherOptions options, Selector selector, SendQueue queue, Reconnector reconnector, LongSupplier clock) {
        this.options = options;
        this.selector = selector;
        this.queue = queue;
        this.clock = clock;
        this.reconnector = reconnector;
        this.endpoint = reconnector.current();
        this.sent = new SentFrames(queue, options.onAck());
        this.stream = new PublisherStream(options, reconnector, queue, sent);
    }

    PublisherStream stream() {
        return stream;
    }

    /** Where the publisher is connected to, or tries to be. From any thread. */
    Endpoint endpoint() {
        return endpoint;
    }

    /** From any thread: ends the session without regard to what is kept. */
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
     * @throws IOException it gave up, by the policy
     */
    void connectFirst() throws IOException {
        while (link == null) {
            try {
                awaitTurn();
                connect();
            } catch (IOException e) {
                closeLink();
                IOException gaveUp = triedInVain(e);
                if (gaveUp != null) {
                    emit(new SessionEvent.GaveUp(endpoint, gaveUp));
                    throw gaveUp;
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
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

    private boolean isDone() {
        return aborted || queue.isDrained();
    }

    /** From the wait before it to its end; returns whether there is to be another one. */
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
            while (!isDone()) {
                transfer();
            }
            listenForTheLastWord();
            return false;
        } catch (ClosedChannelException | ClosedSelectorException | CancelledKeyException e) {
            // Only abort closes under us, and who calls it says what was lost by that.
            return !aborted && lost(new IOException("connection to " + reconnector.current() + " lost", e));
        } catch (IOException e) {
            return !aborted && lost(e);
        }
    }

    private void awaitTurn() throws IOException {
        long waitNanos;
        // An interrupted thread would not wait, but spin; its next connect fails.
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
        unheard = 0;
        SocketChannel channel = endpoint.open(options.connectTimeout());
        try {
            TlsChannel tls = options.tls() == null
                    ? null
                    : TlsChannel.connect(endpoint, channel, options.tls(), options.connectTimeout());
            mostPerWrite = Segments.wholeUpTo(LARGEST_WRITE, Segments.payload(channel.getLocalAddress()));
            // A plain publisher on the subscribe port gets messages, and the ERROR that names its mistake behind them.
            FrameReader reader = new FrameReader(
                    INPUT_BUFFER, options.plain() ? Math.max(INPUT_BUFFER, options.maxBody()) : INPUT_BUFFER);
            link = new RelayLink(endpoint, channel, tls, selector, reader, stream, clock);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
        if (aborted) {
            // abort() may have come before there was a link to be closed.
            link.close();
        } else if (options.plain()) {
            link.openPlain();
            reconnector.welcomed();
            emit(new SessionEvent.ConnectedPlain(endpoint));
        } else {
            options.checkSecrecy(endpoint, channel);
            link.greet(stream.hello(), options.handshakeTimeout().toNanos());
        }
    }

    private void awaitWelcome() throws IOException {
        while (!link.isOpen() && !isDone()) {
            boolean written = link.flush();
            await(written ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    /** One write at most, and what has come meanwhile. */
    private void transfer() throws IOException {
        int most = mostPerWrite;
        if (link.hasOutput()) {
            int toBoundary = sent.toBoundary();
            if (toBoundary == 0) {
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
            // A relay that says something to a plain publisher ends its connection: the next write finds out.
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

    /** Waits until the socket is ready for one of {@code ops}, somebody wakes us up, or the relay is too silent. */
    private void await(int ops) throws IOException {
        takeInterrupt();
        readable = link.hasInput();
        if (!readable) {
            link.key().interestOps(link.isSent() ? ops : ops | SelectionKey.OP_WRITE);
            selector.select(noteReady, link.waitMillis());
        }
        if (!readable || read() == 0) {
            link.checkSilence();
        }
    }

    /** A listener has left it behind on this thread, which would not wait any more, but spin. */
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

    /** A relay that objects to the last messages says so only now; one that has acknowledged all has nothing to say. */
    private void listenForTheLastWord() throws IOException {
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

    /** Returns whether there is to be another connection. */
    private boolean lost(IOException end) {
        Endpoint endpoint = reconnector.current();
        if (link != null && end instanceof FrameException fault && sent.toBoundary() == 0) {
            link.tell(fault);
        }
        closeLink();
        if (queue.isDrained()) {
            if (!options.acks()) {
                fail(end);
            }
            return false;
        }
        if (!options.acks() && sent.bytesOfConnection() > 0) {
            emit(new SessionEvent.InDoubt(endpoint, sent.messagesOfConnection(), sent.bytesOfConnection()));
        }
        IOException gaveUp = triedInVain(end);
        if (gaveUp == null) {
            return true;
        }
        // Who hears of it finds the publisher failed.
        fail(gaveUp);
        emit(new SessionEvent.GaveUp(endpoint, gaveUp));
        return false;
    }

    /** Why the publisher gives up; null: there will be another try. */
    private IOException triedInVain(IOException end) {
        Endpoint endpoint = reconnector.current();
        IOException gaveUp = reconnector.failed(end);
        if (gaveUp == null) {
            emit(new SessionEvent.Lost(endpoint, end, Duration.ofNanos(Math.max(0, reconnector.waitNanos()))));
        }
        return gaveUp;
    }

    private void fail(IOException cause) {
        if (queue.fail(cause)) {
            LOG.warn("publisher to {}: {}", reconnector.current(), cause.getMessage());
        }
    }

    private void emit(SessionEvent event) {
        LOG.debug("publisher: {}", event.text());
        options.onEvent().accept(event);
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
