package dev.msgrelay.server.net;

import dev.msgrelay.protocol.net.Segments;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import java.util.function.IntUnaryOperator;

/**
 * The payload bytes of one TCP segment of a connection. A write of a whole number of segments leaves no short segment
 * in the middle of the stream. On loopback this doubles the rate.
 *
 * <p>Linux reports each connection's size (the send MSS of TCP_INFO). The size may grow while the peer's window opens,
 * so Linux is asked again every 256 writes. Elsewhere the size follows from the interface's MTU ({@link Segments}).
 * Owned by the connection's thread.
 */
public final class SegmentSize {
    private static final int ASK_EVERY_WRITES = 256;

    private final EpollSocketChannel epoll;
    private final EpollTcpInfo info;
    private final IntUnaryOperator payload;
    private int bytes;
    private int writes;

    /** @param payload maps the bytes of a segment to its payload bytes, which are fewer under TLS */
    public SegmentSize(Channel channel, IntUnaryOperator payload) {
        this.epoll = channel instanceof EpollSocketChannel socket ? socket : null;
        this.info = epoll == null ? null : new EpollTcpInfo();
        this.payload = payload;
        this.bytes = payload.applyAsInt(epoll == null ? Segments.payload(channel.localAddress()) : Segments.ETHERNET);
        ask();
    }

    public int bytes() {
        return bytes;
    }

    /** Returns the bytes of as many whole segments as fit into {@code limit} bytes, but of at least one segment. */
    public int wholeUpTo(int limit) {
        return Segments.wholeUpTo(limit, bytes);
    }

    /** Called after each write, and after each read from a publisher. */
    public void countTransfer() {
        if (++writes >= ASK_EVERY_WRITES) {
            writes = 0;
            ask();
        }
    }

    private void ask() {
        if (epoll != null && epoll.isActive()) {
            epoll.tcpInfo(info);
            bytes = payload.applyAsInt(Math.max(512, (int) info.sndMss()));
        }
    }
}
