package dev.msgrelay.client;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;

/**
 * How many bytes one write carries at most while more wait: a whole number of this connection's segments, as many as
 * make up to 256 KiB. A stream of writes that each end on a short segment moves about half as much over loopback.
 *
 * <p>The JDK does not show a connection's segment, so it is derived from the interface's MTU.
 */
final class WriteSize {
    private static final int LARGEST = 256 << 10;
    private static final int MAX_IP_PACKET = 65535;
    private static final int IPV4_HEADER = 20;
    private static final int IPV6_HEADER = 40;
    private static final int TCP_HEADER = 20;
    private static final int TCP_TIMESTAMPS = 12;

    private WriteSize() {}

    static int of(SocketChannel channel) {
        try {
            return ofLocal(channel.getLocalAddress());
        } catch (IOException e) {
            // A connection is not given up for the sake of its best write size.
            return LARGEST;
        }
    }

    private static int ofLocal(SocketAddress local) throws IOException {
        if (!(local instanceof InetSocketAddress inet)) {
            return LARGEST;
        }
        NetworkInterface nic = NetworkInterface.getByInetAddress(inet.getAddress());
        int mtu = nic == null ? 0 : nic.getMTU();
        return mtu <= 0 ? LARGEST : ofMtu(mtu, inet.getAddress() instanceof Inet6Address);
    }

    static int ofMtu(int mtu, boolean ipv6) {
        int headers = (ipv6 ? IPV6_HEADER : IPV4_HEADER) + TCP_HEADER + TCP_TIMESTAMPS;
        int segment = Math.min(mtu, MAX_IP_PACKET) - headers;
        return segment <= 0 ? LARGEST : LARGEST / segment * segment;
    }
}
