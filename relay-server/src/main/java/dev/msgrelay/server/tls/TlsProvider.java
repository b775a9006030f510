package dev.msgrelay.server.tls;

import dev.msgrelay.server.net.Transport;
import io.netty.handler.ssl.OpenSsl;
import java.util.Locale;

/** The library that does TLS. */
public enum TlsProvider {
    /** BoringSSL if it is available, else the JDK. */
    AUTO,
    /** BoringSSL, through netty-tcnative. It takes less than half of the JDK's processor time for a byte. */
    BORINGSSL,
    /** The JDK's own TLS, which is available everywhere. */
    JDK;

    /** The provider's name on the command line. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the provider to use: for AUTO the JDK or BoringSSL, otherwise this provider.
     *
     * @throws IllegalArgumentException BoringSSL is chosen, but is not available here; the message contains the reason
     */
    public TlsProvider resolve() {
        if (this == JDK || (this == AUTO && !OpenSsl.isAvailable())) {
            return JDK;
        }
        if (!OpenSsl.isAvailable()) {
            throw new IllegalArgumentException("TLS provider " + flag() + " is not available here: " + why());
        }
        return BORINGSSL;
    }

    /** A text for people: the provider that {@link #resolve} chooses, and why. */
    public String text() {
        if (resolve() == BORINGSSL) {
            return OpenSsl.versionString() + " (" + (this == AUTO ? "auto: it is available here" : "as told") + ")";
        }
        return "the JDK's (" + (this == AUTO ? "auto: BoringSSL is not available here: " + why() : "as told") + ")";
    }

    private static String why() {
        return Transport.rootMessage(OpenSsl.unavailabilityCause())
                .lines()
                .findFirst()
                .orElse("");
    }
}
