package dev.msgrelay.client;

import dev.msgrelay.protocol.net.Endpoint;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells when the certificate that a client shows will end: once each where at most 30, 7, 1 and 0 days are left, and
 * anew for another certificate. One object for all connections of a client; owned by the thread that connects.
 */
final class OwnCertificate {
    /** The end of a client that shows no certificate. */
    static final long NONE = Long.MAX_VALUE;

    private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);
    private static final long[] TOLD_AT = {0, 1, 7, 30};

    private final Consumer<SessionEvent> listener;
    private final LongSupplier wallMillis;

    private long endMillis = NONE;
    private int told = TOLD_AT.length;

    /** @param wallMillis the time in milliseconds since 1970 */
    OwnCertificate(Consumer<SessionEvent> listener, LongSupplier wallMillis) {
        this.listener = listener;
        this.wallMillis = wallMillis;
    }

    /** Takes note of the certificate of the next connection, by its end in milliseconds since 1970. */
    void shows(long untilMillis) {
        if (untilMillis != endMillis) {
            endMillis = untilMillis;
            told = TOLD_AT.length;
        }
    }

    /** Tells the days that are left, if they have become few; called as a connection begins, and now and then later. */
    void look(Endpoint endpoint) {
        if (endMillis == NONE || told == 0) {
            return;
        }
        long days = -Math.floorDiv(wallMillis.getAsLong() - endMillis, DAY_MILLIS);
        int step = 0;
        while (step < TOLD_AT.length && days > TOLD_AT[step]) {
            step++;
        }
        if (step < told) {
            told = step;
            listener.accept(new SessionEvent.CertificateEnds(endpoint, days, endMillis));
        }
    }
}
