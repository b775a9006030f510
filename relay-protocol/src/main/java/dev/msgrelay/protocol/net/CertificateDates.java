package dev.msgrelay.protocol.net;

import dev.msgrelay.protocol.text.SecretText;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** From when until when certificates hold, all of those in a file: one that does not ends handshakes as the first one does. */
public final class CertificateDates {
    /** Before the end: time enough for a new one. */
    private static final long SOON_MILLIS = TimeUnit.DAYS.toMillis(14);

    /** A bundle of all public authorities may have many that are old. */
    private static final int MOST_LINES = 5;

    private CertificateDates() {}

    /**
     * What is wrong with the dates of a file's certificates, or will soon be; a line each, and nothing of the certificates but
     * their dates.
     *
     * @param certificates in the order of the file
     */
    public static List<String> warnings(Path file, List<X509Certificate> certificates, long nowMillis) {
        List<String> lines = new ArrayList<>();
        int more = 0;
        for (int i = 0; i < certificates.size(); i++) {
            String what = warning(certificates.get(i), nowMillis);
            if (what != null && lines.size() == MOST_LINES) {
                more++;
            } else if (what != null) {
                String which = certificates.size() == 1
                        ? "the certificate"
                        : "certificate " + (i + 1) + " of " + certificates.size();
                lines.add(which + " in " + SecretText.file(file) + " " + what);
            }
        }
        if (more > 0) {
            lines.add(more + " more of the " + certificates.size() + " certificates in " + SecretText.file(file)
                    + " have expired, expire soon or are not yet valid");
        }
        return lines;
    }

    /** Null: nothing. */
    private static String warning(X509Certificate certificate, long nowMillis) {
        Instant from = certificate.getNotBefore().toInstant();
        Instant until = certificate.getNotAfter().toInstant();
        if (nowMillis < from.toEpochMilli()) {
            return "is not yet valid: from " + from + " on";
        }
        if (nowMillis > until.toEpochMilli()) {
            return "has expired: " + until;
        }
        return until.toEpochMilli() - nowMillis < SOON_MILLIS ? "expires soon: " + until : null;
    }

    /** For how long all of them hold; below 0: since when one has expired, or until when one is not yet valid. */
    public static long millisLeft(List<X509Certificate> certificates, long nowMillis) {
        long least = Long.MAX_VALUE;
        for (X509Certificate certificate : certificates) {
            least = Math.min(least, certificate.getNotAfter().getTime() - nowMillis);
            long before = nowMillis - certificate.getNotBefore().getTime();
            least = before < 0 ? Math.min(least, before) : least;
        }
        return least;
    }
}
