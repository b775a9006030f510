package dev.msgrelay.protocol.net;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;

/**
 * The payload of a TCP segment, and the size of writes that leave no short segment in the middle of a stream: over
 * loopback such writes move twice as much.
 *
 * <pre>
 *   MTU 1500:   | IP 20 (IPv6: 40) | TCP 20 | time stamps 12 | payload 1448 (IPv6: 1428) |
 * </pre>
 *
 * Two Linux hosts use the time-stamp option. A packet has its own limit, whatever the interface's MTU: 65,535 bytes
 * with IPv4, and 65,535 behind its header with IPv6. So loopback (MTU 65,536) carries 65,483 bytes with IPv4 and 65,464
 * with IPv6, as TCP_INFO of its connections shows.
 */
public final class Segments {
    /** Payload of a segment over Ethernet with IPv4; also the guess if nothing is known. */
    public static final int ETHERNET = 1_448;

    /**
     * Size of a write to a Unix socket, which has no segments: the kernel passes bytes on in pieces of about this size.
     */
    public static final int UNIX_PIECE = 64 << 10;

    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;
    private static final int TIME_STAMPS = 12;
    private static final int MAX_IPV4_PACKET = 65_535;
    private static final int MAX_IPV6_PACKET = 65_535 + IPV6_HEADER;

    private Segments() {}

    /**
     * Payload of one segment, in bytes; {@link #ETHERNET} for an MTU that leaves none.
     *
     * @param mtu MTU of the interface, in bytes
     */
    public static int payload(int mtu, boolean ipv6) {
        int packet = Math.min(mtu, ipv6 ? MAX_IPV6_PACKET : MAX_IPV4_PACKET);
        int payload = packet - (ipv6 ? IPV6_HEADER : IPV4_HEADER) - TCP_HEADER - TIME_STAMPS;
        return payload > 0 ? payload : ETHERNET;
    }

    /**
     * Payload of one segment of a connection, in bytes, by the interface that its local address belongs to; {@link
     * #UNIX_PIECE} for a Unix socket, {@link #ETHERNET} if the interface tells no MTU.
     */
    public static int payload(SocketAddress local) {
        if (!(local instanceof InetSocketAddress inet)) {
            return UNIX_PIECE;
        }
        return payload(mtu(inet), inet.getAddress() instanceof Inet6Address);
    }

    /** The MTU of the interface that a local address belongs to, in bytes; 0: unknown. */
    public static int mtu(InetSocketAddress local) {
        try {
            NetworkInterface leaving = NetworkInterface.getByInetAddress(local.getAddress());
            return leaving == null ? 0 : leaving.getMTU();
        } catch (SocketException e) {
            // The interface is gone, or may not be asked: a guess is good enough for the size of a write.
            return 0;
        }
    }

    /** The largest whole number of segments within {@code limit} bytes, at least one; in bytes. */
    public static int wholeUpTo(int limit, int payload) {
        return Math.max(payload, limit - limit % payload);
    }
}
