package dev.msgrelay.testing.scripted;

import dev.msgrelay.protocol.cli.CommandParser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/relay-fake}. */
@Command(
        name = "relay-fake",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        description = {
            "A scripted relay for the tests of any client: plays the relay's part of each case of a file, all at the same"
                    + " time, each at a port of its own.",
            "Prints one line a case when it listens, \"NAME listens RELAY=ADDRESS ...\", and one when it is through:"
                    + " \"NAME passed\", or \"NAME failed: WHY\". The form of a case: clients/conformance/README.md."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the client did what every case expects", "1:it did not", "2:wrong usage"})
public final class FakeCommand implements Callable<Integer> {
    @Option(
            names = "--case",
            paramLabel = "FILE",
            required = true,
            description = "a case file, or a directory of them; repeatable")
    private List<Path> files;

    @Option(names = "--only", paramLabel = "TEXT", description = "only cases whose name holds this text")
    private String only = "";

    @Option(
            names = "--step-timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "limit on each step; ${DEFAULT-VALUE} by default")
    private int seconds;

    private volatile boolean failed;

    /** Ends the process with the exit code. */
    public static void main(String[] args) {
        System.exit(CommandParser.of(new FakeCommand()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (Path file : files) {
            for (Case one : Case.read(file)) {
                String missing = Congestion.here().missing(one);
                boolean live = one.steps().stream().anyMatch(step -> step.verb().equals("live"));
                if (one.name().contains(only) && !missing.isEmpty()) {
                    say(one.name() + " skipped: " + missing);
                } else if (one.name().contains(only) && !live) {
                    Thread thread = new Thread(() -> play(one), one.name());
                    thread.start();
                    threads.add(thread);
                }
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return failed ? 1 : 0;
    }

    private void play(Case one) {
        long from = one.loop() == null ? 0 : one.loop().from();
        try (CaseRun run = new CaseRun(one, null, Duration.ofSeconds(seconds))) {
            StringBuilder where = new StringBuilder();
            run.endpoints()
                    .forEach((name, endpoint) ->
                            where.append(' ').append(name).append('=').append(endpoint));
            say(one.name() + " listens" + where);
            for (long i = from; i <= (one.loop() == null ? 0 : one.loop().to()); i++) {
                run.play(one.loop() == null ? null : i);
            }
            say(one.name() + " passed");
        } catch (AssertionError | Exception e) {
            failed = true;
            say(one.name() + " failed: " + e.getMessage());
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
