package dev.msgrelay.loadgen.measure;

import dev.msgrelay.protocol.net.Segments;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/** The MTU of a path's first interface, for reports. */
public final class PathMtu {
    private PathMtu() {}

    /** The MTU of the interface that this connection leaves by, 0 where it says none; a Unix socket gets loopback's. */
    public static int of(SocketChannel connection) throws IOException {
        return connection.getLocalAddress() instanceof InetSocketAddress local ? Segments.mtu(local) : loopback();
    }

    /** The MTU of this host's loopback interface. */
    public static int loopback() {
        return Segments.mtu(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Payload bytes of one segment over loopback. */
    public static int loopbackSegment() {
        return Segments.payload(loopback(), false);
    }
}
