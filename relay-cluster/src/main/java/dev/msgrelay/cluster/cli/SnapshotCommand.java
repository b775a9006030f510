package dev.msgrelay.cluster.cli;

import dev.msgrelay.cluster.ClusterSnapshot;
import dev.msgrelay.protocol.cli.ShortHelp;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code relay-cluster snapshot}. */
@ShortHelp(examples = "relay-cluster snapshot --cluster cluster.conf --node 2")
@Command(
        name = "snapshot",
        mixinStandardHelpOptions = true,
        description = {
            "Makes each node of the cluster take a snapshot.",
            "A restarted node continues from its snapshot, and does not read the log from the beginning. Run this on"
                    + " the leader's machine; elsewhere it says so and does nothing."
        })
final class SnapshotCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--cluster", paramLabel = "FILE", required = true, description = "The cluster's file.")
    private Path file;

    @Option(names = "--node", paramLabel = "N", required = true, description = "The node of this machine.")
    private int node;

    @Override
    public Integer call() throws IOException {
        ClusterSnapshot.takeSnapshot(file, node);
        spec.commandLine().getOut().println("snapshot taken");
        return 0;
    }
}
