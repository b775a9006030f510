package dev.msgrelay.loadgen.plan;

import dev.msgrelay.client.ConnectionOptions;
import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.text.TextFile;
import java.io.IOException;
import java.nio.file.Path;

/**
 * How clients authenticate and encrypt: with TLS 1.3 or without, trusted authorities, client certificate and token.
 * Certificates are PEM files.
 *
 * @param ca certificates of the trusted authorities; null: those of the JDK
 * @param name name that the relay's certificate must have; null: the endpoint's host
 */
public record Access(boolean tls, Path ca, Path certificate, Path key, String name, Path tokenFile) {
    public static final Access OPEN = new Access(false, null, null, null, null, null);

    private static final int MOST_TOKEN_BYTES = 4_096;

    public static Access trusting(Path ca) {
        return new Access(true, ca, null, null, null, null);
    }

    /** Whether clients must use relay-client, since loadgen's own clients send neither token nor certificate. */
    public boolean needsLibrary() {
        return tls || tokenFile != null;
    }

    public <B extends ConnectionOptions.Builder<B>> B to(B options) throws IOException {
        if (tokenFile != null) {
            options.token(token());
        }
        if (!tls) {
            return options;
        }
        TlsOptions how = ca == null ? TlsOptions.system() : TlsOptions.trusting(ca);
        how = certificate == null ? how : how.showing(certificate, key);
        return options.tls(name == null ? how : how.expecting(name));
    }

    private Token token() throws IOException {
        try {
            return Token.of(TextFile.read(tokenFile, MOST_TOKEN_BYTES).strip());
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("cannot read the token of " + tokenFile + ": " + e.getMessage(), e);
        }
    }
}
