package dev.msgrelay.loadgen.worker;

import dev.msgrelay.client.TlsOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How clients speak TLS 1.3: whom they trust, and what they show. Immutable. */
public final class Tls {
    private final Path ca;
    private final Path certificate;
    private final Path key;
    private final String name;

    /**
     * All files are PEM.
     *
     * @param ca authorities; null: those of the JDK
     * @param certificate to be shown, and its key; null: none
     * @param name that the relay's certificate has to be for; null: the endpoint's host
     */
    public Tls(Path ca, Path certificate, Path key, String name) {
        this.ca = ca;
        this.certificate = certificate;
        this.key = key;
        this.name = name;
    }

    /** As a worker is told by {@link #args}; null: it speaks no TLS. */
    static Tls of(WorkerArgs args) {
        return args.flag("tls")
                ? new Tls(args.path("tls-ca"), args.path("tls-cert"), args.path("tls-key"), args.text("tls-name", null))
                : null;
    }

    /** For the command line of a worker. */
    public List<String> args() {
        List<String> args = new ArrayList<>(List.of("--tls"));
        add(args, "--tls-ca", ca);
        add(args, "--tls-cert", certificate);
        add(args, "--tls-key", key);
        add(args, "--tls-name", name);
        return args;
    }

    private static void add(List<String> args, String option, Object value) {
        if (value != null) {
            args.addAll(List.of(option, value.toString()));
        }
    }

    /** For the classes of relay-client, whose TLS is the JDK's. */
    TlsOptions ofLibrary() {
        TlsOptions options = ca == null ? TlsOptions.system() : TlsOptions.trusting(ca);
        options = certificate == null ? options : options.showing(certificate, key);
        return name == null ? options : options.expecting(name);
    }
}
