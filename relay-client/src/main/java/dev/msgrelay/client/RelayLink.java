package dev.msgrelay.client;

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
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.EOFException;
import java.io.IOException;
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
 * One connection of a client that may say HELLO, from its making to its end: what is the same for a subscriber and a
 * publisher. It waits for WELCOME, throws away what comes before, answers PING, and knows when the relay has been silent
 * for too long. Without HELLO it is open from the start, never too silent, and says nothing itself.
 *
 * <p>One thread owns it; {@link #close} may be called from any.
 */
final class RelayLink implements AutoCloseable {
    /** What subscriber and publisher do differently. What they throw ends the connection. */
    interface Handler {
        void onMessage(int type, ByteBuffer body) throws IOException;

        void onWelcome(WelcomeFrame welcome) throws IOException;

        /** Behind WELCOME; checked. */
        void onPing(ByteBuffer body) throws IOException;

        void onGoAway(GoAwayFrame goAway);

        /** Any other control frame behind WELCOME; {@link #unexpected} is for those that may not come. */
        void onControl(int type, ByteBuffer body) throws IOException;
    }

    /** HELLO and SUBSCRIBE have at most about 8.5 KiB; beside one of them there is room for a thousand PONGs. */
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
    private final ByteBuffer out = ByteBuffer.allocateDirect(OUT_BUFFER);

    private boolean plain;
    private boolean open;
    private boolean ended;
    private long silentSince;
    private long tlsCame;
    private long patienceNanos;
    private IOException failure;
    private volatile boolean closed;

    /**
     * Takes a connection over.
     *
     * @param tls over the channel; null: without
     * @param selector wakes its thread up; null: {@link #read} waits for bytes itself, and nothing is written
     * @throws IOException it is closed already; the caller closes it
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

    /** Says HELLO; the relay has so many nanoseconds for its WELCOME. */
    void greet(ByteBuffer hello, long patience) throws IOException {
        silentSince = clock.getAsLong();
        patienceNanos = patience;
        out.put(hello);
        flush();
    }

    /** Says nothing: the plain mode. */
    void openPlain() {
        plain = true;
        open = true;
    }

    /** Whether WELCOME has come, or the mode is plain. */
    boolean isOpen() {
        return open;
    }

    /** Whether the relay has ended its stream between two frames, and without a word. */
    boolean hasEnded() {
        return ended;
    }

    /** Where messages are written to. */
    GatheringByteChannel sink() {
        return sink;
    }

    /** Whether the socket has all that was written; without TLS it has. */
    boolean isSent() throws IOException {
        return tls == null || tls.flush();
    }

    /** Whether a read may bring something that the socket does not tell of. */
    boolean hasInput() {
        return tls != null && tls.hasInput();
    }

    /** Nothing more is written. */
    void endOutput() throws IOException {
        if (tls == null) {
            channel.shutdownOutput();
        } else {
            tls.endOutput();
        }
    }

    SelectionKey key() {
        return key;
    }

    /**
     * Reads once and hands over what is whole.
     *
     * @return the bytes read, 0 where there are none now, which is so only with a selector
     * @throws IOException the connection is over; what came before its end has been handed over
     */
    int read() throws IOException {
        int n;
        try {
            n = reader.read(source, onFrame);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            boolean saysAll = e instanceof EOFException || e instanceof FrameException || e instanceof TlsException;
            throw end(saysAll ? e : lost(e));
        }
        ended = failure == null && n < 0;
        if (failure != null || n < 0) {
            throw end(new EOFException("the relay at " + endpoint + " closed the connection"));
        }
        if (!open) {
            // What comes instead of WELCOME does not put its end off.
            checkSilence();
        } else if (!plain && (n > 0 || tls != null && tls.came() != tlsCame)) {
            silentSince = clock.getAsLong();
        }
        tlsCame = tls == null ? 0 : tls.came();
        return n;
    }

    /**
     * Nothing was to be read just now.
     *
     * @throws IOException that has been so for too long
     */
    void checkSilence() throws IOException {
        if (!plain && leftNanos() <= 0) {
            long ms = TimeUnit.NANOSECONDS.toMillis(patienceNanos);
            throw new IOException(
                    open
                            ? "nothing was heard of the relay at " + endpoint + " for " + ms + " ms"
                            : "no WELCOME from " + endpoint + " within " + ms + " ms");
        }
    }

    /** How long {@link #checkSilence} stays content, for a selector: in milliseconds, at least 1; 0: for ever. */
    long waitMillis() {
        return plain ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos()) + 1);
    }

    /** Whether control frames wait to be written. */
    boolean hasOutput() {
        return out.position() > 0;
    }

    /** Queues a control frame; false where there is no room for it now. */
    boolean send(ByteBuffer frame) {
        if (frame.remaining() > out.remaining()) {
            return false;
        }
        out.put(frame);
        return true;
    }

    /**
     * Writes the control frames that wait, as far as the socket takes them; the caller stands between two messages.
     *
     * @return whether none is left
     */
    boolean flush() throws IOException {
        if (out.position() == 0) {
            return isSent();
        }
        out.flip();
        try {
            sink.write(out);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            hearOut();
            throw end(lost(e));
        } finally {
            out.compact();
        }
        return out.position() == 0 && isSent();
    }

    /** Writing failed: a relay that has ended the connection said why before, and that is still there to be read. */
    IOException writeFailed(IOException e) {
        hearOut();
        return end(lost(e));
    }

    /** Tells the relay which rule it broke, if the socket takes it at once; the caller stands between two messages. */
    void tell(FrameException fault) {
        if (plain) {
            return;
        }
        try {
            if (flush()) {
                sink.write(ErrorFrame.encode(fault.reason(), fault.getMessage()));
            }
        } catch (IOException e) {
            LOG.debug("telling {} about {}", endpoint, fault.getMessage(), e);
        }
    }

    /** No frame is handed over any more, not even out of a read that is under way. */
    @Override
    public void close() {
        closed = true;
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing the connection to {}", endpoint, e);
        }
    }

    /** A control frame that may not come, or not now. */
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
            case ControlFrames.PONG -> requireOpen(type);
            case ControlFrames.SEQUENCE, ControlFrames.GAP, ControlFrames.ACK, ControlFrames.SUBSCRIBED -> {
                requireOpen(type);
                handler.onControl(type, body);
            }
            default -> LOG.debug("passing over {} from {}", ControlFrames.name(type), endpoint);
        }
    }

    private IOException error(ByteBuffer body) {
        RelayErrorException error = RelayErrorException.of(body);
        boolean likeNoHello =
                error.reason() == CloseReason.RESERVED_TYPE || error.reason() == CloseReason.UNEXPECTED_INPUT;
        if (!open && likeNoHello) {
            return new RelayUnsuitableException(
                    "the relay at " + endpoint + " knows no HELLO (" + error.getMessage()
                            + "). The plain mode works with such a one",
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
        handler.onWelcome(welcome);
    }

    private void onPing(ByteBuffer body) throws IOException {
        requireOpen(ControlFrames.PING);
        PingFrame.check(body);
        handler.onPing(body);
        if (out.remaining() < PongFrame.FRAME_LENGTH) {
            throw new IOException("the relay at " + endpoint + " asks with PING and takes no answers");
        }
        PongFrame.put(out, PingFrame.id(body));
    }

    private void requireOpen(int type) throws FrameException {
        if (!open) {
            throw unexpected(type, "before WELCOME");
        }
    }

    private long leftNanos() {
        return silentSince + patienceNanos - clock.getAsLong();
    }

    /** What has ended the connection: the relay's own word goes before how the stream ended after it. */
    private IOException end(IOException how) {
        if (failure != null) {
            return failure;
        }
        // A connection that was reset says nothing about what the relay knows.
        return open || !(how instanceof EOFException) ? how : new NoWelcomeException(endpoint, how);
    }

    private IOException lost(IOException e) {
        return new IOException("connection to " + endpoint + " lost: " + e.getMessage(), e);
    }

    private void hearOut() {
        try {
            while (failure == null && reader.read(source, onFrame) > 0) {
                // Until the ERROR frame is whole.
            }
        } catch (IOException e) {
            LOG.debug("no last word from {}", endpoint, e);
        }
    }
}
