package dev.msgrelay.client.cli;

import dev.msgrelay.client.ConnectionOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One of the two relays of {@code copy}.
 *
 * @param endpoints at least one, tried in turn
 * @param tls empty: without TLS
 * @param token proves the client's identity; none: no token is given
 * @param tokenFile file that the token is read from for each connection; empty: there is none
 */
record CopySide(List<Endpoint> endpoints, Optional<TlsOptions> tls, Token token, Optional<Path> tokenFile) {
    /** Ports of one role, with and without TLS, and its key in a context. */
    enum Role {
        FROM(Context.SUBSCRIBE, 7400, 7410),
        TO(Context.PUBLISH, 7401, 7411);

        private final String key;
        private final int plainPort;
        private final int tlsPort;

        Role(String key, int plainPort, int tlsPort) {
            this.key = key;
            this.plainPort = plainPort;
            this.tlsPort = tlsPort;
        }
    }

    /**
     * A side by its endpoints, or those of its context.
     *
     * @param text endpoints with commas between them; null: those of the context
     * @param context the side's own; the other side never gets its token
     * @throws IllegalArgumentException there is no endpoint, or a text is none
     * @throws IOException a file of the context cannot be read
     */
    static CopySide of(Role role, String text, Context context) throws IOException {
        String named = text != null ? text : context.value(role.key);
        if (named == null) {
            throw new IllegalArgumentException(role + " is missing: an endpoint, or " + role.key + " = ENDPOINT in --"
                    + role.name().toLowerCase(Locale.ROOT) + "-context");
        }
        Path ca = context.path(Context.TLS_CA);
        Path certificate = context.path(Context.TLS_CERT);
        Path key = context.path(Context.TLS_KEY);
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException(Context.TLS_CERT + " and " + Context.TLS_KEY + " go together");
        }
        Optional<TlsOptions> tls = EndpointOptions.tls(false, ca, certificate, key, context.value(Context.TLS_NAME));
        int port = tls.isEmpty() ? role.plainPort : role.tlsPort;
        Optional<Path> tokenFile = Optional.ofNullable(context.path(Context.TOKEN_FILE));
        return new CopySide(
                List.of(named.split("\\s*,\\s*")).stream()
                        .map(one -> Endpoint.parse(one, port))
                        .toList(),
                tls,
                tokenFile.isEmpty() ? Token.NONE : SessionOptions.token(tokenFile.get(), context),
                tokenFile);
    }

    /** Sets what a connection to this side needs. */
    <B extends ConnectionOptions.Builder<B>> B apply(B options, Duration connectTimeout, ReconnectPolicy reconnect)
            throws IOException {
        tls.ifPresent(options::tls);
        tokenFile.ifPresent(options::tokenFile);
        return options.token(token)
                .connectTimeout(connectTimeout)
                .handshakeTimeout(connectTimeout)
                .reconnect(reconnect);
    }
}
