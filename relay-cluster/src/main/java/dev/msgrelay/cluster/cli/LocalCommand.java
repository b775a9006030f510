package dev.msgrelay.cluster.cli;

import dev.msgrelay.protocol.cli.ShortHelp;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code relay-cluster local}: a cluster on this machine, to try it and to measure it. */
@ShortHelp(
        examples = {
            "relay-cluster local",
            "relay-cluster local --publish-port 7400 --subscribe-port 7401",
            "relay-cluster local --nodes 5 --relay-arg --policy=skip"
        })
@Command(
        name = "local",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        description = {
            "Runs a cluster on this machine.",
            "Prints the nodes' addresses. Ctrl-C ends the cluster and deletes its files."
        })
final class LocalCommand implements Callable<Integer> {
    private static final Duration START = Duration.ofSeconds(60);
    private static final long LOOK_MILLIS = 200;
    private static final long END_SECONDS = 15;

    @Spec
    private CommandSpec spec;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "3", description = "Number of nodes: 1, 3, 5 or 7.")
    private int nodes;

    @Option(names = "--sync", paramLabel = "N", defaultValue = "0", description = "0 or 1, as in a cluster's file.")
    private int sync;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "65504",
            description = "Size of datagrams, as in a cluster's file: 1408 fits into Ethernet, 65504 into loopback.")
    private int mtu;

    @Option(
            names = "--publish-port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "Port of node 1 for publishers; 0: any free one. The other nodes have free ones.")
    private int publishPort;

    @Option(
            names = "--subscribe-port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "Port of node 1 for subscribers; 0: any free one. The other nodes have free ones.")
    private int subscribePort;

    @Option(
            names = "--relay-arg",
            paramLabel = "ARG",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            description = "A further argument of each node's relay-server; repeatable.")
    private List<String> relayArgs = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        if (nodes < 1 || nodes > 7 || nodes % 2 == 0) {
            return refused("--nodes " + nodes + " is none of 1, 3, 5, 7");
        }
        if (sync != 0 && sync != 1) {
            return refused("--sync " + sync + " is neither 0 nor 1");
        }
        List<String> options = new ArrayList<>(List.of("--admin", "none"));
        options.addAll(relayArgs);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> askAndAwait(asked, ended), "relay-cluster-local-ends"));
        try (LocalCluster cluster = new LocalCluster(nodes, "sync = " + sync + ", mtu = " + mtu, options)) {
            cluster.sweepWhenGone();
            cluster.place(1, publishPort, subscribePort);
            for (int node = 1; node <= nodes; node++) {
                cluster.start(node);
            }
            cluster.awaitReady(START);
            for (int node = 1; node <= nodes; node++) {
                out.println("node " + node + ": publish at "
                        + cluster.publishAt(node).get(0) + ", subscribe at " + cluster.subscribe(node)
                        + (node == cluster.leader() ? ", leads" : ""));
            }
            out.flush();
            while (!asked.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                cluster.checkAllRun();
            }
            return 0;
        } finally {
            ended.countDown();
        }
    }

    private int refused(String why) {
        spec.commandLine().getErr().println("relay-cluster: " + why);
        return 2;
    }

    /** Ends a command and waits for its end, in a shutdown hook. */
    static void askAndAwait(CountDownLatch asked, CountDownLatch ended) {
        asked.countDown();
        try {
            ended.await(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
