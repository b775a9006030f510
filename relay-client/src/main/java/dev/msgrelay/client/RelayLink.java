package dev.msgrelay.client;

import dev.msgrelay.protocol.BulkFrameConsumer;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.GoAwayFrame;
import dev.msgrelay.protocol.PingFrame;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.protocol.RetryAfterFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection of a client, from its start to its end: the common part of a subscriber and a publisher. A link waits
 * for WELCOME, ignores messages before it, answers PING, and notices when the relay is silent for too long. In the
 * plain mode, without HELLO, the link is open from the start, ignores silence, and sends no control frames.
 *
 * <p>Owned by one thread; {@link #close} and {@link #signOfLife} may be called on any.
 */
final class RelayLink implements AutoCloseable {
    /** The part that differs between subscriber and publisher. An exception of a handler ends the connection. */
    interface Handler {
        void onMessage(int type, ByteBuffer body) throws IOException;

        /** Whether {@link #onMessages} is to be asked first, in the next read. */
        default boolean takesRuns() {
            return false;
        }

        /** Takes messages from the bytes of a read, as {@link BulkFrameConsumer#onFrames}. */
        default int onMessages(ByteBuffer source, int from, int to) {
            return 0;
        }

        void onWelcome(WelcomeFrame welcome) throws IOException;

        /** Takes a PING behind WELCOME, which is checked already. */
        void onPing(ByteBuffer body) throws IOException;

        void onGoAway(GoAwayFrame goAway);

        /** Takes RETRY_AFTER, which may come at any time, also in the plain mode; in ms. */
        void onRetryAfter(int millis);

        /** Takes any other control frame behind WELCOME; {@link #unexpected} is for frames that must not come. */
        void onControl(int type, ByteBuffer body) throws IOException;
    }

    /** Size of the output buffer: a HELLO or SUBSCRIBE, at most about 8.5 KiB, and a thousand PONGs. */
    private static final int OUT_BUFFER = 32 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(RelayLink.class);

    private final Endpoint endpoint;
    private final SocketChannel channel;
    // Null: without TLS.
    private final TlsChannel tls;
    private final ReadableByteChannel source;
    private final GatheringByteChannel sink;
    private final SelectionKey key;
    private final FrameReader reader;
    private final Handler handler;
    private final LongSupplier clock;
    private final FrameConsumer onFrame = this::onFrame;
    private final BulkFrameConsumer onFrames = new BulkFrameConsumer() {
        @Override
        public int onFrames(ByteBuffer from, int offset, int to) {
            return open && failure == null && !closed ? handler.onMessages(from, offset, to) : 0;
        }

        @Override
        public void onFrame(int type, ByteBuffer body) {
            RelayLink.this.onFrame(type, body);
        }
    };
    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BUFFER);
    // Held to write: a sign of life comes from another thread, and never within a frame.
    private final Object writing = new Object();
    private final ByteBuffer sign =
            ByteBuffer.allocateDirect(PongFrame.FRAME_LENGTH).limit(0);
    private volatile int heartbeatMillis;
    // Whether there was a read since the last look for one, or the thread waits for something to read.
    private volatile boolean hasRead;
    private volatile boolean waits;

    private boolean tokenMayChange;
    private boolean plain;
    private boolean open;
    private boolean ended;
    private long silentSince;
    private long tlsReceived;
    private long patienceNanos;
    private IOException failure;
    private volatile boolean closed;

    /**
     * A link over a connected channel.
     *
     * @param tls TLS over the channel; null: without TLS
     * @param selector wakes the link's thread; null: {@link #read} blocks until there are bytes, and nothing is written
     * @throws IOException the channel is closed already; the caller closes it
     */
    RelayLink(
            Endpoint endpoint,
            SocketChannel channel,
            TlsChannel tls,
            Selector selector,
            FrameReader reader,
            Handler handler,
            LongSupplier clock)
            throws IOException {
        this.endpoint = endpoint;
        this.channel = channel;
        this.tls = tls;
        this.source = tls == null ? channel : tls;
        this.sink = tls == null ? channel : tls;
        this.reader = reader;
        this.handler = handler;
        this.clock = clock;
        channel.configureBlocking(selector == null);
        this.key = selector == null ? null : channel.register(selector, SelectionKey.OP_READ);
    }

    /** Whether the next connection may have another token, so that an unknown one is no reason to give up. */
    void tokenMayChange(boolean may) {
        tokenMayChange = may;
    }

    /** Sends HELLO; the relay has {@code patience} nanoseconds for its WELCOME. */
    void greet(ByteBuffer hello, long patience) throws IOException {
        silentSince = clock.getAsLong();
        patienceNanos = patience;
        out.put(hello);
        flush();
    }

    void openPlain() {
        plain = true;
        open = true;
    }

    /** Whether WELCOME has come, or the mode is plain. */
    boolean isOpen() {
        return open;
    }

    /** Whether the relay has ended its stream between two frames, without an ERROR. */
    boolean hasEnded() {
        return ended;
    }

    GatheringByteChannel sink() {
        return sink;
    }

    /** Whether the socket has taken all written bytes; always true without TLS. */
    boolean isSent() throws IOException {
        return tls == null || tls.flush();
    }

    /** Whether a read may bring bytes without new ones in the socket. */
    boolean hasInput() {
        return tls != null && tls.hasInput();
    }

    void endOutput() throws IOException {
        if (tls == null) {
            channel.shutdownOutput();
        } else {
            tls.endOutput();
        }
    }

    SocketAddress localAddress() throws IOException {
        return channel.getLocalAddress();
    }

    SelectionKey key() {
        return key;
    }

    /**
     * Reads once, and hands whole frames to the handler.
     *
     * @return the bytes read; 0: there are none now, only with a selector
     * @throws IOException the connection has ended; frames before its end were handed over
     */
    int read() throws IOException {
        int n;
        if (!hasRead) {
            hasRead = true;
        }
        try {
            n = reader.read(source, handler.takesRuns() ? onFrames : onFrame);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            boolean saysAll = e instanceof EOFException || e instanceof FrameException || e instanceof TlsException;
            throw reasonOfEnd(saysAll ? e : connectionLost(e));
        }
        ended = failure == null && n < 0;
        if (failure != null || n < 0) {
            throw reasonOfEnd(new EOFException("the relay at " + endpoint + " closed the connection"));
        }
        if (!open) {
            // Messages before WELCOME do not extend the time for it.
            checkSilence();
        } else if (!plain && (n > 0 || tls != null && tls.bytesReceived() != tlsReceived)) {
            silentSince = clock.getAsLong();
        }
        tlsReceived = tls == null ? 0 : tls.bytesReceived();
        return n;
    }

    /** Throws if the relay has been silent for too long; called when there was nothing to read. */
    void checkSilence() throws IOException {
        if (!plain && leftNanos() <= 0) {
            long ms = TimeUnit.NANOSECONDS.toMillis(patienceNanos);
            throw new IOException(
                    open
                            ? "nothing was heard of the relay at " + endpoint + " for " + ms + " ms"
                            : "no WELCOME from " + endpoint + " within " + ms + " ms");
        }
    }

    /** Milliseconds until {@link #checkSilence} may fail, for a selector; at least 1; 0: never. */
    long waitMillis() {
        return plain ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos()) + 1);
    }

    boolean hasOutput() {
        synchronized (writing) {
            return out.position() > 0 || sign.hasRemaining();
        }
    }

    /** Queues a control frame; returns false if there is no room for it now. */
    boolean send(ByteBuffer frame) {
        synchronized (writing) {
            if (frame.remaining() > out.remaining()) {
                return false;
            }
            out.put(frame);
            return true;
        }
    }

    /**
     * Writes queued control frames, as far as the socket takes them; only between two messages.
     *
     * @return whether the queue is empty
     */
    boolean flush() throws IOException {
        try {
            return write();
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw writeFailed(e);
        }
    }

    private boolean write() throws IOException {
        synchronized (writing) {
            if (sign.hasRemaining()) {
                sink.write(sign);
            }
            if (!sign.hasRemaining() && out.position() > 0) {
                out.flip();
                try {
                    sink.write(out);
                } finally {
                    out.compact();
                }
            }
            return !sign.hasRemaining() && out.position() == 0 && isSent();
        }
    }

    /** Whether its thread now waits for something to read. */
    void waits(boolean now) {
        waits = now;
    }

    /** The relay's interval of PINGs, in ms; 0: there was no WELCOME yet, or the connection is closed. */
    int heartbeatMillis() {
        return closed ? 0 : heartbeatMillis;
    }

    /**
     * Sends an unasked PONG, with the id 0 that no relay gives a PING, if this client has not read since the last call:
     * its PONGs lie behind what it does not read. Called once a heartbeat, on any thread.
     */
    void signOfLife() {
        if (waits || hasRead) {
            hasRead = false;
            return;
        }
        synchronized (writing) {
            // What waits already is a sign of life, too.
            if (out.position() == 0 && !sign.hasRemaining()) {
                PongFrame.put(sign.clear(), 0);
                sign.flip();
            }
            try {
                write();
            } catch (IOException e) {
                // The reader hears of the end by itself.
                LOG.debug("a sign of life for {}", endpoint, e);
            }
        }
    }

    /**
     * The reason of a failed write: an ERROR that the relay sent before it ended the connection is still to be read.
     */
    IOException writeFailed(IOException e) {
        readLastWord();
        return reasonOfEnd(connectionLost(e));
    }

    /** Tells the relay which rule it broke, if the socket takes the ERROR at once; only between two messages. */
    void sendError(FrameException fault) {
        if (plain) {
            return;
        }
        try {
            synchronized (writing) {
                if (write()) {
                    sink.write(ErrorFrame.encode(fault.reason(), fault.getMessage()));
                }
            }
        } catch (IOException e) {
            LOG.debug("telling {} about {}", endpoint, fault.getMessage(), e);
        }
    }

    /** Closes the connection. The handler gets no further frame, not even from a read under way. */
    @Override
    public void close() {
        closed = true;
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing the connection to {}", endpoint, e);
        }
    }

    /** The exception for a control frame that must not come, or not now. */
    static FrameException unexpected(int type, String when) {
        return new FrameException(CloseReason.PROTOCOL_ORDER, ControlFrames.name(type) + " from the relay " + when);
    }

    private void onFrame(int type, ByteBuffer body) {
        if (failure != null || closed) {
            return;
        }
        try {
            if (!ControlFrames.isControl(type)) {
                if (open) {
                    handler.onMessage(type, body);
                }
            } else {
                onControl(type, body);
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    private void onControl(int type, ByteBuffer body) throws IOException {
        if (type == ControlFrames.ERROR) {
            throw error(body);
        }
        if (type == ControlFrames.RETRY_AFTER) {
            RetryAfterFrame.check(body);
            handler.onRetryAfter(RetryAfterFrame.millis(body));
            return;
        }
        if (ControlFrames.mustUnderstand(type)) {
            throw new FrameException(CloseReason.UNSUPPORTED, ControlFrames.name(type) + " is not known here");
        }
        if (plain) {
            return;
        }
        switch (type) {
            case ControlFrames.WELCOME -> onWelcome(body);
            case ControlFrames.PING -> onPing(body);
            case ControlFrames.GOAWAY -> {
                requireOpen(type);
                handler.onGoAway(GoAwayFrame.decode(body));
            }
            case ControlFrames.HELLO, ControlFrames.SUBSCRIBE -> throw unexpected(type, "is for clients to send");
            case ControlFrames.PONG,
                    ControlFrames.SEQUENCE,
                    ControlFrames.GAP,
                    ControlFrames.ACK,
                    ControlFrames.SUBSCRIBED -> {
                requireOpen(type);
                handler.onControl(type, body);
            }
            default -> LOG.debug("passing over {} from {}", ControlFrames.name(type), endpoint);
        }
    }

    private IOException error(ByteBuffer body) {
        RelayErrorException error = RelayErrorException.of(body, tokenMayChange);
        boolean likeNoHello =
                error.reason() == CloseReason.RESERVED_TYPE || error.reason() == CloseReason.UNEXPECTED_INPUT;
        if (!open && likeNoHello) {
            return new RelayUnsuitableException(
                    "the relay at " + endpoint + " knows no HELLO (" + error.getMessage()
                            + "). Use the plain mode with it",
                    error);
        }
        return error;
    }

    private void onWelcome(ByteBuffer body) throws IOException {
        if (open) {
            throw unexpected(ControlFrames.WELCOME, "for the second time");
        }
        WelcomeFrame welcome = WelcomeFrame.decode(body);
        if (welcome.version() != Protocol.VERSION) {
            throw new FrameException(
                    CloseReason.UNSUPPORTED,
                    "WELCOME chooses version " + welcome.version() + ", only " + Protocol.VERSION + " was offered");
        }
        open = true;
        patienceNanos = TimeUnit.MILLISECONDS.toNanos(welcome.idleTimeoutMillis());
        heartbeatMillis = welcome.heartbeatMillis();
        handler.onWelcome(welcome);
    }

    private void onPing(ByteBuffer body) throws IOException {
        requireOpen(ControlFrames.PING);
        PingFrame.check(body);
        handler.onPing(body);
        synchronized (writing) {
            if (out.remaining() < PongFrame.FRAME_LENGTH) {
                throw new IOException("the relay at " + endpoint + " asks with PING and takes no answers");
            }
            PongFrame.put(out, PingFrame.id(body));
        }
    }

    private void requireOpen(int type) throws FrameException {
        if (!open) {
            throw unexpected(type, "before WELCOME");
        }
    }

    private long leftNanos() {
        return silentSince + patienceNanos - clock.getAsLong();
    }

    /** The reason of the connection's end: the relay's own ERROR goes before the way in which the stream ended. */
    private IOException reasonOfEnd(IOException how) {
        if (failure != null) {
            return failure;
        }
        // A reset connection does not tell whether the relay knows HELLO; an orderly end before WELCOME may.
        return open || !(how instanceof EOFException) ? how : new NoWelcomeException(endpoint, how);
    }

    private IOException connectionLost(IOException e) {
        return new IOException("connection to " + endpoint + " lost: " + e.getMessage(), e);
    }

    private void readLastWord() {
        try {
            while (failure == null && reader.read(source, onFrame) > 0) {
                // Reads on until the ERROR frame is complete.
            }
        } catch (IOException e) {
            LOG.debug("no last word from {}", endpoint, e);
        }
    }
}
