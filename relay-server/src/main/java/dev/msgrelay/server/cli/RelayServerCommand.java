package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.cli.ShortHelp;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.Look;
import dev.msgrelay.server.assembly.ClusterProvider;
import dev.msgrelay.server.assembly.MemoryPlan;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.journal.JournalException;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.stream.NodeLeftException;
import io.netty.channel.ChannelException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code relay-server}: starts a relay, reports on it, and drains it on SIGTERM and Ctrl-C. */
@ShortHelp(
        examples = {
            "relay-server",
            "relay-server --journal stream --journal-keep 100g",
            "relay-server --config relay.conf --bind 0.0.0.0 --progress"
        },
        options = {
            "Where: --bind --publish-port --subscribe-port --admin",
            "The stream: --journal --log-size --slow-subscriber",
            "Who may connect, and the rest: --config --tls-cert --progress"
        })
@Command(
        name = "relay-server",
        customSynopsis = {
            "Usage: relay-server [OPTIONS]",
            "       relay-server token [--out FILE | --of FILE]",
            "       relay-server journal check|dump|repair DIR"
        },
        synopsisHeading = "",
        sortOptions = false,
        showDefaultValues = true,
        description = {
            "",
            "Relays framed messages: publishers connect to one port and write, subscribers",
            "connect to another and read. A frame is a type (int32), a length (int32) and a",
            "body, big-endian. Every subscriber gets every message, in the same order."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:after SIGTERM or Ctrl-C",
            "1:the relay cannot start",
            "2:wrong options",
            "3:the relay stopped because of its own fault",
            "4:the journal failed"
        },
        footer = {"", "Sizes: bytes, or with k, m or g (powers of 1,024). Times: seconds, or with ms,", "s, m, h or d."
        })
final class RelayServerCommand implements Callable<Integer> {
    /** Starts a relay; tests replace it. */
    interface Starter {
        RelayServer start(RelayConfig config, RecoveryProgress recovery) throws IOException;
    }

    private static final int CANNOT_START = 1;
    private static final int FAULT = 3;
    private static final int JOURNAL_FAILED = 4;

    /** Time for close() after draining: for the last frames to clients, the end of threads, the log's last lines. */
    private static final long CLOSE_MILLIS = 10_000;

    /** Time to write the rest of the journal to a slow disk. */
    private static final long JOURNAL_CLOSE_MILLIS = 20_000;

    /** Time to remove the files of a cluster's node. The removal waits for a node that is being started. */
    private static final long ABANDON_MILLIS = 30_000;

    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String CONNECTIONS = "connections";
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final Starter starter;
    private final CommandOutput output;
    private final Settings settings = new Settings();
    private Configuration configuration = Configuration.NONE;
    private AdminPorts ports;
    private Map<String, String> environment = Map.of();
    private String[] args = {};
    private Reloading reloading;
    private ServiceManager manager;
    // Deadline of the relay's end; 0 before the end begins. Owned by the watchdog's thread.
    private long endNanos;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CompletableFuture<Integer> done = new CompletableFuture<>();

    @Spec
    private CommandSpec spec;

    RelayServerCommand(Starter starter, CommandOutput output) {
        this.starter = starter;
        this.output = output;
    }

    /** Reads the environment and the file, before the flags are parsed: {@link Configuration#read}. */
    void configure(CommandLine line, Map<String, String> variables, String... arguments) {
        environment = variables;
        args = arguments;
        configuration = Configuration.read(spec, variables, arguments);
        line.setDefaultValueProvider(configuration::defaultValue);
    }

    /** Reads the settings of environment, file and flags, and does not run the command. */
    RelayServerCommand parsed(Map<String, String> variables, String... arguments) {
        CommandLine line = RelayServerMain.commandLineFor(this, arguments);
        configure(line, variables, arguments);
        line.parseArgs(arguments);
        return this;
    }

    Settings settings() {
        return settings;
    }

    Configuration configuration() {
        return configuration;
    }

