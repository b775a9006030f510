package dev.msgrelay.server.ops;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Says of which address a probe is to be told: once an hour of each, of at most {@value #MOST_ADDRESSES} addresses an hour. Any
 * thread.
 */
final class ProbeLog {
    /** No line is due. */
    static final long NOT_NOW = -1;

    static final int MOST_ADDRESSES = 256;
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
}
