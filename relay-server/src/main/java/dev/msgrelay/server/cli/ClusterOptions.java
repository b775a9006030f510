package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.RelayConfig;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of {@link dev.msgrelay.server.config.ClusterConfig}. */
final class ClusterOptions {
    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            description =
                    "Makes this relay one of several that are one: the file says who they are, and is the same for all of"
                            + " them. Needs relay-cluster.%n  Default: the relay is alone.")
    private Path file;

    @Option(names = "--node", paramLabel = "N", defaultValue = "0", description = "Which of them this one is.")
    private int node;

    void applyTo(RelayConfig.Builder config) {
        config.cluster(file, node);
    }
}
