package dev.msgrelay.loadgen.worker;

import dev.msgrelay.client.TlsOptions;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.protocol.net.PemFiles;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;

/** How clients speak TLS 1.3: whom they trust, and what they show. Immutable but for what is loaded once; any thread. */
public final class Tls {
    public static final String PROTOCOL = "TLSv1.3";

    private final Path ca;
    private final Path certificate;
    private final Path key;
    private final String name;
    private SslContext context;

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

    /**
     * A client's side of a connection to this relay: by BoringSSL where that is available, since what clients cost is
     * missing to the relay; else by the JDK.
     *
     * @throws IOException a file cannot be used; names it
     */
    SSLEngine engine(Endpoint relay) throws IOException {
        SSLEngine engine =
                context().newEngine(UnpooledByteBufAllocator.DEFAULT, name == null ? relay.host() : name, relay.port());
        engine.setUseClientMode(true);
        return engine;
    }

    private synchronized SslContext context() throws IOException {
        if (context == null) {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(SslContext.defaultClientProvider())
                    .protocols(PROTOCOL)
                    .endpointIdentificationAlgorithm("HTTPS");
            if (ca != null) {
                builder.trustManager(PemFiles.certificates(ca));
            }
            if (certificate != null) {
                List<X509Certificate> chain = PemFiles.certificates(certificate);
                builder.keyManager(PemFiles.privateKey(key, chain.get(0).getPublicKey()), chain);
            }
            context = builder.build();
            if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
                // A handshake that goes on where another one was would cost the relay next to nothing.
                sessions.setSessionCacheEnabled(false);
            }
        }
        return context;
    }
}
