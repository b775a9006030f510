package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.TlsConfig;
import dev.msgrelay.server.tls.TlsFiles;
import dev.msgrelay.server.tls.TlsProvider;
import java.nio.file.Path;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options of {@link TlsConfig}. */
final class TlsOptions {
    /** Options that a reload takes over, if TLS is on before and after. */
    static final Set<String> RELOADED = Set.of("tls-cert", "tls-key", "tls-clients", "tls-clients-optional");

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "The relay's certificate, PEM, followed by those of intermediate authorities. With it and "
                    + "--tls-key the relay listens for TLS 1.3, on ports beside the plain ones.")
    private Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "The certificate's private key, PEM, PKCS#8, not encrypted.")
    private Path key;

    @Option(
            names = "--tls-clients",
            paramLabel = "FILE",
            description = "Authorities, PEM: a client must show a certificate of one of them.")
    private Path clients;

    @Option(
            names = "--tls-clients-optional",
            fallbackValue = "true",
            description = "With --tls-clients: a client without a certificate may connect, too; one with a wrong "
                    + "certificate may not.")
    private boolean clientsOptional;

    @Option(
            names = "--tls-publish-port",
            paramLabel = "PORT",
            defaultValue = "" + TlsConfig.DEFAULT_PUBLISH_PORT,
            converter = Port.class,
            description = "TCP port for publishers with TLS, or none; 0: any free one.")
    private int publishPort;

    @Option(
            names = "--tls-subscribe-port",
            paramLabel = "PORT",
            defaultValue = "" + TlsConfig.DEFAULT_SUBSCRIBE_PORT,
            converter = Port.class,
            description = "TCP port for subscribers with TLS, or none; 0: any free one.")
    private int subscribePort;

    @Option(
            names = "--tls-provider",
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "The TLS library: ${COMPLETION-CANDIDATES}. auto: BoringSSL where it is available, else the "
                    + "JDK's.",
            completionCandidates = Candidates.TlsProviders.class)
    private TlsProvider provider;

    @Option(
            names = "--tls-size",
            paramLabel = "SIZE",
            defaultValue = "64m",
            converter = ByteSize.class,
            description =
                    "Memory for all TLS connections: 74k for each, and 66k more in each direction while it is busy. If it is "
                            + "used up, further connections are refused. At least 1m.")
    private int bytes;

    void applyTo(RelayConfig.Builder config) {
        // Each message begins with the setting's name, so that its place in file or environment is found.
        if (certificate != null && key == null) {
            throw new IllegalArgumentException(
                    "TLS cert " + SecretText.file(certificate) + " needs its key: --tls-key");
        }
        if (certificate == null && key != null) {
            throw new IllegalArgumentException(
                    "TLS key " + SecretText.file(key) + " needs its certificate: --tls-cert");
        }
        if (certificate == null && clients != null) {
            throw new IllegalArgumentException(
                    "TLS clients " + SecretText.file(clients) + " needs --tls-cert and --tls-key");
        }
        if (clients == null && clientsOptional) {
            throw new IllegalArgumentException("TLS clients optional needs --tls-clients");
        }
        config.tls(certificate == null ? null : new TlsFiles(certificate, key, clients, clientsOptional))
                .tlsPublishPort(publishPort)
                .tlsSubscribePort(subscribePort)
                .tlsProvider(provider)
                .tlsBytes(bytes);
    }
}
