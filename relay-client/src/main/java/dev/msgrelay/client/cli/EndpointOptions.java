package dev.msgrelay.client.cli;

import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.text.Durations;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options for endpoints, TLS and the context: the same words in every command. */
final class EndpointOptions {
    private static final Duration LEAST = Duration.ofMillis(1);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Parameters(
            arity = "0..*",
            paramLabel = "ENDPOINT",
            description =
                    "The relay: host, host:port, [ipv6]:port, port, :port or unix:path; several are tried in turn."
                            + " Default: those of --context, else 127.0.0.1:7400 to subscribe, and 127.0.0.1:7401 to publish;"
                            + " with TLS 7410 and 7411.")
    private List<String> endpoints;

    @Option(names = "--unix", paramLabel = "PATH", description = "The relay's Unix domain socket; like unix:PATH.")
    private Path unix;

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            description = "Give up connecting, or waiting for WELCOME, after this time, such as 500ms, 5s or 1m."
                    + " Default: ${DEFAULT-VALUE}.")
    private Duration connectTimeout;

    @Option(names = "--tls", description = "Speak TLS, and trust the authorities that the JDK trusts.")
    private boolean tls;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "Speak TLS, and trust only the authorities of this file, PEM.")
    private Path tlsCa;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "Speak TLS, and show this certificate, PEM; with --tls-key.")
    private Path tlsCert;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "The certificate's private key, PEM, PKCS#8, not encrypted.")
    private Path tlsKey;

    @Option(
            names = "--tls-name",
            paramLabel = "NAME",
            description = "The name that the relay's certificate must have. Default: the endpoint's host.")
    private String tlsName;

    @Option(
            names = "--context",
            paramLabel = "NAME",
            description = "A relay by its name: the client reads NAME.conf in the folder ~/.config/relay-client (or "
                    + "in $XDG_CONFIG_HOME/relay-client), with lines such as publish = host:port, subscribe ="
                    + " host:port, token-file = FILE, tls-ca = FILE. Default: RELAY_CONTEXT of the environment.")
    private String context;

    /** The context that is named; {@link Context#NONE}: none is. */
    Context context() throws IOException {
        String name = context != null ? context : System.getenv().getOrDefault("RELAY_CONTEXT", "");
        return context == null && name.isEmpty() ? Context.NONE : Context.read(name, System.getenv());
    }

    /**
     * The TLS options of the command line, completed from the context; empty: without TLS.
     *
     * @throws IOException the context cannot be read
     */
    Optional<TlsOptions> tls() throws IOException {
        Context named = context();
        Path ca = tlsCa != null ? tlsCa : named.path(Context.TLS_CA);
        Path certificate = tlsCert != null ? tlsCert : named.path(Context.TLS_CERT);
        Path key = tlsKey != null ? tlsKey : named.path(Context.TLS_KEY);
        String name = tlsName != null ? tlsName : named.value(Context.TLS_NAME);
        if ((certificate == null) != (key == null)) {
            throw new ParameterException(mixee.commandLine(), "--tls-cert and --tls-key go together");
        }
        return tls(tls, ca, certificate, key, name);
    }

    /**
     * TLS options of their parts; null: the part is not given. Empty: without TLS.
     *
     * @param asked whether TLS is wanted without any part
     */
    static Optional<TlsOptions> tls(boolean asked, Path ca, Path certificate, Path key, String name)
            throws IOException {
        if (!asked && ca == null && certificate == null && name == null) {
            return Optional.empty();
        }
        if (key != null) {
            SessionOptions.warnIfWide(key);
        }
        TlsOptions options = ca == null ? TlsOptions.system() : TlsOptions.trusting(ca);
        options = certificate == null ? options : options.showing(certificate, key);
        return Optional.of(name == null ? options : options.expecting(name));
    }

    /**
     * The endpoints of the command line, of the context, or the default; at least one.
     *
     * @param key key of the context
     * @param byDefault default without TLS, host and port
     * @param tlsPort default port with TLS
     * @throws IOException the context cannot be read
     */
    List<Endpoint> endpoints(String key, String byDefault, int tlsPort) throws IOException {
        if (unix != null && endpoints != null) {
            throw new ParameterException(
                    mixee.commandLine(),
                    "--unix " + unix + " and the endpoint '" + endpoints.get(0) + "' exclude each other");
        }
        if (unix != null) {
            return List.of(Endpoint.unix(unix));
        }
        String named = endpoints == null ? context().value(key) : null;
        List<String> texts = named != null ? List.of(named.split("\\s*,\\s*")) : endpoints;
        try {
            if (texts == null) {
                Endpoint usual = Endpoint.parse(byDefault);
                return List.of(tls().isEmpty() ? usual : usual.withPort(tlsPort));
            }
            int usualPort = tls().isEmpty() ? Endpoint.parse(byDefault).port() : tlsPort;
            return texts.stream().map(text -> Endpoint.parse(text, usualPort)).toList();
        } catch (IllegalArgumentException e) {
            String hint = key.equals(Context.PUBLISH) && named == null ? "; a message is given by --message" : "";
            throw new ParameterException(mixee.commandLine(), e.getMessage() + hint, e);
        }
    }

    boolean areGiven() {
        return unix != null || endpoints != null;
    }

    Duration connectTimeout() {
        check("--connect-timeout", connectTimeout, Duration.ofHours(1));
        return connectTimeout;
    }

    /** Checks that a time is within a millisecond and {@code most}. */
    void check(String option, Duration value, Duration most) {
        check(mixee, option, value, most);
    }

    /** As {@link #check(String, Duration, Duration)}, for a command without these options. */
    static void check(CommandSpec command, String option, Duration value, Duration most) {
        if (value.compareTo(LEAST) < 0 || value.compareTo(most) > 0) {
            throw new ParameterException(
                    command.commandLine(),
                    option + " " + Durations.format(value) + " is not within " + Durations.format(LEAST) + ".."
                            + Durations.format(most));
        }
    }

    /** Refuses a combination of options. */
    void refuse(boolean wrong, String words) {
        if (wrong) {
            throw new ParameterException(mixee.commandLine(), words);
        }
    }

    /** Checks that a number is within its limits; a wrong one is wrong usage. */
    void check(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    mixee.commandLine(), option + " " + value + " is not within " + least + ".." + most);
        }
    }
}
