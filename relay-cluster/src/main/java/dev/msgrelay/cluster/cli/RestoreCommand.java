package dev.msgrelay.cluster.cli;

import dev.msgrelay.cluster.ClusterRestore;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code relay-cluster restore}. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description = {
            "Restores a node that has lost its disk, or was away for too long.",
            "Gets the last snapshot and the log after it from the other nodes, which must run. The node itself must not"
                    + " run; start it afterwards as usual."
        })
final class RestoreCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--cluster", paramLabel = "FILE", required = true, description = "The cluster's file.")
    private Path file;

    @Option(names = "--node", paramLabel = "N", required = true, description = "The node of this machine.")
    private int node;

    @Option(names = "--replace", description = "Deletes the log that the node still has.")
    private boolean replace;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        ClusterRestore.run(file, node, replace, line -> {
            out.println(line);
            out.flush();
        });
        return 0;
    }
}
