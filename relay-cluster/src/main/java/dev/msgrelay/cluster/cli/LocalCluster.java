package dev.msgrelay.cluster.cli;

import dev.msgrelay.cluster.ClusterNode;
import dev.msgrelay.cluster.Leader;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.cli.JvmLimits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Some nodes of one cluster as processes of this machine, on loopback; ended, and their files removed, by {@link #close}. */
final class LocalCluster implements AutoCloseable {
    private static final String HOST = "127.0.0.1";
    private static final int PORTS = 5;
    private static final long LOOK_MILLIS = 50;

    private final Path directory;
    private final String name;
    private final Map<Integer, Integer> clusterPorts = new TreeMap<>();
    private final Map<Integer, Integer> publishPorts = new TreeMap<>();
    private final Map<Integer, Integer> subscribePorts = new TreeMap<>();
    private final Map<Integer, Process> processes = new ConcurrentSkipListMap<>();
    private final List<String> options;
    private final Map<Integer, Map<String, String>> environments = new TreeMap<>();
    private volatile boolean keeps;
    // Null: none. It waits for the end of what it reads from this process.
    private Process sweeper;

    /** @param nodes 1, 3, 5 or 7 */
    LocalCluster(int nodes) throws IOException {
        this(nodes, "", List.of("--admin", "none"));
    }

    /**
     * @param nodes 1, 3, 5 or 7
     * @param settings more of the cluster's file
     * @param options more of each node; {@code %d} stands for its number
     */
    LocalCluster(int nodes, String settings, List<String> options) throws IOException {
        this.options = options;
        this.directory = Files.createTempDirectory("relay-cluster");
        this.name = "local-" + ProcessHandle.current().pid() + "-"
                + ThreadLocalRandom.current().nextInt(1_000_000);
        List<String> members = new ArrayList<>();
        List<ServerSocket> taken = new ArrayList<>();
        try {
            List<Integer> first = new ArrayList<>();
            for (int node = 1; node <= nodes; node++) {
                int port = freePorts(first);
                first.add(port);
                clusterPorts.put(node, port);
                members.add(node + " = \"" + HOST + ":" + port + "\"");
                taken.add(new ServerSocket(0, 1, InetAddress.getByName(HOST)));
                publishPorts.put(node, taken.get(taken.size() - 1).getLocalPort());
                taken.add(new ServerSocket(0, 1, InetAddress.getByName(HOST)));
                subscribePorts.put(node, taken.get(taken.size() - 1).getLocalPort());
            }
        } finally {
            for (ServerSocket socket : taken) {
                socket.close();
            }
        }
        Files.writeString(
                file(),
                String.format(
                        Locale.ROOT,
                        "cluster {%n  name = \"%s\"%n  directory = \"%s\"%n  %s%n  members {%n    %s%n  }%n}%n",
                        name,
                        directory,
                        settings,
                        String.join("\n    ", members)));
    }

    /** As many UDP ports in a row as a node has, away from those the system gives out by itself. */
    private static int freePorts(List<Integer> others) throws IOException {
        for (int tries = 0; tries < 200; tries++) {
            int port = 12_000 + PORTS * ThreadLocalRandom.current().nextInt(3_000);
            if (!others.contains(port) && areFree(port)) {
                return port;
            }
        }
        throw new IOException("no " + PORTS + " UDP ports in a row are free");
    }

    private static boolean areFree(int port) {
        for (int i = 0; i < PORTS; i++) {
            try (DatagramSocket probe = new DatagramSocket(new InetSocketAddress(HOST, port + i))) {
                probe.getLocalPort();
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }

    /** Who is in it, as {@code --cluster} wants it. */
    Path file() {
        return directory.resolve("cluster.conf");
    }

    Path directory() {
        return directory;
    }

    /** What a node has said so far. */
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

    // ---- nodes -------------------------------------------------------------------------------------------------

    /** Where a node that is not started yet is to listen; 0: at any free port. */
    void place(int node, int publishPort, int subscribePort) {
        if (publishPort > 0) {
            publishPorts.put(node, publishPort);
        }
        if (subscribePort > 0) {
            subscribePorts.put(node, subscribePort);
        }
    }

    /** More of the environment that a node is started with from now on. */
    void environment(int node, Map<String, String> variables) {
        environments.put(node, variables);
    }

    /** Starts a node. */
    void start(int node) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--cluster",
                file().toString(),
                "--node",
                Integer.toString(node),
                "--publish-port",
                publishPorts.get(node).toString(),
                "--subscribe-port",
                subscribePorts.get(node).toString(),
                "--event-loops",
                "1"));
        options.forEach(option -> arguments.add(option.replace("%d", Integer.toString(node))));
        processes.put(node, start(node, arguments));
    }

    /** Starts a process of relay-server, whose output is that of a node. */
    Process start(int node, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(JvmLimits.of(arguments.toArray(String[]::new)));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData"));
        command.addAll(ClusterNode.JVM_FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LocalNode.class.getName()));
        command.addAll(arguments);
        ProcessBuilder process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output(node).toFile()));
        process.environment().putAll(environments.getOrDefault(node, Map.of()));
        return process.start();
    }

    /** Kills a node at once, as a power cut of its machine would. */
    void kill(int node) throws InterruptedException {
        processes.remove(node).destroyForcibly().waitFor();
    }

    /** Stops a node's process, as a machine that is moved does; or lets it go on. */
    void pause(int node, boolean stop) throws IOException, InterruptedException {
        new ProcessBuilder(
                        "kill",
                        stop ? "-STOP" : "-CONT",
                        Long.toString(processes.get(node).pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    /**
     * Throws when a node has ended that was not killed.
     *
     * @throws IOException naming it, with what it said last
     */
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
     * Waits until nodes take connections.
     *
     * @throws IOException one of them has ended, with what it said, or does not within the time
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

    /** Who leads, as far as running nodes have said; 0: nobody has. */
    int leader() {
        return Leader.newest(processes.keySet().stream().map(this::said).toList(), this::runs)
                .node();
    }

    /** The first of the ports at which other nodes reach one, by UDP. */
    Endpoint cluster(int node) {
        return Endpoint.parse(HOST + ":" + clusterPorts.get(node));
    }

    String name() {
        return name;
    }

    /** Where publishers connect: at one node first, then at the others. */
    List<Endpoint> publishAt(int first) {
        return endpoints(publishPorts, first);
    }

    /** Where subscribers connect: at one node first, then at the others. */
    List<Endpoint> subscribeAt(int first) {
        return endpoints(subscribePorts, first);
    }

    /** Where subscribers of one node connect. */
    Endpoint subscribe(int node) {
        return Endpoint.parse(HOST + ":" + subscribePorts.get(node));
    }

    private static List<Endpoint> endpoints(Map<Integer, Integer> ports, int first) {
        return ports.keySet().stream()
                .sorted(Comparator.comparing(node -> node < first ? node + ports.size() : node))
                .map(node -> Endpoint.parse(HOST + ":" + ports.get(node)))
                .collect(Collectors.toList());
    }

    // ---- the end -----------------------------------------------------------------------------------------------

    /** The directory is not removed. */
    void keep() {
        keeps = true;
    }

    /** Has all files removed even where this process is killed: by a shell that waits for its end. */
    void sweepWhenGone() throws IOException {
        List<String> command = new ArrayList<>(
                List.of("sh", "-c", "trap '' INT TERM; cat >/dev/null; sleep 1; rm -rf -- \"$@\"", "sweeper"));
        command.add(directory.toString());
        publishPorts.keySet().forEach(node -> command.add(sharedOf(node).toString()));
        sweeper = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private Path sharedOf(int node) {
        return Path.of("/dev/shm", "relay-" + name + "-" + node);
    }

    /** Kills what runs, and removes all files. */
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
            remove(sharedOf(node));
        }
        if (!keeps) {
            remove(directory);
        }
        if (sweeper != null) {
            sweeper.destroyForcibly();
        }
    }

    private static void remove(Path top) throws IOException {
        if (Files.exists(top)) {
            try (Stream<Path> all = Files.walk(top)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }
}
