package dev.msgrelay.simulation;

import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.channel.ChannelHandler;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * A client's side of TLS, by the JDK: between what it says and gets, and the bytes of its channel. What it has wrapped comes
 * to the relay byte by byte, so that records come in pieces, those of the handshake as well.
 */
final class TlsClient {
    /** Takes what was unwrapped. */
    interface Plain {
        void took(byte[] bytes, int length);
    }

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int MOST_WAITING = 64 << 10;
    private static final int LEAST_TYPE = 20;
    private static final int LAST_TYPE = 23;
    private static final int HEADER = 5;

    /** A record: where it ends in all that the relay gets, and what it brings. */
    private record Sent(long end, int bytes) {}

    private final World world;
    private final SimChannel channel;
    private final SSLEngine engine;
    private final ByteBuffer plain;
    private final ArrayDeque<Sent> sent = new ArrayDeque<>();
    private long wrapped;
    private long wasRead;
    // Wrapped, and not on its way.
    private ByteBuffer out = ByteBuffer.allocate(1 << 16);
    // Of a record that has not come whole.
    private ByteBuffer in = ByteBuffer.allocate(1 << 16);
    private boolean garbled;
    private boolean spoilsNext;
    private boolean over;
    private ChannelHandler handshake;
    private TlsHandler relaysSide;

    TlsClient(World world, SimChannel channel, SSLContext context) {
        this.world = world;
        this.channel = channel;
        engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
    }

    /** Says something else than a client of TLS would. */
    void garble() {
        garbled = true;
        byte[][] first = {
            {(byte) 0x80, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4},
            {22, 3, 1, 0, 5, 99, 0, 0, 1, 0},
            {22, 3, 3, (byte) 255, (byte) 255, 1},
            {22, 3},
            {},
        };
        out.put(first[world.below(first.length)]);
    }

    void begin() {
        if (!garbled) {
            try {
                engine.beginHandshake();
                shakeHands();
            } catch (SSLException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The relay has accepted it, or refused it. */
    void placed() {
        relaysSide = TlsHandler.of(channel);
        handshake = relaysSide == null ? null : channel.pipeline().first();
    }

    /** Whether the relay takes its handshake as failed. */
    boolean failedThere() {
        String state = handshake == null ? "" : Sessions.get(handshake, "state").toString();
        return state.equals("LEFT") || state.equals("FAILED");
    }

    /** Records that the relay has sent, as it counts them. */
    long recordsThere() {
        return Sessions.get(Sessions.get(relaysSide, "out"), "records");
    }

    /** Whether it may say something now. */
    boolean maySay() {
        return !garbled
                && !over
                && engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING
                && out.position() < MOST_WAITING;
    }

    /** Wraps this; {@link #flush} sends it. */
    void say(byte[] bytes, int offset, int length) {
        ByteBuffer from = ByteBuffer.wrap(bytes, offset, length);
        try {
            while (from.hasRemaining()) {
                int before = from.position();
                int begin = out.position();
                wrap(from);
                sent.add(new Sent(wrapped, from.position() - before));
                if (spoilsNext) {
                    spoilsNext = false;
                    int at = begin + HEADER + world.below(out.position() - begin - HEADER);
                    out.put(at, (byte) ~out.get(at));
                }
            }
        } catch (SSLException e) {
            world.fail("a client's TLS: " + e);
        }
    }

    /** A byte of the next record is changed on its way. */
    void spoilNext() {
        spoilsNext = true;
    }

    /** So many bytes of what is wrapped come to the relay. */
    void flush(int most) {
        int length = Math.min(most, out.position());
        if (length > 0) {
            channel.deliver(out.array(), 0, length);
            out.flip().position(length);
            out.compact();
        }
    }

    /** The rest of what was said comes, and a word that this is the end, if that is wanted and can be: answers that. */
    boolean finish(boolean tell) {
        boolean told = tell && maySay();
        try {
            if (told) {
                engine.closeOutbound();
                wrap(NOTHING);
            }
            flush(Integer.MAX_VALUE);
        } catch (SSLException e) {
            world.fail("a client's TLS: " + e);
        }
        return told;
    }

    /** The relay has read so many bytes: how many the connection may know of. */
    int wasRead(int length) {
        wasRead += length;
        int bytes = 0;
        while (!sent.isEmpty() && sent.peek().end() <= wasRead) {
            bytes += sent.remove().bytes();
        }
        return bytes;
    }

    /** The relay has sent this; null: that was right, else what was not. */
    String took(byte[] bytes, int length, Plain taker) {
        if (over) {
            return null;
        }
        in = roomFor(in, length).put(bytes, 0, length).flip();
        try {
            while (in.hasRemaining()) {
                int type = in.get(in.position());
                if (type < LEAST_TYPE || type > LAST_TYPE) {
                    // Who is not let in is told so by a relay that does not speak TLS.
                    byte[] rest = new byte[in.remaining()];
                    in.get(rest);
                    taker.took(rest, rest.length);
                } else if (!unwrap(taker)) {
                    break;
                }
            }
            in.compact();
            return null;
        } catch (SSLException e) {
            over = true;
            return e.toString();
        }
    }

    private boolean unwrap(Plain taker) throws SSLException {
        int before = in.position();
        SSLEngineResult result = engine.unwrap(in, plain.clear());
        if (result.getStatus() == Status.CLOSED) {
            over = true;
            in.position(in.limit());
            return false;
        }
        if (plain.position() > 0) {
            taker.took(plain.array(), plain.position());
        }
        shakeHands();
        return in.position() > before;
    }

    private void shakeHands() throws SSLException {
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_WRAP -> wrap(NOTHING);
                default -> {
                    return;
                }
            }
        }
    }

    private void wrap(ByteBuffer from) throws SSLException {
        out = roomFor(out, engine.getSession().getPacketBufferSize());
        int before = out.position();
        engine.wrap(from, out);
        wrapped += out.position() - before;
    }

    private static ByteBuffer roomFor(ByteBuffer buffer, int length) {
        return buffer.remaining() >= length
                ? buffer
                : ByteBuffer.allocate(2 * (buffer.position() + length)).put(buffer.flip());
    }
}
