package dev.msgrelay.simulation;

import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.tls.TlsHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;

/**
 * A client's side of TLS, by the JDK: between what it says and gets, and the bytes of its channel. What it has wrapped
 * comes to the relay byte by byte, so that records come in pieces, those of the handshake as well.
 */
final class TlsClient {
    private static final int MOST_WAITING = 64 << 10;
    private static final int MOST_OF_A_RECORD = 16 << 10;
    private static final int LEAST_TYPE = 20;
    private static final int LAST_TYPE = 23;
    private static final int HEADER = 5;

    /** What somebody else says than a client of TLS. */
    private static final byte[][] GARBLED = {
        {(byte) 0x80, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4},
        {22, 3, 1, 0, 5, 99, 0, 0, 1, 0},
        {22, 3, 3, (byte) 255, (byte) 255, 1},
        {22, 3},
        {},
    };

    /** A record: where it ends in all that the relay gets, and what it brings. */
    private record Sent(long end, int bytes) {}

    private final World world;
    private final SimChannel channel;
    private final SslHandler handler;
    private final EmbeddedChannel tls = new EmbeddedChannel();
    private final ArrayDeque<Sent> sent = new ArrayDeque<>();
    private long wrapped;
    private long wasRead;
    // Wrapped, and not on its way.
    private final ByteBuf out = Unpooled.buffer();
    private final boolean garbled;
    // Whether a byte of the next record is changed on its way.
    boolean spoilsNext;
    private boolean began;
    private boolean withoutTls;
    private boolean over;
    private ChannelHandler handshake;
    private TlsHandler relaysSide;

    TlsClient(World world, SimChannel channel, boolean garbled) {
        this.world = world;
        this.channel = channel;
        this.garbled = garbled;
        SSLEngine engine = TlsPort.CLIENT.createSSLEngine();
        engine.setUseClientMode(true);
        handler = new SslHandler(engine);
        handler.setHandshakeTimeoutMillis(0);
        if (garbled) {
            out.writeBytes(GARBLED[world.below(GARBLED.length)]);
        } else {
            tls.config().setAllocator(new UnpooledByteBufAllocator(false, true));
            tls.pipeline().addLast(handler);
            takeWrapped();
        }
    }

    void placed() {
        relaysSide = TlsHandler.of(channel);
        handshake = relaysSide == null ? null : channel.pipeline().first();
    }

    /** Whether the relay takes its handshake as failed. */
    boolean failedThere() {
        String state = handshake == null ? "" : Sessions.get(handshake, "state").toString();
        return state.equals("LEFT") || state.equals("FAILED");
    }

    long recordsThere() {
        return Sessions.get(Sessions.get(relaysSide, "out"), "records");
    }

    boolean maySay() {
        return !garbled && !over && handler.handshakeFuture().isSuccess() && out.readableBytes() < MOST_WAITING;
    }

    /** Wraps this; {@link #flush} sends it. */
    void say(ByteBuf plain) {
        while (plain.isReadable()) {
            int bytes = Math.min(plain.readableBytes(), MOST_OF_A_RECORD);
            int begin = out.writerIndex();
            tls.writeOutbound(plain.readBytes(bytes));
            takeWrapped();
            sent.add(new Sent(wrapped, bytes));
            if (spoilsNext) {
                spoilsNext = false;
                int at = begin + HEADER + world.below(out.writerIndex() - begin - HEADER);
                out.setByte(at, ~out.getByte(at));
            }
        }
    }

    private void takeWrapped() {
        for (ByteBuf record = tls.readOutbound(); record != null; record = tls.readOutbound()) {
            wrapped += record.readableBytes();
            out.writeBytes(record);
            record.release();
        }
    }

    /** So many bytes of what is wrapped come to the relay. */
    void flush(int most) {
        channel.deliver(out.readSlice(Math.min(most, out.readableBytes())));
        out.discardReadBytes();
    }

    /** The rest of what was said comes, and a word that this is the end, if that is wanted and can be: answers that. */
    boolean finish(boolean tell) {
        boolean told = tell && maySay();
        if (told) {
            handler.closeOutbound();
            takeWrapped();
        }
        flush(Integer.MAX_VALUE);
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
    String took(byte[] bytes, Consumer<byte[]> taker) {
        if (!began && bytes.length > 0) {
            began = true;
            // Who is not let in is told so by a relay that does not speak TLS.
            withoutTls = bytes[0] < LEAST_TYPE || bytes[0] > LAST_TYPE;
        }
        if (withoutTls) {
            taker.accept(bytes);
        }
        if (over || garbled || withoutTls) {
            return null;
        }
        String wrong = null;
        try {
            tls.writeInbound(Unpooled.wrappedBuffer(bytes));
        } catch (DecoderException e) {
            wrong = e.toString();
        }
        takeWrapped();
        for (ByteBuf plain = tls.readInbound(); plain != null; plain = tls.readInbound()) {
            taker.accept(ByteBufUtil.getBytes(plain));
            plain.release();
        }
        over = wrong != null || handler.engine().isInboundDone();
        return wrong;
    }
}
