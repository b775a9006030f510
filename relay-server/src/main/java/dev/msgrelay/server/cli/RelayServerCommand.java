package dev.msgrelay.server.cli;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code relay-server}: starts a relay, reports once a second, drains on SIGTERM and Ctrl-C. */
@Command(
        name = "relay-server",
        mixinStandardHelpOptions = true,
        versionProvider = VersionFromManifest.class,
        customSynopsis = "Usage: relay-server [OPTIONS]",
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
            "1:it cannot start",
            "2:wrong options",
            "3:it has stopped because of a fault of its own"
        },
        footer = {"", "Sizes: bytes, or with k, m or g (powers of 1,024). Times: seconds, or with ms, s", "or m."})
final class RelayServerCommand implements Callable<Integer> {
    /** How a relay is started. */
    interface Starter {
        RelayServer start(RelayConfig config) throws IOException;
    }

    private static final int CANNOT_START = 1;
    private static final int FAULT = 3;

    /** As long as close() may take beside draining: telling everyone, ending the threads; and the last lines. */
    private static final long CLOSE_MILLIS = 10_000;

    private final Starter starter;
    private final CommandOutput output;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ListenOptions listening;

    @Mixin
    private StreamOptions stream;

    @Mixin
    private ClientOptions clients;

    @Mixin
    private LimitOptions limits;

    @Mixin
    private OutputOptions reports;

    /** @param output whose last lines are waited for */
    RelayServerCommand(Starter starter, CommandOutput output) {
        this.starter = starter;
        this.output = output;
    }

    @Override
    public Integer call() throws InterruptedException {
        RelayConfig config = config();
        try {
            reports.check();
            config.transport().resolve();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
        if (reports.json()) {
            output.speakJson();
        }
        PrintWriter out = spec.commandLine().getOut();
        RelayServer relay;
        try {
            relay = starter.start(config);
        } catch (IOException e) {
            spec.commandLine().getErr().println("relay-server: " + e.getMessage());
            return CANNOT_START;
        }
        ServerReport report = reports.report(out, relay, new Pace(output::finish));
        report.ready();
        return runUntilTold(relay, report);
    }

    private int runUntilTold(RelayServer relay, ServerReport report) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<Integer> done = new CompletableFuture<>();
        long mostMillis = relay.config().drainTimeout().toMillis() + CLOSE_MILLIS;
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            told.countDown();
                            // The JVM's own code for an end by SIGTERM is 143, whatever main answers.
                            done.completeOnTimeout(FAULT, mostMillis, TimeUnit.MILLISECONDS);
                            Runtime.getRuntime().halt(done.join());
                        },
                        "relay-shutdown"));
        relay.failure().thenRun(told::countDown);
        for (long seconds = 1; !told.await(1, TimeUnit.SECONDS); seconds++) {
            reports.second(relay, report, seconds);
        }
        int code = relay.failure().isDone() ? fail(relay, report) : drain(relay, report);
        output.finish();
        done.complete(code);
        return code;
    }

    private int drain(RelayServer relay, ServerReport report) {
        long start = System.nanoTime();
        report.draining(Look.at(relay));
        relay.close();
        report.stopped(Look.at(relay), (System.nanoTime() - start) / 1e9);
        return relay.failure().isDone() ? FAULT : 0;
    }

    /** What is in its memory is worth less than the truth: nothing is drained. */
    private int fail(RelayServer relay, ServerReport report) {
        Throwable cause = relay.failure().join();
        report.failed(Look.at(relay), cause);
        spec.commandLine().getErr().println("relay-server: stopped because of a fault of its own: " + cause);
        return FAULT;
    }

    /** What the relay is started with. */
    RelayConfig config() {
        try {
            RelayConfig.Builder config = RelayConfig.builder();
            listening.applyTo(config);
            stream.applyTo(config);
            clients.applyTo(config);
            limits.applyTo(config);
            return config.build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }
}
