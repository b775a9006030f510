package dev.msgrelay.loadgen.kill;

import dev.msgrelay.cluster.ClusterNode;
import dev.msgrelay.cluster.Leader;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.kill.Client.Role;
import dev.msgrelay.loadgen.run.Child;
import dev.msgrelay.loadgen.run.Child.Event;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.worker.RelayMain;
import dev.msgrelay.protocol.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The processes of a cluster's campaign: three nodes, and clients at each of them. A node can be killed, stopped, cut off from
 * others, and lose the space of its disk. One that ends by itself is started again, as a service manager would. One thread owns
 * it; closing leaves no process, no mount and no shared memory behind.
 */
final class ClusterRig implements AutoCloseable {
    static final int NODES = 3;

    /** Where nodes share memory with themselves. */
    private static final Path SHARED = Path.of("/dev/shm");

    private static final int PUBLISH_PORT = 7401;
    private static final int SUBSCRIBE_PORT = 7400;
    private static final int CLUSTER_PORT = 7410;
    private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final long LEADER_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long GO_ON_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long EXIT_MILLIS = 40_000;
    private static final long LOOK_MILLIS = 20;

    private static final int SEGMENT_MEGABYTES = 8;

    /** Of a journal's disk, beside what the journal keeps: files that are prepared, and room that is left. */
    private static final int JOURNAL_DISK_MEGABYTES = 96;

    /** Of nodes by themselves, between two that are asked for. */
    private static final int MOST_ENDS = 9;

    /** Its log stays a file, which is said where something is wrong. */
    private static final List<String> LOGGED = List.of("sh", "-c", "exec \"$@\" 2>>\"$0\"");

    private final Children children = new Children();
    private final NodeNetwork network;
    private final ClientProcesses clients;
    private final Path directory;
    private final Path shared;
    private final String name = "kill-" + ThreadLocalRandom.current().nextInt(1_000_000);
    private final Options options;
    private final Map<Client, Integer> homes = new LinkedHashMap<>();
    private final Map<Integer, Child> nodes = new TreeMap<>();
    private final Map<Integer, LoopDisk> disks = new HashMap<>();
    // Of journals, where nodes have them.
    private final Map<Integer, LoopDisk> journals = new HashMap<>();
    // That was killed and is not started again yet; 0: none.
    private int down;
    // How nodes have ended by themselves since that was last asked.
    private final List<String> ended = new ArrayList<>();

    /**
     * How the nodes are.
     *
     * @param sync whether what is acknowledged is on the disks of a majority
     * @param logMegabytes of the stream in memory, which is what a node can give in the end
     * @param diskMegabytes of a disk of its own for each node; 0: none has one
     * @param journalMegabytes of a journal of each node, on another disk of its own; 0: none has one
     */
    record Options(boolean sync, int logMegabytes, int diskMegabytes, int journalMegabytes) {
        /** A node that is started again reads its log from the beginning, or its journal, and can give all of it. */
        String snapshots() {
            return journalMegabytes > 0 ? "snapshot = 5s, snapshot-log = 1m" : "snapshot = 24h, snapshot-log = 1t";
        }
    }

