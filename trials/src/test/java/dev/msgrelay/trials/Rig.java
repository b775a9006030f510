package dev.msgrelay.trials;

import dev.msgrelay.cluster.Leader;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.rig.Child;
import dev.msgrelay.loadgen.rig.Children;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.server.config.ClusterConfig;
import dev.msgrelay.testing.FreePort;
import dev.msgrelay.trials.Client.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The processes of a campaign: one relay with a journal, or the nodes of a cluster, and clients at each of them. A node
 * can be killed, stopped, cut off from others, and lose the space of its disk. A node that ends by itself is started
 * again, as a service manager would. One thread owns it; closing leaves no process, no mount and no shared memory
 * behind.
 */
final class Rig implements AutoCloseable {
    /** Nodes of a cluster; a relay without one is node 1. */
    static final int CLUSTER = 3;

    /** Where nodes share memory with themselves. */
    private static final Path SHARED = Path.of("/dev/shm");

    private static final Set<String> ROLES = Set.of("leads", "follows");

    private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(180);
    private static final long LEADER_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long GO_ON_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final long EXIT_MILLIS = 60_000;
    private static final long LOOK_MILLIS = 20;

    /** Room for the longest message of each type. */
    private static final String STATE = "32m";

    private static final String CONFLATE_AFTER = "16k";

    /** Lines of a node's log in the message of a reader that did not get all. */
    private static final int SAID_LINES = 30;

    /** Of nodes by themselves, between two calls of {@link #endedByThemselves}. */
    private static final int MOST_ENDS = 9;

    private final Children children = new Children();
    private final Options options;
    private final NodeNetwork network;
    private final ClientProcesses clients;
    private final Path directory;
    private final String cluster = "trial-" + ThreadLocalRandom.current().nextInt(1_000_000);
    private final int publishPort = FreePort.next();
    private final int subscribePort = FreePort.next();
    private final int clusterPort = FreePort.next();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Client, Integer> homes = new LinkedHashMap<>();
    // A node that was killed and is not started again yet; 0: none.
    private int down;
    // How nodes have ended by themselves since that was last asked.
    private final List<String> ended = new ArrayList<>();

    /**
     * How the nodes are.
     *
     * @param nodes 1: a relay without a cluster
     * @param sync whether what a cluster acknowledges is on the disks of a majority
     * @param logMegabytes of the stream in memory, which is what a node of a cluster can give in the end
     * @param diskMegabytes of a disk of its own for each node; 0: none has one
     * @param journalMegabytes of a journal on a disk of its own; 0: a relay's lies in the rig's directory, nodes have
     *     none
     */
    record Options(int nodes, boolean sync, int logMegabytes, int diskMegabytes, int journalMegabytes) {
        boolean isCluster() {
            return nodes > 1;
        }

        /** A node that is started again reads its log from the beginning, or its journal, and can give all of it. */
        private String snapshots() {
            return journalMegabytes > 0 ? "snapshot = 5s, snapshot-log = 1m" : "snapshot = 24h, snapshot-log = 1t";
        }
    }

