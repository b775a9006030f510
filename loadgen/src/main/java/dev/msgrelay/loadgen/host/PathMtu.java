package dev.msgrelay.loadgen.host;

import dev.msgrelay.protocol.net.Segments;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The MTU of loopback, and what its segments hold. */
public final class PathMtu {
    private PathMtu() {}

    /** The MTU of this host's loopback interface. */
    public static int loopback() {
        return Segments.mtu(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }
}
