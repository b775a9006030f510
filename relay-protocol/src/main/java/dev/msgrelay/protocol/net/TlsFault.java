package dev.msgrelay.protocol.net;

import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/**
 * The reason why a client's TLS with a relay has failed.
 *
 * @param text one line for people, which names the endpoint
 * @param certificateRefused whether the client has refused the relay's certificate
 */
public record TlsFault(String text, boolean certificateRefused) {
    private static final int MOST_CAUSES = 10;

    /** The reason behind a failure of the JDK's TLS, in words where the JDK's own ones tell a user little. */
    public static TlsFault of(Endpoint endpoint, SSLException failure) {
        String what = null;
        boolean refused = false;
        String last = String.valueOf(failure.getMessage());
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
            refused |= cause instanceof CertificateException;
            if (cause instanceof CertificateExpiredException) {
                what = "the relay's certificate has expired: " + cause.getMessage();
            } else if (cause instanceof CertificateNotYetValidException) {
                what = "the relay's certificate is not yet valid: " + cause.getMessage();
            }
            last = cause.getMessage() == null ? last : cause.getMessage();
        }
        if (what == null) {
            what = refused ? "the relay's certificate is refused: " + last : last;
        }
        if (last.startsWith("Received fatal alert: ") && last.contains("certificate")) {
            what = "the relay refuses this client's certificate, or wants one: " + last;
        } else if (last.toLowerCase(Locale.ROOT).contains("unrecognized ssl message")) {
            what = "the answer is no TLS: this port may be a plain one";
        }
        return new TlsFault("TLS with " + endpoint + " failed: " + what, refused);
    }
}
