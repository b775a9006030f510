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
 * @param kind whose certificate is at fault, if one is
 */
public record TlsFault(String text, Kind kind) {
    private static final int MOST_CAUSES = 10;

    /** What a handshake has failed of. */
    public enum Kind {
        /** The client does not trust the relay's certificate, or its time is over: another file may mend that. */
        NOT_TRUSTED,
        /** The relay's certificate is for another name. */
        WRONG_NAME,
        /** The relay refuses the client's certificate, or wants one. */
        OWN_REFUSED,
        /** Anything else, such as no TLS at the other end. */
        OTHER
    }

    /** The reason behind a failure of the JDK's TLS, in words where the JDK's own ones tell a user little. */
    public static TlsFault of(Endpoint endpoint, SSLException failure) {
        String what = null;
        Kind kind = Kind.OTHER;
        String last = String.valueOf(failure.getMessage());
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                kind = isOfAnotherName(cause) ? Kind.WRONG_NAME : Kind.NOT_TRUSTED;
            }
            if (cause instanceof CertificateExpiredException) {
                what = "the relay's certificate has expired: " + cause.getMessage();
            } else if (cause instanceof CertificateNotYetValidException) {
                what = "the relay's certificate is not yet valid: " + cause.getMessage();
            }
            last = cause.getMessage() == null ? last : cause.getMessage();
        }
        if (what == null) {
            what = kind != Kind.OTHER ? "the relay's certificate is refused: " + last : last;
        }
        // Newer JDKs say the alert's name in brackets before these words.
        if (last.contains("Received fatal alert: ") && last.contains("certificate")) {
            what = "the relay refuses this client's certificate, or wants one: " + last;
            kind = Kind.OWN_REFUSED;
        } else if (last.toLowerCase(Locale.ROOT).contains("unrecognized ssl message")) {
            what = "the answer is no TLS: this port may be a plain one";
        }
        return new TlsFault("TLS with " + endpoint + " failed: " + what, kind);
    }

    /** The JDK has no class for this; its words are of no language but English. */
    private static boolean isOfAnotherName(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return failure.getClass() == CertificateException.class
                && (message.startsWith("No name matching") || message.startsWith("No subject alternative"));
    }
}
