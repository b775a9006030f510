package dev.msgrelay.cluster.cli;

import dev.msgrelay.cluster.ClusterRestore;
import dev.msgrelay.protocol.cli.ShortHelp;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code relay-cluster restore}. */
@ShortHelp(
        examples = {
            "relay-cluster restore --cluster cluster.conf --node 3",
            "relay-cluster restore --cluster cluster.conf --node 3 --replace"
        })
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        description = {
            "Restores a node that has lost its disk, or was away for too long.",
            "Gets the last snapshot and the log after it from the other nodes, which must run. The node itself must not"
                    + " run; start it afterwards as usual. After Ctrl-C or a failure the node has nothing."
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
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(() -> LocalCommand.askAndAwait(asked, ended), "relay-cluster-restore-ends"));
        try {
            boolean done = ClusterRestore.run(file, node, replace, asked, line -> {
                out.println(line);
                out.flush();
            });
            return done ? 0 : 1;
        } finally {
            ended.countDown();
        }
    }
}