    /**
     * @param network stays open
     * @param directory an empty one
     */
    Rig(Load load, Options options, NodeNetwork network, Path directory) throws IOException, InterruptedException {
        this.options = options;
        this.network = network;
        this.directory = directory;
        try {
            Path notebooks = Files.createDirectory(directory.resolve("notebooks"));
            for (int node = 1; node <= options.nodes; node++) {
                Path own = Files.createDirectory(directory.resolve("node-" + node));
                nodes.add(new Node(
                        network.site(node), own, options.diskMegabytes, options.journalMegabytes, options.isCluster()));
                addClients(load, node, notebooks);
            }
            if (options.isCluster()) {
                writeClusterFiles();
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
        this.clients = new ClientProcesses(
                children, network.clients(), List.copyOf(homes.keySet()), load.rate(), this::endpoints);
    }

    /** Why there can be no cluster here; null where there can. */
    static String clusterObstacle() throws IOException {
        if (!Files.isDirectory(SHARED)) {
            return "a cluster needs " + SHARED;
        }
        long free = Files.getFileStore(SHARED).getUsableSpace();
        long needed = CLUSTER * ClusterConfig.SHARED_BYTES;
        return free < needed
                ? "a cluster of " + CLUSTER + " nodes needs " + needed + " bytes in " + SHARED + ", and " + free
                        + " are free"
                : null;
    }

    private void writeClusterFiles() throws IOException {
        Path shared = children.directory(SHARED);
        String members = IntStream.rangeClosed(1, options.nodes)
                .mapToObj(member -> member + " = \"" + node(member).address() + ":" + clusterPort + "\"")
                .collect(Collectors.joining("\n    "));
        for (Node node : nodes) {
            Files.writeString(
                    node.clusterFile(),
                    String.format(
                            Locale.ROOT,
                            "cluster {%n  name = \"%s\"%n  directory = \"%s\"%n  shared = \"%s\"%n  sync = %d%n"
                                    + "  %s%n  members {%n    %s%n  }%n}%n",
                            cluster,
                            node.clusterDirectory(),
                            shared,
                            options.sync ? 1 : 0,
                            options.snapshots(),
                            members));
        }
    }

    private void addClients(Load load, int node, Path notebooks) {
        for (Level level : load.levels()) {
            for (int i = 1; i <= load.publishers(); i++) {
                String name = "publisher-" + level.flag() + "-" + node + "-" + i;
                homes.put(Client.publisher(homes.size() + 1, name, level, notebooks), node);
            }
            for (int i = 1; i <= load.subscribers(); i++) {
                for (Role role : Role.values()) {
                    // The state has no level.
                    boolean fits = level == Level.STREAM || role == Role.SUBSCRIBER;
                    if (role.reads() && fits) {
                        String name = role.name().toLowerCase(Locale.ROOT) + "-" + level.flag() + "-" + node + "-" + i;
                        homes.put(Client.reader(role, name, level, notebooks), node);
                    }
                }
            }
        }
    }

    /** At the client's own node first, then at the others. */
    private String endpoints(Client client) {
        int port = client.role() == Role.PUBLISHER ? publishPort : subscribePort;
        int first = homes.get(client);
        return IntStream.range(0, options.nodes)
                .mapToObj(i -> node((first - 1 + i) % options.nodes + 1).address() + ":" + port)
                .collect(Collectors.joining(","));
    }

    ClientProcesses clients() {
        return clients;
    }

    NodeNetwork network() {
        return network;
    }

    /** Counted from 1. */
    Node node(int number) {
        return nodes.get(number - 1);
    }

    // ---- nodes -------------------------------------------------------------------------------------------------

    /**
     * Starts all nodes and waits until they take connections; then all clients.
     *
     * @param prefix words before the command of a node; usually none
     */
    void start(List<String> prefix) throws IOException, RunException, InterruptedException {
        for (int node = 1; node <= options.nodes; node++) {
            start(node, prefix);
        }
        awaitReady();
        clients.start();
    }

    /** Starts it, and does not wait. */
    void start(int node) throws IOException {
        start(node, List.of());
    }

    private void start(int node, List<String> prefix) throws IOException {
        down = 0;
        List<String> args = new ArrayList<>(List.of(
                "--publish-port=" + publishPort,
                "--subscribe-port=" + subscribePort,
                "--state=" + STATE,
                "--conflate-after=" + CONFLATE_AFTER));
        if (options.isCluster()) {
            args.addAll(List.of(
                    "--event-loops=1",
                    "--log-size=" + options.logMegabytes + "m",
                    "--cluster=" + node(node).clusterFile(),
                    "--node=" + node));
        } else {
            args.add("--journal-force=200ms");
        }
        node(node).start(children, prefix, args);
    }

    /** It stays down until it is started. */
    void kill(int node) throws InterruptedException {
        down = node;
        children.kill(node(node).process());
    }

    /**
     * Sends a signal to a node: STOP, and its process gets no time, as that of a machine that is too busy, until CONT.
     */
    void signal(String signal, int node) throws IOException, InterruptedException {
        long pid = node(node).process().pid();
        Tool.Completed outcome = new Subprocess().run(List.of("sh", "-c", "kill -" + signal + " " + pid));
        if (!outcome.succeeded()) {
            throw new IOException("kill -" + signal + " of node " + node + ": " + outcome.firstLine());
        }
    }

    /**
     * The nodes that were not killed, and have ended all the same, since the last call: which, how, and their last
     * words.
     */
    List<String> endedByThemselves() {
        List<String> since = List.copyOf(ended);
        ended.clear();
        return since;
    }

    /** Starts those again that have ended by themselves, as a service manager would; to be called again and again. */
    private void lookAfter() throws IOException, InterruptedException, RunException {
        clients.checkHealthy();
        for (int node = 1; node <= options.nodes; node++) {
            Child process = node(node).process();
            if (node != down && !process.isAlive()) {
                ended.add("node " + node + " ended with exit code " + process.exitValue() + ": "
                        + node(node).lastLines(1));
                if (ended.size() > MOST_ENDS) {
                    throw new RunException(String.join("; ", ended));
                }
                children.kill(process);
                start(node);
            }
        }
    }

    // ---- waiting -----------------------------------------------------------------------------------------------

    interface Condition {
        boolean holds() throws IOException;
    }

    /**
     * Looks after the nodes until something holds.
     *
     * @throws RunException it does not come about, with how nodes have ended
     */
    private void await(String what, long limitNanos, Condition condition)
            throws IOException, RunException, InterruptedException {
        if (!holdsWithin(limitNanos, condition)) {
            throw new RunException(what + ": not within " + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s" + ends());
        }
    }

    /** A clause on how nodes have ended; empty: none has. */
    private String ends() {
        return ended.isEmpty() ? "" : "; " + String.join("; ", ended);
    }

    /** Looks after the nodes until something holds, or the time is up; returns whether it holds. */
    boolean holdsWithin(long limitNanos, Condition condition) throws IOException, RunException, InterruptedException {
        long begun = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - begun > limitNanos) {
                return false;
            }
            lookAfter();
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return true;
    }

    /** All nodes take connections. */
    void awaitReady() throws IOException, RunException, InterruptedException {
        for (int node = 1; node <= options.nodes; node++) {
            int one = node;
            await(
                    "node " + one + " takes connections",
                    READY_NANOS,
                    () -> node(one).process().latest("ready") != null);
        }
    }

    /** All nodes have said from now on that they lead, or follow. */
    void awaitMembers() throws IOException, RunException, InterruptedException {
        long since = System.nanoTime();
        for (int node = 1; node <= options.nodes; node++) {
            int one = node;
            await("node " + one + " leads or follows", READY_NANOS, () -> {
                Child.Event stats = node(one).process().latest("stats");
                return stats != null
                        && stats.nanos() > since
                        && ROLES.contains(
                                stats.json().path("cluster").path("role").asString(""));
            });
        }
    }

    /** Waits until a node leads that runs and was elected later than this term. */
    Leader leaderBehind(long term) throws IOException, RunException, InterruptedException {
        Leader[] leader = new Leader[1];
        await("a node leads", LEADER_NANOS, () -> {
            List<String> logs = new ArrayList<>();
            for (Node node : nodes) {
                logs.add(node.log());
            }
            leader[0] = Leader.newest(logs, node -> true);
            return leader[0].term() > term && leader[0].node() != down;
        });
        return leader[0];
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
     * All that is under way comes to its end; each node of a cluster gives all of its stream to a reader; then the
     * nodes are told to stop.
     *
     * @param survived the least level that survives what was done
     * @return the account of each node
     * @throws RunException somebody did not come to an end, naming it
     */
    List<Account> finish(Level survived) throws IOException, RunException, InterruptedException {
        long next = clients.finish();
        List<Client> readers = new ArrayList<>();
        for (int node = 1; options.isCluster() && node <= options.nodes; node++) {
            readers.add(read(node, next));
        }
        nodes.forEach(node -> node.process().terminate());
        for (Node node : nodes) {
            if (!node.process().awaitExit(EXIT_MILLIS)) {
                throw new RunException(node.process().name() + " did not end within " + EXIT_MILLIS + " ms of SIGTERM");
            }
        }
        children.abandon();
        if (!options.isCluster()) {
            return List.of(Account.of(node(1).journal(), survived, clients.all()));
        }
        List<Account> accounts = new ArrayList<>();
        for (int node = 1; node <= options.nodes; node++) {
            accounts.add(Account.ofNode("node " + node, readers.get(node - 1).notebook(), clients.all()));
        }
        return accounts;
    }

    private Client read(int node, long next) throws IOException, RunException, InterruptedException {
        Client reader = Client.reader(Role.SUBSCRIBER, "reader-" + node, Level.STREAM, directory.resolve("notebooks"));
        Child child = children.startWorker(
                network.clients(),
                reader.name(),
                reader.main(),
                reader.job(node(node).address() + ":" + subscribePort, 0));
        if (!holdsWithin(GO_ON_NANOS, () -> ClientProcesses.latest(child, "next") >= next)) {
            throw new RunException(reader.name() + " is at message " + ClientProcesses.latest(child, "next") + " of "
                    + next + " after " + TimeUnit.NANOSECONDS.toSeconds(GO_ON_NANOS) + " s" + ends()
                    + "; node " + node + " said last:\n"
                    + node(node).lastLines(SAID_LINES));
        }
        children.kill(child);
        return reader;
    }

    @Override
    public void close() throws IOException {
        children.abandon();
        boolean interrupted = Thread.interrupted();
        for (Node node : nodes) {
            // A process that waits for a frozen disk cannot be killed.
            node.thaw();
            try {
                if (node.process() != null) {
                    // What it has on a disk has to go before the disk.
                    children.kill(node.process());
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        children.close();
        for (Node node : nodes) {
            node.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
