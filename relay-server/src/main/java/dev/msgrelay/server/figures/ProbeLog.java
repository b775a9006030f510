package dev.msgrelay.server.figures;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits the lines about probes, which are connections without a byte: one an hour for each address, for at most
 * {@value #MOST_ADDRESSES} addresses an hour. Any thread.
 */
public final class ProbeLog {
    static final long NOT_NOW = -1;

    static final int MOST_ADDRESSES = 256;
    /** The offset of the bytes in an IPv6 address that a host may choose itself. */
    private static final int HOST_PART = 8;

    private static final long BETWEEN_NANOS = TimeUnit.HOURS.toNanos(1);

    /** The last line about an address, and the probes since then. */
    private static final class Line {
        private long nanos;
        private long leftOut;
    }

    // The key of all Unix sockets is null.
    private final Map<InetAddress, Line> addresses = new HashMap<>();

    /** Returns how many probes were left out since the address's last line; {@link #NOT_NOW} if no line is due. */
    synchronized long note(InetAddress from, long nowNanos) {
        boolean known = addresses.containsKey(from);
        if (!known && addresses.size() == MOST_ADDRESSES) {
            addresses.values().removeIf(each -> nowNanos - each.nanos >= BETWEEN_NANOS);
            if (addresses.size() == MOST_ADDRESSES) {
                return NOT_NOW;
            }
        }
        Line line = addresses.computeIfAbsent(from, address -> new Line());
        if (known && nowNanos - line.nanos < BETWEEN_NANOS) {
            line.leftOut++;
            return NOT_NOW;
        }
        long before = line.leftOut;
        line.nanos = nowNanos;
        line.leftOut = 0;
        return before;
    }

    /**
     * The address by which connections of a peer are limited; null for a Unix socket. A host with IPv6 may use another
     * of 2^64 addresses for each connection, so only the first 64 bits count. All hosts of a link without a router
     * (fe80::/10) have the same first 64 bits, so there the whole address counts.
     */
    public static InetAddress network(SocketAddress peer) {
        InetAddress address = peer instanceof InetSocketAddress inet ? inet.getAddress() : null;
        if (!(address instanceof Inet6Address) || address.isLinkLocalAddress()) {
            return address;
        }
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, HOST_PART, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