    @Override
    public Integer call() throws InterruptedException {
        reloading = new Reloading(Configuration.options(spec), this::again);
        // This comes first, because an unhandled SIGHUP would end the process.
        boolean checks = settings.value(Settings.CHECK_CONFIG);
        boolean hears = checks || reloading.handleHangup();
        RelayConfig config = checkedConfig();
        if (checks) {
            check(config);
            String good = describeConfiguration(config);
            PrintWriter out = spec.commandLine().getOut();
            out.println(output.speaksJson() ? JsonReport.checked(good) : good);
            if (!output.speaksJson()) {
                MemoryPlan.of(config).table().forEach(out::println);
            }
            return 0;
        }
        if (settings.<Boolean>value(Settings.JSON)) {
            output.speakJson();
        }
        if (settings.isShutIn(configuration.access().isPresent())) {
            LOG.warn(
                    "nobody beyond this host, or this container, can connect: there is neither an access block (--config)"
                            + " nor --insecure");
        }
        if (!hears) {
            configuration
                    .file()
                    .ifPresent(file -> LOG.warn(
                            "SIGHUP is ignored (nohup does that) or missing here: {} is read at the start, and by POST /reload",
                            file));
        }
        manager = new ServiceManager(environment, ProcessHandle.current().pid());
        manager.watch(this::works);
        Runtime.getRuntime().addShutdownHook(new Thread(this::endProcess, "relay-shutdown"));
        try (AdminPorts open = ports) {
            Optional<String> warning = open.startBefore(reloading::reload);
            RelayServer relay = starter.start(config, new Recovering());
            // Logged only now, because a warning before the error of a failed start would look like its cause.
            warning.ifPresent(LOG::warn);
            reloading.started(relay, config);
            return serve(relay);
        } catch (IOException | ChannelException e) {
            // ChannelException: the system has no file descriptor for a socket or a loop.
            String why = e.getMessage()
                    + TakenPort.words(e.getMessage(), config, SystemTree.proc(), TakenPort.PATIENCE_MILLIS);
            CommandLog.tell(spec.commandLine().getErr(), Level.ERROR, why);
            return CANNOT_START;
        } finally {
            done.complete(CANNOT_START);
        }
    }

    /** Ends the process with the command's exit code. The JVM's own code after SIGTERM or Ctrl-C is another. */
    private void endProcess() {
        stopping.countDown();
        RelayServer relay = reloading.relay();
        if (relay == null && done.isDone()) {
            return;
        }
        if (relay == null) {
            // Does not wait for the start, which may take long. A journal survives an end of the process at any step.
            halt(0);
        }
        done.completeOnTimeout(FAULT, endMillis(relay), TimeUnit.MILLISECONDS);
        halt(done.join());
    }

    /** The longest time that a relay has for its end. */
    private static long endMillis(RelayServer relay) {
        return relay.config().drainTimeout().toMillis()
                + CLOSE_MILLIS
                + (relay.config().journal().on() ? JOURNAL_CLOSE_MILLIS : 0);
    }

    /**
     * Tells the service manager's watchdog whether the relay works, as {@code /health/live} does. While a relay is
     * being started it counts as working, because a long journal or a cluster takes time. A relay that ends counts as
     * working until a deadline.
     */
    private boolean works() {
        RelayServer relay = reloading.relay();
        if (relay == null) {
            return true;
        }
        if (!relay.ending()) {
            return relay.live();
        }
        long now = System.nanoTime();
        if (endNanos == 0) {
            endNanos = now + TimeUnit.MILLISECONDS.toNanos(endMillis(relay) + ABANDON_MILLIS);
        }
        return now - endNanos < 0;
    }

