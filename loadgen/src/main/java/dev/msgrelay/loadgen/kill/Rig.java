package dev.msgrelay.loadgen.kill;

import dev.msgrelay.loadgen.kill.Client.Role;
import dev.msgrelay.loadgen.run.Child;
import dev.msgrelay.loadgen.run.Children;
import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.worker.RelayMain;
import dev.msgrelay.protocol.Level;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The processes of a campaign: a relay with a journal, and clients, each of which can be killed and started again. One thread
 * owns it; closing leaves no process behind.
 */
final class Rig implements AutoCloseable {
    private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long EXIT_MILLIS = 40_000;
    private static final long MEGA = 1 << 20;
    private static final long MOST_KEEP = 32L << 30;

    // Below those that a system gives to connections: one of them must not have the port while the relay is away.
    private static final int PUBLISH_PORTS = 20_000;
    private static final int SUBSCRIBE_PORTS = 25_000;
    private static final int PORTS = 5_000;

    private final Children children;
    private final Campaign.Load load;
    private final Path journal;
    private final ClientProcesses clients;
    private final int publishPort;
    private final int subscribePort;
    private final long keep;
    private Child relay;

    /** Stands by, so that a relay that was killed is followed by the next one at once. */
    private Child next;

    /**
     * @param journal a directory that is empty or not there
     * @param directory an empty one, for notebooks
     */
    Rig(Campaign.Load load, Path journal, Path directory) throws IOException, InterruptedException {
        this.load = load;
        this.journal = journal;
        this.publishPort = freePort(PUBLISH_PORTS);
        this.subscribePort = freePort(SUBSCRIBE_PORTS);
        Files.createDirectories(journal);
        this.keep = Math.min(MOST_KEEP, Files.getFileStore(journal).getUsableSpace() / 2) / MEGA;
        this.children = new Children();
        this.clients = new ClientProcesses(
                children,
                Site.HERE,
                clients(load, Files.createDirectory(directory.resolve("notebooks"))),
                load.rate(),
                client -> "127.0.0.1:" + (client.role() == Role.PUBLISHER ? publishPort : subscribePort));
    }

    private static List<Client> clients(Campaign.Load load, Path notebooks) {
        List<Client> clients = new ArrayList<>();
        long id = 0;
        for (Level level : load.levels()) {
            for (int i = 1; i <= load.publishers(); i++) {
                String name = "publisher-" + level.flag() + "-" + i;
                clients.add(Client.publisher(++id, name, level, notebooks));
            }
            for (int i = 1; i <= load.subscribers(); i++) {
                String name = "subscriber-" + level.flag() + "-" + i;
                clients.add(Client.subscriber(name, level, notebooks));
            }
        }
        return clients;
    }

    private static int freePort(int first) throws IOException {
        IOException taken = null;
        for (int i = 0; i < PORTS; i++) {
            int port = first + ThreadLocalRandom.current().nextInt(PORTS);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException e) {
                taken = e;
            }
        }
        throw taken;
    }

    ClientProcesses clients() {
        return clients;
    }

    // ---- starting and killing ----------------------------------------------------------------------------------

    /** Starts the relay and waits until it is ready; then all clients. */
    void start(List<String> prefix) throws IOException, RunException, InterruptedException {
        startRelay(prefix);
        awaitRelay();
        clients.start();
    }

    /**
     * Starts the relay, and does not wait.
     *
     * @param prefix words before its command; usually none
     */
    void startRelay(List<String> prefix) throws IOException {
        relay = next != null && prefix.isEmpty() ? next : standBy(prefix);
        next = next == relay ? null : next;
        relay.startJob(relayArgs());
    }

    private List<String> relayArgs() {
        return List.of(
                "--json",
                "--admin=none",
                "--publish-port=" + publishPort,
                "--subscribe-port=" + subscribePort,
                "--journal=" + journal,
                "--journal-segment=" + (keep > 256 ? "8m" : "2m"),
                "--journal-keep=" + keep + "m",
                "--journal-force=200ms");
    }

    private Child standBy(List<String> prefix) throws IOException {
        List<String> options = RelayContestant.javaOptions(relayArgs());
        // It lives for moments: what the second compiler makes would come too late.
        options.add("-XX:TieredStopAtLevel=1");
        return children.start(
                new HostSite("this host", prefix, "127.0.0.1"),
                "relay",
                new Site.JavaProgram(Site.JavaProgram.withNativeAccess(options), RelayMain.class.getName(), List.of()));
    }

    /** Waits until it is ready; then the next one stands by. */
    void awaitRelay() throws IOException, RunException, InterruptedException {
        relay.await("ready", READY_NANOS);
        if (next == null) {
            next = standBy(List.of());
        }
    }

    Child relay() {
        return relay;
    }

    void killRelay() throws InterruptedException {
        children.kill(relay);
    }

    /**
     * Throws when a process that was not killed has ended or failed.
     *
     * @throws RunException naming it and what it said
     */
    void checkHealthy() throws RunException {
        children.checkHealthy();
    }

    /** For people: how many messages of each level are acknowledged. */
    String acknowledged() {
        return load.levels().stream()
                .map(level -> level.flag() + " " + clients.acknowledged(level))
                .collect(Collectors.joining(", "));
    }

    /** Of all levels that need the journal. */
    long durablyAcknowledged() {
        return load.levels().stream()
                .filter(level -> level != Level.STREAM)
                .mapToLong(clients::acknowledged)
                .sum();
    }

    // ---- the end -----------------------------------------------------------------------------------------------

    /**
     * All that is under way comes to its end; then the relay is told to stop, and nobody runs any more.
     *
     * @throws RunException somebody did not come to an end, naming it
     */
    void finish() throws RunException, InterruptedException {
        clients.finish();
        children.checkHealthy();
        relay.terminate();
        if (!relay.awaitExit(EXIT_MILLIS)) {
            throw new RunException("the relay did not end within " + EXIT_MILLIS + " ms of SIGTERM");
        }
        children.abandon();
    }

    /**
     * Of what there is when nobody runs any more.
     *
     * @param survived the least level that survives what was done
     */
    Account account(Level survived) throws IOException {
        return Account.of(journal, survived, clients.all());
    }

    @Override
    public void close() {
        children.close();
    }
}
