package dev.msgrelay.loadgen.measure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.SocketChannel;

/** The MTU of a path's first interface, and the segment that follows from it. */
public final class PathMtu {
    /** IP and TCP headers of a segment, with the time-stamp option that Linux always uses. */
    private static final int SEGMENT_HEADERS = 40 + 12;

    /** An IP packet holds no more, even where the interface says 65,536. */
    private static final int MAX_IP_PACKET = 65_535;

    private static final int ETHERNET = 1_500;

    private PathMtu() {}

    /** The MTU of the interface that this connection leaves by; a Unix socket has none and gets loopback's. */
    public static int of(SocketChannel connection) throws IOException {
        return connection.getLocalAddress() instanceof InetSocketAddress local ? of(local.getAddress()) : loopback();
    }

    /** The MTU of this host's loopback interface. */
    public static int loopback() throws IOException {
        return of(InetAddress.getLoopbackAddress());
    }

    /** Bytes of one whole segment: 65,483 on Linux' loopback, 1,448 on Ethernet. */
    public static int segment(int mtu) {
        return Math.min(mtu, MAX_IP_PACKET) - SEGMENT_HEADERS;
    }

    /** As many whole segments as fit into so many bytes, at least one. */
    public static int wholeSegments(int mtu, int bytes) {
        int segment = segment(mtu);
        return Math.max(1, bytes / segment) * segment;
    }

    private static int of(InetAddress address) throws IOException {
        NetworkInterface leaving = NetworkInterface.getByInetAddress(address);
        return leaving == null ? ETHERNET : leaving.getMTU();
    }
}
