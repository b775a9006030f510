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
 * Limits the log lines about probes, which are connections that end before their first byte. There is one line an hour
 * for each of up to {@value #MOST_ADDRESSES} addresses. Any thread.
 */
public final class ProbeLog {
    static final long NOT_NOW = -1;

    static final int MOST_ADDRESSES = 256;
    /** The offset in an IPv6 address of the bytes that a host may choose itself. */
    private static final int HOST_PART = 8;

    private static final long BETWEEN_NANOS = TimeUnit.HOURS.toNanos(1);

    /** The time of the last line about an address, and the number of probes since then. */
    private static final class Line {
        private long nanos;
        private long leftOut;
    }

    // All connections through Unix sockets have the key null.
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
     * The address that stands for a peer when its connections are limited; null for a Unix socket. A host with IPv6 may
     * choose among 2^64 addresses for each connection, so only the first 64 bits count. Link-local addresses
     * (fe80::/10) all have the same first 64 bits, so their other bits count, too.
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
