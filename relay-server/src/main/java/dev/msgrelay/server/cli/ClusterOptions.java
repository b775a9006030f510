package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.RelayConfig;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options of {@link dev.msgrelay.server.config.ClusterConfig}. */
final class ClusterOptions {
    static final String FILE = "--cluster";

    @Option(
            names = FILE,
            paramLabel = "FILE",
            description =
                    "Makes this relay a node of a cluster: the block cluster { ... } of the file names the nodes. "
                            + "Options beside the block are read like those of --config. Needs relay-cluster.%n  Default: a "
                            + "single relay.")
    private Path file;

    @Option(
            names = "--node",
            paramLabel = "N",
            defaultValue = "0",
            description = "The number of this node in the cluster.")
    private int node;

    void applyTo(RelayConfig.Builder config) {
        config.cluster(file, node);
    }
}