    /** Ends the process, but first removes the files of a cluster's node, which are in memory. */
    private static void halt(int code) {
        Thread abandons = new Thread(ClusterProvider::abandonAny, "relay-cluster-abandoned");
        abandons.start();
        try {
            abandons.join(ABANDON_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(code);
    }

    /** Reports the progress of a recovery to the ports for HTTP, and once a second to the log. */
    private final class Recovering implements RecoveryProgress {
        private long toldNanos = System.nanoTime();

        @Override
        public void looked(int segments, int of) {
            ports.recovering(segments, of);
            long now = System.nanoTime();
            if (now - toldNanos > TELL_NANOS) {
                toldNanos = now;
                LOG.info("the journal is looked through: {} of {} segments so far", segments, of);
            }
        }
    }

    private int serve(RelayServer relay) throws IOException, InterruptedException {
        try {
            ports.serve(relay, reloading::reload);
        } catch (IOException e) {
            relay.close();
            throw e;
        }
        PrintWriter out = spec.commandLine().getOut();
        ServerReport report = settings.<Boolean>value(Settings.JSON)
                ? new JsonReport(out, relay, output)
                : new TextReport(out, relay, output);
        relay.failure().thenAccept(cause -> {
            haltIfHung(cause);
            stopping.countDown();
        });
        report.ready(ports);
        return runUntilTold(relay, report);
    }

    /** Halts the process of a relay whose disk hangs, because an exit or the main thread may wait for the disk. */
    private void haltIfHung(Throwable cause) {
        if (NodeLeftException.isOfHungDisk(cause)) {
            ports.close();
            output.finish();
            Runtime.getRuntime().halt(FAULT);
        }
    }

    private int runUntilTold(RelayServer relay, ServerReport report) throws InterruptedException {
        manager.sendState(ServiceManager.READY);
        for (long seconds = 1; !stopping.await(1, TimeUnit.SECONDS); seconds++) {
            report(relay, report, seconds);
        }
        int code = relay.failure().isDone() ? fail(relay, report) : drain(relay, report);
        output.finish();
        done.complete(code);
        return code;
    }

    private void report(RelayServer relay, ServerReport report, long seconds) {
        boolean scripts = settings.<Boolean>value(Settings.JSON) && !settings.<Boolean>value("quiet");
        boolean line = isDue(Settings.PROGRESS, seconds).orElse(scripts);
        boolean table = isDue(CONNECTIONS, seconds).orElse(false);
        if (line || table) {
            Look look = Look.at(relay);
            if (line) {
                report.progress(look);
            }
            if (table) {
                report.connections(look);
            }
        }
    }

    /** Whether the setting's interval ends at this second; empty if the setting has no value. */
    private Optional<Boolean> isDue(String interval, long seconds) {
        return Optional.<Duration>ofNullable(settings.value(interval)).map(every -> seconds % every.toSeconds() == 0);
    }

    private int drain(RelayServer relay, ServerReport report) {
        long start = System.nanoTime();
        manager.sendState(ServiceManager.STOPPING);
        report.draining(Look.at(relay));
        relay.close();
        report.stopped(Look.at(relay), (System.nanoTime() - start) / 1e9);
        return relay.failure().isDone() ? code(relay.failure().join()) : 0;
    }

    private static int code(Throwable failure) {
        return failure instanceof JournalException ? JOURNAL_FAILED : FAULT;
    }

    /** Ends after a failure. If the journal failed, also closes the relay, which sends the rest of the stream. */
    private int fail(RelayServer relay, ServerReport report) {
        Throwable cause = relay.failure().join();
        if (cause instanceof JournalException) {
            relay.close();
        }
        report.failed(Look.at(relay), cause);
        CommandLog.tell(spec.commandLine().getErr(), Level.ERROR, stopped(cause));
        return code(cause);
    }

    private static String stopped(Throwable cause) {
        if (cause instanceof NodeLeftException) {
            return "stopped: " + cause.getMessage();
        }
        return "stopped because of "
                + (cause instanceof JournalException ? cause.getMessage() : "a fault of its own: " + cause);
    }

    private String describeConfiguration(RelayConfig config) {
        String from = configuration.file().map(file -> file + ": good").orElse("no file is named");
        String who = config.access() == null ? "no access block" : TextReport.identities(config);
        int options = configuration.values().size();
        return from + "; " + ShortText.counted(options, "option") + " from file and environment, " + who;
    }

    /** Reads flags, environment and file again, with a new command object. */
    private Reloading.Fresh again() throws IOException {
        RelayServerCommand fresh = new RelayServerCommand(starter, output).parsed(environment, args);
        RelayConfig config = fresh.checkedConfig();
        return new Reloading.Fresh(Configuration.options(fresh.spec), config, fresh.describeConfiguration(config));
    }

    /**
     * The relay's configuration, checked as far as possible before a start. Throws ParameterException if it is wrong.
     */
    private RelayConfig checkedConfig() {
        RelayConfig config = config();
        try {
            checkInterval(CONNECTIONS);
            checkInterval(Settings.PROGRESS);
            ports = new AdminPorts(settings, config.tls().on());
            checkJournal(config.journal().directory());
            config.congestion()
                    .resolve(
                            config.transport().resolve(),
                            SystemTree.ofThisHost().text(CongestionControl.ALLOWED));
            if (config.tls().on()) {
                config.tls().provider().resolve();
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), configuration.withPlace(e.getMessage()));
        }
        return config;
    }

    private void checkInterval(String name) {
        Duration every = settings.value(name);
        if (every != null && every.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    name + " every " + Durations.format(every) + " is more often than every 1s");
        }
    }

    private static void checkJournal(Path directory) {
        if (directory == null) {
            return;
        }
        if (directory.toString().isEmpty()) {
            throw new IllegalArgumentException("journal is empty: it is the name of a directory");
        }
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new IllegalArgumentException("journal " + directory + " is no directory");
        }
        if (Files.exists(directory) && !Files.isWritable(directory)) {
            throw new IllegalArgumentException("journal " + directory + " cannot be written to");
        }
    }

    private void check(RelayConfig config) {
        try {
            for (String warning : RelayServer.check(config)) {
                CommandLog.tell(spec.commandLine().getErr(), Level.WARN, warning);
            }
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    RelayConfig config() {
        try {
            return settings.config(configuration.access());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), configuration.withPlace(e.getMessage()));
        }
    }
}
