package dev.msgrelay.server.tls;

import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;

/** Describes why a handshake failed, with the same texts for both TLS libraries. */
public final class TlsFailure {
    private static final int MOST_CAUSES = 10;

    private TlsFailure() {}

    /** A text for people about a failed handshake. The text contains no bytes that the client has sent. */
    public static String describe(Throwable failure) {
        if (failure instanceof NotSslRecordException) {
            return "the client does not speak TLS";
        }
        if (failure instanceof ClosedChannelException) {
            return "closed within the handshake";
        }
        String last = "";
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "the client's certificate has expired: " + cause.getMessage();
            }
            if (cause instanceof CertificateNotYetValidException) {
                return "the client's certificate is not yet valid: " + cause.getMessage();
            }
            last = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        }
        String all = (failure.getMessage() + " " + last).toLowerCase(Locale.ROOT);
        if (all.contains("unable to find valid certification path") || all.contains("path does not chain")) {
            return "the client's certificate is not from a trusted authority: " + last;
        }
        if (all.contains("peer_did_not_return_a_certificate") || all.contains("empty client certificate chain")) {
            return "the client shows no certificate, which is required";
        }
        if (all.contains("unsupported_protocol")
                || all.contains("is not enabled or supported")
                || all.contains("are not accepted by server preferences")) {
            return "the client does not offer TLS 1.3: " + last;
        }
        if (all.contains("alert")) {
            return "the client has refused the handshake, perhaps because of the relay's certificate: " + last;
        }
        return failure instanceof RuntimeException ? "a malformed handshake: " + last : last;
    }
}
