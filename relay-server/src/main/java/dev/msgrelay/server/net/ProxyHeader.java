package dev.msgrelay.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol.TransportProtocol;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * The header of the PROXY protocol, version 1 or 2, gathered from reads that never go beyond its end. So the bytes of
 * the proxy's client stay in the socket for the connection's own handlers. Netty's codec decodes the whole header. The
 * codec cannot gather it, because where there is no header it waits for 108 bytes or the end of a line. Owned by one
 * thread.
 */
public final class ProxyHeader {
    /** The state of the header after a read. */
    public enum State {
        INCOMPLETE,
        WHOLE,
        /** The first bytes are those of no header. */
        ABSENT,
        /** The line of version 1 has no end within the bytes that it may have. */
        TOO_LONG,
        /** There is no memory for a long header of version 2. */
        NO_ROOM
    }

    /** The most bytes of a header of version 1, with the end of its line. */
    public static final int MOST_1 = 107;

    /** The most bytes of a header of version 2, the codec's limit and the protocol's. */
    public static final int MOST_2 = 16 + 65_535;

    /** The length of the shortest line of version 1: {@code PROXY UNKNOWN} and the end of its line. */
    private static final int LEAST_1 = 15;
    /** The length of the shortest header of version 2: signature, command, protocol and length of the rest. */
    private static final int LEAST_2 = 16;

    private static final int MOST_READ = 1 << 10;
    /** The fields of an address family of version 1: two addresses and two ports, after two words. */
    private static final int BLANKS_1 = 5;

    private static final byte[] NOTHING = {};

    private byte[] bytes = new byte[MOST_1];
    private int length;

    /** The number of bytes that have come. */
    public int length() {
        return length;
    }

    /** Gives the bytes up when no more come and {@link #client} has been asked. The length stays. */
    public void drop() {
        bytes = NOTHING;
    }

    /** The length of the whole header of version 2, once {@link #LEAST_2} bytes of it have come. */
    public int wholeLength() {
        return LEAST_2 + ((bytes[14] & 0xFF) << 8 | bytes[15] & 0xFF);
    }

    /** The most bytes that the next read may bring, at least one. None of them can be behind the header's end. */
    public int mostToRead() {
        if (length < LEAST_1) {
            return LEAST_1 - length;
        }
        if (begins(Stranger.PROXY_2)) {
            return length < LEAST_2 ? LEAST_2 - length : Math.min(MOST_READ, wholeLength() - length);
        }
        return Math.min(leastRest(), MOST_1 - length);
    }

    /** The number of bytes that a line of version 1 still lacks at least. */
    private int leastRest() {
        int end = bytes[length - 1] == '\r' ? 1 : 2;
        // The line of UNKNOWN may end anywhere.
        if (bytes[6] != 'T' || end == 1) {
            return end;
        }
        int blanks = 0;
        for (int i = 0; i < length; i++) {
            blanks += bytes[i] == ' ' ? 1 : 0;
        }
        return end + 2 * Math.max(0, BLANKS_1 - blanks);
    }

    /**
     * Adds bytes of a read that {@link #mostToRead} has limited.
     *
     * @param reserve takes memory for a long header of version 2, if there is any; its argument is in bytes
     */
    public State add(ByteBuf read, IntPredicate reserve) {
        int more = read.readableBytes();
        read.readBytes(bytes, length, more);
        length += more;
        boolean second = begins(Stranger.PROXY_2);
        if (!second && !begins(Stranger.PROXY_1)) {
            return State.ABSENT;
        }
        if (second) {
            return addSecond(reserve);
        }
        if (endsLine()) {
            return State.WHOLE;
        }
        return length == MOST_1 ? State.TOO_LONG : State.INCOMPLETE;
    }

    private State addSecond(IntPredicate reserve) {
        if (length < LEAST_2) {
            return State.INCOMPLETE;
        }
        int whole = wholeLength();
        if (whole > bytes.length) {
            if (!reserve.test(whole)) {
                return State.NO_ROOM;
            }
            bytes = Arrays.copyOf(bytes, whole);
        }
        return length == whole ? State.WHOLE : State.INCOMPLETE;
    }

    private boolean begins(Stranger version) {
        return version.mayBe(ByteBuffer.wrap(bytes), length);
    }

    /** Whether a line ends in the bytes. If it does not end them, it is shorter than any header, and is refused. */
    private boolean endsLine() {
        for (int i = 1; i < length; i++) {
            if (bytes[i - 1] == '\r' && bytes[i] == '\n') {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the address of the proxy's client, from a whole header; empty if it tells none. A proxy tells none for
     * its own connections, such as checks, or if its client has no address of TCP. Everything else in the header is
     * ignored.
     *
     * @throws IllegalArgumentException the header is malformed; the message is the codec's
     */
    public Optional<InetSocketAddress> client() {
        Decoded decoded = new Decoded();
        EmbeddedChannel codec = new EmbeddedChannel(new HAProxyMessageDecoder(), decoded);
        codec.pipeline().fireChannelRead(Unpooled.wrappedBuffer(bytes, 0, length));
        codec.close();
        if (!decoded.complete) {
            throw new IllegalArgumentException(decoded.fault);
        }
        return decoded.client;
    }

    /** The end of the codec's pipeline. The channel is not the client's, since the codec closes it after a fault. */
    private static final class Decoded extends ChannelInboundHandlerAdapter {
        private boolean complete;
        private String fault = "a part of the header is missing";
        private Optional<InetSocketAddress> client = Optional.empty();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!(message instanceof HAProxyMessage header)) {
                ((ByteBuf) message).release();
                return;
            }
            complete = true;
            if (header.command() == HAProxyCommand.PROXY
                    && header.proxiedProtocol().transportProtocol() == TransportProtocol.STREAM) {
                client = Optional.ofNullable(NetUtil.createInetAddressFromIpAddressString(header.sourceAddress()))
                        .map(address -> new InetSocketAddress(address, header.sourcePort()));
            }
            header.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            Throwable first = cause;
            while (first.getCause() != null) {
                first = first.getCause();
            }
            fault = String.valueOf(first.getMessage());
        }
    }
}