    /**
     * @param load with the level {@code stream} alone; its clients are of each node
     * @param network stays open
     * @param directory an empty one
     */
    ClusterRig(Campaign.Load load, Options options, NodeNetwork network, Path directory)
            throws IOException, InterruptedException {
        this.options = options;
        this.network = network;
        this.directory = directory;
        try {
            this.shared = children.directory(SHARED);
            Files.createDirectory(notebooks());
            for (int node = 1; node <= NODES; node++) {
                prepare(node);
                addClients(load, node);
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
        this.clients = new ClientProcesses(
                children,
                network.clients(),
                List.copyOf(homes.keySet()),
                load.rate(),
                client ->
                        endpoints(client.role() == Role.PUBLISHER ? PUBLISH_PORT : SUBSCRIBE_PORT, homes.get(client)));
    }

    /** Why there can be none here; null where there can. */
    static String obstacle() throws IOException {
        if (!Files.isDirectory(SHARED)) {
            return "a cluster needs " + SHARED;
        }
        long free = Files.getFileStore(SHARED).getUsableSpace();
        long needed = NODES * ClusterNode.SHARED_BYTES;
        return free < needed
                ? "a cluster of " + NODES + " nodes needs " + needed + " bytes in " + SHARED + ", and " + free
                        + " are free"
                : null;
    }

    private void prepare(int node) throws IOException, InterruptedException {
        Path own = Files.createDirectory(directory.resolve("node-" + node));
        Path log = own;
        if (options.diskMegabytes > 0) {
            LoopDisk disk = new LoopDisk(own, options.diskMegabytes);
            disks.put(node, disk);
            log = disk.at();
        }
        if (options.journalMegabytes > 0) {
            Path journal = Files.createDirectory(own.resolve("journal"));
            journals.put(node, new LoopDisk(journal, options.journalMegabytes + JOURNAL_DISK_MEGABYTES));
        }
        String members = IntStream.rangeClosed(1, NODES)
                .mapToObj(member -> member + " = \"" + network.address(member) + ":" + CLUSTER_PORT + "\"")
                .collect(Collectors.joining("\n    "));
        Files.writeString(
                file(node),
                String.format(
                        Locale.ROOT,
                        "cluster {%n  name = \"%s\"%n  directory = \"%s\"%n  shared = \"%s\"%n  sync = %d%n"
                                + "  %s%n  members {%n    %s%n  }%n}%n",
                        name,
                        log,
                        shared,
                        options.sync ? 1 : 0,
                        options.snapshots(),
                        members));
    }

    private Path file(int node) {
        return directory.resolve("node-" + node).resolve("cluster.conf");
    }

    private Path log(int node) {
        return directory.resolve("node-" + node).resolve("log");
    }

    private Path notebooks() {
        return directory.resolve("notebooks");
    }

    private void addClients(Campaign.Load load, int node) {
        for (int i = 1; i <= load.publishers(); i++) {
            String title = "publisher-" + node + "-" + i;
            homes.put(Client.publisher(homes.size() + 1, title, Level.STREAM, notebooks()), node);
        }
        for (int i = 1; i <= load.subscribers(); i++) {
            homes.put(reader("subscriber-" + node + "-" + i), node);
        }
    }

    private Client reader(String title) {
        return Client.subscriber(title, Level.STREAM, notebooks());
    }

    /** At one node first, then at the others. */
    private String endpoints(int port, int first) {
        return IntStream.range(0, NODES)
                .mapToObj(i -> endpoint(port, (first - 1 + i) % NODES + 1))
                .collect(Collectors.joining(","));
    }

    private String endpoint(int port, int node) {
        return network.address(node) + ":" + port;
    }

    ClientProcesses clients() {
        return clients;
    }

    // ---- nodes -------------------------------------------------------------------------------------------------

    /** Starts all nodes and waits until they take connections; then all clients. */
    void start() throws IOException, RunException, InterruptedException {
        for (int node = 1; node <= NODES; node++) {
            start(node);
        }
        awaitReady();
        clients.start();
    }

    /** Starts it, and does not wait. */
    void start(int node) throws IOException {
        down = 0;
        List<String> args = new ArrayList<>(List.of(
                "--json",
                "--admin=none",
                "--insecure",
                "--bind=" + network.address(node),
                "--publish-port=" + PUBLISH_PORT,
                "--subscribe-port=" + SUBSCRIBE_PORT,
                "--event-loops=1",
                "--log-size=" + options.logMegabytes + "m",
                "--cluster=" + file(node),
                "--node=" + node));
        if (journals.containsKey(node)) {
            args.add("--journal=" + journals.get(node).journal());
            args.add("--journal-segment=" + SEGMENT_MEGABYTES + "m");
            args.add("--journal-keep=" + options.journalMegabytes + "m");
        }
        List<String> jvm = RelayContestant.javaOptions(args);
        // What the second compiler makes would come too late for one that is killed again, and three nodes share the
        // machine.
        jvm.add("-XX:TieredStopAtLevel=1");
        jvm.addAll(ClusterNode.JVM_FLAGS);
        HostSite site = network.site(node);
        List<String> prefix = new ArrayList<>(site.prefix());
        prefix.addAll(LOGGED);
        prefix.add(log(node).toString());
        nodes.put(
                node,
                children.start(
                        new HostSite(site.name(), prefix, site.address()),
                        "node " + node,
                        new Site.JavaProgram(Site.JavaProgram.withNativeAccess(jvm), RelayMain.class.getName(), args)));
    }

    /** It stays down until it is started. */
    void kill(int node) throws InterruptedException {
        down = node;
        children.kill(nodes.get(node));
    }

    /**
     * Sends a signal to a node: STOP, and its process gets no time, as that of a machine that is too busy, until CONT.
     */
    void signal(String signal, int node) throws IOException, InterruptedException {
        long pid = nodes.get(node).pid();
        Tool.Outcome outcome = new Subprocess().run(List.of("sh", "-c", "kill -" + signal + " " + pid));
        if (!outcome.succeeded()) {
            throw new IOException("kill -" + signal + " of node " + node + ": " + outcome.firstLine());
        }
    }

    NodeNetwork network() {
        return network;
    }

    LoopDisk disk(int node) {
        return disks.get(node);
    }

    /** That of a node's journal. */
    LoopDisk journalDisk(int node) {
        return journals.get(node);
    }

    /** The nodes that were not killed, and have ended all the same, since the last call: which, how, and their last words. */
    List<String> endedByThemselves() {
        List<String> since = List.copyOf(ended);
        ended.clear();
        return since;
    }

    /** Starts those again that have ended by themselves, as a service manager would; to be called again and again. */
    private void lookAfter() throws IOException, InterruptedException, RunException {
        clients.checkHealthy();
        for (int node = 1; node <= NODES; node++) {
            if (node != down && !nodes.get(node).isAlive()) {
                ended.add("node " + node + " ended with exit code "
                        + nodes.get(node).exitValue() + ": " + lastWords(node));
                if (ended.size() > MOST_ENDS) {
                    throw new RunException(String.join("; ", ended));
                }
                children.kill(nodes.get(node));
                start(node);
            }
        }
    }

    private String lastWords(int node) throws IOException {
        List<String> lines = Files.readAllLines(log(node));
        return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    /**
     * Looks after the nodes until something holds.
     *
     * @throws RunException it does not come about, with how nodes have ended
     */
    private void await(String what, long limitNanos, Condition condition)
            throws IOException, RunException, InterruptedException {
        long begun = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - begun > limitNanos) {
                throw new RunException(what + ": not within " + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s"
                        + (ended.isEmpty() ? "" : "; " + String.join("; ", ended)));
            }
            lookAfter();
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    /** All nodes take connections. */
    void awaitReady() throws IOException, RunException, InterruptedException {
        for (int node = 1; node <= NODES; node++) {
            int one = node;
            await(
                    "node " + one + " takes connections",
                    READY_NANOS,
                    () -> nodes.get(one).latest("ready") != null);
        }
    }

    /** Waits until a node leads that runs. */
    Leader leader() throws IOException, RunException, InterruptedException {
        return leaderBehind(-1);
    }

    /** Waits until a node leads that was elected later. */
    Leader leaderBehind(long term) throws IOException, RunException, InterruptedException {
        Leader[] leader = new Leader[1];
        await("a node leads", LEADER_NANOS, () -> {
            leader[0] = newestLeader();
            return leader[0].term() > term && leader[0].node() != down;
        });
        return leader[0];
    }

    private Leader newestLeader() throws IOException {
        List<String> logs = new ArrayList<>();
        for (int node = 1; node <= NODES; node++) {
            logs.add(Files.exists(log(node)) ? Files.readString(log(node)) : "");
        }
        return Leader.newest(logs, node -> true);
    }

    /** Each publisher hears of more messages. */
    void awaitAcknowledged() throws IOException, RunException, InterruptedException {
        awaitAcknowledged(0);
    }

    /** Each publisher hears of more messages, but for those of one node; 0: of none. */
    void awaitAcknowledged(int butNode) throws IOException, RunException, InterruptedException {
        Map<Client, Long> before = new HashMap<>();
        clients.all(Role.PUBLISHER).stream()
                .filter(one -> homes.get(one) != butNode)
                .forEach(one -> before.put(one, clients.acknowledged(one)));
        await("each publisher is acknowledged", GO_ON_NANOS, () -> before.entrySet().stream()
                .allMatch(one -> clients.acknowledged(one.getKey()) > one.getValue()));
    }

    // ---- the end -----------------------------------------------------------------------------------------------

    /**
     * All that is under way comes to its end; each node gives all of its stream to a reader; then the nodes are told to stop.
     *
     * @return the readers' notebooks, by node
     * @throws RunException somebody did not come to an end, naming it
     */
    Map<Integer, Path> finish() throws IOException, RunException, InterruptedException {
        long next = clients.finish();
        Map<Integer, Path> streams = new TreeMap<>();
        for (int node = 1; node <= NODES; node++) {
            Client reader = reader("reader-" + node);
            Child child = children.startWorker(
                    network.clients(), reader.name(), reader.main(), reader.args(endpoint(SUBSCRIBE_PORT, node), 0));
            await(reader.name() + " reads up to message " + next, GO_ON_NANOS, () -> {
                Event progress = child.latest("progress");
                return progress != null && progress.json().getLong("next") >= next;
            });
            children.kill(child);
            streams.put(node, reader.notebook());
        }
        nodes.values().forEach(Child::terminate);
        for (Child node : nodes.values()) {
            if (!node.awaitExit(EXIT_MILLIS)) {
                throw new RunException(node.name() + " did not end within " + EXIT_MILLIS + " ms of SIGTERM");
            }
        }
        return streams;
    }

    @Override
    public void close() throws IOException {
        children.abandon();
        for (LoopDisk disk : journals.values()) {
            // Who waits for it cannot be killed.
            disk.thawIfFrozen();
        }
        boolean interrupted = Thread.interrupted();
        for (Child node : nodes.values()) {
            try {
                // What it has on a disk has to go before the disk.
                children.kill(node);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        children.close();
        for (LoopDisk disk : disks.values()) {
            disk.close();
        }
        for (LoopDisk disk : journals.values()) {
            disk.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
