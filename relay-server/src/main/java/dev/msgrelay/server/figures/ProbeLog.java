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
 * Says of which address a probe is to be told: once an hour of each, of at most {@value #MOST_ADDRESSES} addresses an hour. Any
 * thread.
 */
public final class ProbeLog {
    /** No line is due. */
    static final long NOT_NOW = -1;

    static final int MOST_ADDRESSES = 256;
    /** Bytes of an IPv6 address that a host may choose itself. */
    private static final int HOST_PART = 8;

    private static final long BETWEEN_NANOS = TimeUnit.HOURS.toNanos(1);

    private static final class Told {
        private long nanos;
        private long since;
    }

    // The key null stands for all Unix sockets.
    private final Map<InetAddress, Told> addresses = new HashMap<>();

    /** Notes a probe. Returns the number of earlier ones since the last line about the address, or {@link #NOT_NOW}. */
    synchronized long note(InetAddress from, long nowNanos) {
        Told told = addresses.get(from);
        if (told != null && nowNanos - told.nanos < BETWEEN_NANOS) {
            told.since++;
            return NOT_NOW;
        }
        if (told == null && addresses.size() == MOST_ADDRESSES) {
            addresses.values().removeIf(each -> nowNanos - each.nanos >= BETWEEN_NANOS);
            if (addresses.size() == MOST_ADDRESSES) {
                return NOT_NOW;
            }
        }
        if (told == null) {
            told = new Told();
            addresses.put(from, told);
        }
        long before = told.since;
        told.nanos = nowNanos;
        told.since = 0;
        return before;
    }

    /**
     * The address that is counted; null for a Unix socket. A host with IPv6 may choose among 2^64 addresses, another
     * one for each connection, so its first 64 bits are counted. On a link without a router (fe80::/10) all hosts have
     * the same first 64 bits: there the whole address is counted.
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
