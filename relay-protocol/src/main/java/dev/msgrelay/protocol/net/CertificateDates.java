package dev.msgrelay.protocol.net;

import dev.msgrelay.protocol.text.SecretText;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The dates between which the certificates of a file are valid. An invalid one at any place ends handshakes as an
 * invalid first one does.
 */
public final class CertificateDates {
    /** Time before the end in which a certificate expires soon: time enough to get a new one. */
    private static final long SOON_MILLIS = TimeUnit.DAYS.toMillis(14);

    /** Most lines: a bundle of all public authorities may have many old certificates. */
    private static final int MOST_LINES = 5;

    private CertificateDates() {}

    /**
     * Warnings about certificates of a file that are expired, expire soon, or are not yet valid; a line each, with
     * nothing of the certificates but their dates.
     *
     * @param certificates in the order of the file
     */
    public static List<String> warnings(Path file, List<X509Certificate> certificates, long nowMillis) {
        List<String> lines = new ArrayList<>();
        int more = 0;
        for (int i = 0; i < certificates.size(); i++) {
            String what = warning(certificates.get(i), nowMillis);
            if (!what.isEmpty() && lines.size() == MOST_LINES) {
                more++;
            } else if (!what.isEmpty()) {
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

    /** The end of a warning; empty: the dates are fine. */
    private static String warning(X509Certificate certificate, long nowMillis) {
        Instant from = certificate.getNotBefore().toInstant();
        Instant until = certificate.getNotAfter().toInstant();
        if (nowMillis < from.toEpochMilli()) {
            return "is not yet valid: from " + from + " on";
        }
        if (nowMillis > until.toEpochMilli()) {
            return "has expired: " + until;
        }
        return until.toEpochMilli() - nowMillis < SOON_MILLIS ? "expires soon: " + until : "";
    }

    /** Milliseconds until the first of the certificates expires; below 0: one has expired, or is not yet valid. */
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
