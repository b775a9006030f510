package dev.msgrelay.server.transport;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;

/**
 * How many bytes one segment of a connection carries: a write that is a whole number of them leaves no short segment in
 * the middle of the stream, which on loopback alone is worth a factor of two.
 *
 * <p>Linux tells it per connection (the send MSS of TCP_INFO), and it may grow while the peer's window opens, so it is
 * asked again now and then. Elsewhere it follows from the interface's MTU. Owned by the connection's thread.
 */
public final class SegmentSize {
    /** Unix sockets know no segments; the kernel passes on what it is given in pieces of about this size. */
    private static final int UNIX_PIECE = 64 << 10;

    private static final int IPV4_HEADERS = 40;
    private static final int IPV6_HEADERS = 60;
    private static final int TIMESTAMPS = 12;
    /** The largest IP packet, whatever an interface says (loopback: 65,536). */
    private static final int MAX_PACKET = 65_535;

    private static final int ETHERNET_SEGMENT = 1448;
    private static final int ASK_EVERY_WRITES = 256;

    private final EpollSocketChannel epoll;
    private final EpollTcpInfo info;
    private int bytes;
    private int writes;

    private SegmentSize(EpollSocketChannel epoll, int bytes) {
        this.epoll = epoll;
        this.info = epoll == null ? null : new EpollTcpInfo();
        this.bytes = bytes;
        ask();
    }

    /** The segment size of a connected channel. */
    public static SegmentSize of(Channel channel) {
        if (channel instanceof EpollSocketChannel epoll) {
            return new SegmentSize(epoll, ETHERNET_SEGMENT);
        }
        return new SegmentSize(null, fromInterface(channel.localAddress()));
    }

    /** Payload bytes of one segment. */
    public int bytes() {
        return bytes;
    }

    /** The largest whole number of segments within {@code limit} bytes, at least one; in bytes. */
    public int wholeUpTo(int limit) {
        return Math.max(bytes, limit - limit % bytes);
    }

    /** Told after each write. */
    public void written() {
        if (++writes >= ASK_EVERY_WRITES) {
            writes = 0;
            ask();
        }
    }

    private void ask() {
        if (epoll != null && epoll.isActive()) {
            epoll.tcpInfo(info);
            bytes = Math.max(512, (int) info.sndMss());
        }
    }

    private static int fromInterface(SocketAddress local) {
        if (!(local instanceof InetSocketAddress inet)) {
            return UNIX_PIECE;
        }
        try {
            NetworkInterface itf = NetworkInterface.getByInetAddress(inet.getAddress());
            if (itf == null) {
                return ETHERNET_SEGMENT;
            }
            int headers = inet.getAddress() instanceof Inet6Address ? IPV6_HEADERS : IPV4_HEADERS;
            return Math.min(itf.getMTU(), MAX_PACKET) - headers - TIMESTAMPS;
        } catch (SocketException e) {
            return ETHERNET_SEGMENT;
        }
    }
}
