package dev.msgrelay.cluster.cli;

import dev.msgrelay.cluster.ClusterNode;
import dev.msgrelay.cluster.Leader;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.cli.JvmLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.agrona.IoUtil;

/** Nodes of one cluster as processes of this machine, on loopback; {@link #close} ends them and removes their files. */
final class LocalCluster implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final int PORTS = 5;
    private static final long LOOK_MILLIS = 50;

    private final Path directory;
    private final String name;
    private final List<Socket> taken = new ArrayList<>();
    private final Map<Integer, Integer> clusterPorts = new TreeMap<>();
    private final Map<Integer, Integer> publishPorts = new TreeMap<>();
    private final Map<Integer, Integer> subscribePorts = new TreeMap<>();
    private final Map<Integer, Process> processes = new ConcurrentSkipListMap<>();
    private final List<String> options;
    private final Map<Integer, Map<String, String>> environments = new TreeMap<>();
    private volatile boolean keeps;
    // Removes the files if this process is killed.
    private Optional<Process> sweeper = Optional.empty();

    /** @param nodes 1, 3, 5 or 7 */
    LocalCluster(int nodes) throws IOException {
        this(nodes, "", List.of("--admin", "none"));
    }

    /**
     * @param nodes 1, 3, 5 or 7
     * @param settings further settings of the cluster's file
     * @param options further options of each node; {@code %d} stands for its number
     */
    LocalCluster(int nodes, String settings, List<String> options) throws IOException {
        this.options = options;
        this.directory = Files.createTempDirectory("relay-cluster");
        this.name = "local-" + ProcessHandle.current().pid() + "-"
                + ThreadLocalRandom.current().nextInt(1_000_000);
        try {
            for (int node = 1; node <= nodes; node++) {
                int first = takePorts();
                clusterPorts.put(node, first);
                publishPorts.put(node, first + 1);
                subscribePorts.put(node, first + 2);
            }
        } catch (IOException e) {
            releasePorts();
            throw e;
        }
        String members = clusterPorts.entrySet().stream()
                .map(node -> node.getKey() + " = \"" + HOST + ":" + node.getValue() + "\"")
                .collect(Collectors.joining("\n    "));
        Files.writeString(
                file(),
                "cluster {\n  name = \"" + name + "\"\n  directory = \"" + directory + "\"\n  " + settings
                        + "\n  members {\n    " + members + "\n  }\n}\n");
    }

    /**
     * Takes ports in a row, below those that the system assigns by itself, and returns the first. All are a node's for
     * UDP, and all but the first for TCP. The first one stays taken until {@link #close}, so no other cluster gets the
     * ports of a node that is not started yet, or is away.
     */
    private int takePorts() throws IOException {
        for (int tries = 0; tries < 200; tries++) {
            int port = 12_000 + PORTS * ThreadLocalRandom.current().nextInt(4_000);
            Socket first = new Socket();
            taken.add(first);
            try {
                first.bind(new InetSocketAddress(HOST, port));
            } catch (BindException inUse) {
                continue;
            }
            if (areFree(port)) {
                return port;
            }
            first.close();
        }
        throw new IOException("no " + PORTS + " ports in a row are free");
    }

    private static boolean areFree(int first) {
        for (int port = first; port < first + PORTS; port++) {
            try (DatagramSocket udp = new DatagramSocket(new InetSocketAddress(HOST, port));
                    Socket tcp = new Socket()) {
                tcp.bind(port == first ? null : udp.getLocalSocketAddress());
            } catch (IOException inUse) {
                return false;
            }
        }
        return true;
    }

    private void releasePorts() throws IOException {
        for (Socket socket : taken) {
            socket.close();
        }
    }

    Path file() {
        return directory.resolve("cluster.conf");
    }

    Path directory() {
        return directory;
    }

    /** The output of a node so far. */
    String said(int node) {
        try {
            Path output = output(node);
            return Files.exists(output) ? Files.readString(output) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path output(int node) {
        return directory.resolve("node-" + node + ".log");
    }

    /** Sets the ports of a node that is not started yet; 0: any free one. */
    void place(int node, int publishPort, int subscribePort) {
        if (publishPort > 0) {
            publishPorts.put(node, publishPort);
        }
        if (subscribePort > 0) {
            subscribePorts.put(node, subscribePort);
        }
    }

    /** Sets variables for later starts of a node. */
    void environment(int node, Map<String, String> variables) {
        environments.put(node, variables);
    }

    void start(int node) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--cluster", file().toString(), "--event-loops=1"));
        arguments.addAll(List.of("--node=" + node, "--publish-port=" + publishPorts.get(node)));
        arguments.add("--subscribe-port=" + subscribePorts.get(node));
        options.forEach(option -> arguments.add(option.replace("%d", Integer.toString(node))));
        processes.put(node, start(node, arguments));
    }

    /** Starts relay-server, with a node's file for its output. */
    Process start(int node, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(JvmLimits.of(arguments.toArray(String[]::new)));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData"));
        command.addAll(compilerFlags());
        command.addAll(ClusterNode.JVM_FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LocalNode.class.getName()));
        command.addAll(arguments);
        ProcessBuilder process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output(node).toFile()));
        // A service manager watches this process, not its nodes.
        process.environment().keySet().removeAll(List.of("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"));
        process.environment().putAll(environments.getOrDefault(node, Map.of()));
        return process.start();
    }

    /** This process's flags that limit the compiler, as in tests. */
    private static List<String> compilerFlags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-XX:TieredStopAtLevel="))
                .toList();
    }

    /** Kills a node at once, as a power cut of its machine would. */
    void kill(int node) throws InterruptedException {
        processes.remove(node).destroyForcibly().waitFor();
    }

    /** Ends a node as a service manager does, and returns its exit code. */
    int stop(int node) throws InterruptedException {
        Process process = processes.remove(node);
        // Process.destroy would close the node's stdin, which ends it at once.
        process.toHandle().destroy();
        return process.waitFor();
    }

    /** Stops a node's process, like the move of a virtual machine, or continues it. */
    void pause(int node, boolean stop) throws IOException, InterruptedException {
        String pid = Long.toString(processes.get(node).pid());
        new ProcessBuilder("kill", stop ? "-STOP" : "-CONT", pid)
                .inheritIO()
                .start()
                .waitFor();
    }

    /** @throws IOException a node has ended by itself; the message has its last line */
    void checkAllRun() throws IOException {
        for (int node : processes.keySet()) {
            if (!runs(node)) {
                String said = said(node).strip();
                throw new IOException("node " + node + " has ended: " + said.substring(said.lastIndexOf('\n') + 1));
            }
        }
    }

    boolean runs(int node) {
        return processes.containsKey(node) && processes.get(node).isAlive();
    }

    /**
     * Waits until all started nodes accept connections.
     *
     * @throws IOException a node has ended, or accepts no connection within the time; the message has its log
     */
    void awaitReady(Duration atMost) throws IOException, InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (int node : processes.keySet()) {
            while (!takesConnections(node)) {
                if (!runs(node)) {
                    throw new IOException("node " + node + " has ended: " + said(node));
                }
                if (System.nanoTime() - end > 0) {
                    throw new IOException(
                            "node " + node + " takes no connections after " + atMost.toSeconds() + " s: " + said(node));
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        }
    }

    private boolean takesConnections(int node) {
        try (Socket probe = new Socket()) {
            probe.connect(new InetSocketAddress(HOST, subscribePorts.get(node)), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The leader, from the logs of running nodes; 0: unknown. */
    int leader() {
        return Leader.newest(processes.keySet().stream().map(this::said).toList(), this::runs)
                .node();
    }

    /** The first of a node's UDP ports for other nodes. */
    Endpoint cluster(int node) {
        return Endpoint.parse(HOST + ":" + clusterPorts.get(node));
    }

    String name() {
        return name;
    }

    /** Addresses for publishers: one node's first, then the others'. */
    List<Endpoint> publishAt(int first) {
        return endpoints(publishPorts, first);
    }

    /** Addresses for subscribers: one node's first, then the others'. */
    List<Endpoint> subscribeAt(int first) {
        return endpoints(subscribePorts, first);
    }

    Endpoint subscribe(int node) {
        return Endpoint.parse(HOST + ":" + subscribePorts.get(node));
    }

    private static List<Endpoint> endpoints(Map<Integer, Integer> ports, int first) {
        return ports.keySet().stream()
                .sorted(Comparator.comparing(node -> node < first ? node + ports.size() : node))
                .map(node -> Endpoint.parse(HOST + ":" + ports.get(node)))
                .collect(Collectors.toList());
    }

    void keepDirectory() {
        keeps = true;
    }

    /** Starts a shell that removes all files after the end of this process, even if it is killed. */
    void sweepWhenGone() throws IOException {
        List<String> command = new ArrayList<>(
                List.of("sh", "-c", "trap '' INT TERM; cat >/dev/null; sleep 1; rm -rf -- \"$@\"", "sweeper"));
        command.add(directory.toString());
        publishPorts.keySet().forEach(node -> command.add(sharedOf(node).toString()));
        sweeper = Optional.of(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    /** The directory of a node's shared memory. */
    Path sharedOf(int node) {
        return Path.of("/dev/shm", "relay-" + name + "-" + node);
    }

    /** Kills all nodes, and removes all files. */
    @Override
    public void close() throws IOException {
        processes.values().forEach(Process::destroyForcibly);
        for (Process process : processes.values()) {
            try {
                process.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        for (int node : publishPorts.keySet()) {
            IoUtil.delete(sharedOf(node).toFile(), false);
        }
        if (!keeps) {
            IoUtil.delete(directory.toFile(), false);
        }
        sweeper.ifPresent(Process::destroyForcibly);
        releasePorts();
    }
}
