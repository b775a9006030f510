package dev.msgrelay.testing.scripted;

import dev.msgrelay.protocol.cli.CommandParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bin/relay-conformance}. */
@Command(
        name = "relay-conformance",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        description = {
            "Plays the conformance cases with a client's driver.",
            "clients/conformance/README.md says how to write one."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every case passed, or is known to fail",
            "1:a case failed",
            "2:wrong usage, or no driver to try"
        })
public final class ConformanceCommand implements Callable<Integer> {
    @Option(
            names = "--cases",
            paramLabel = "PATH",
            required = true,
            defaultValue = "${env:RELAY_CONFORMANCE_CASES}",
            description = "a case file, or a directory of them; clients/conformance/cases by default")
    private Path cases;

    @Option(names = "--name", paramLabel = "NAME", required = true, description = "the client's name in the report")
    private String name;

    @Option(names = "--only", paramLabel = "TEXT", description = "only cases whose name holds this text")
    private String only = "";

    @Option(names = "--not", paramLabel = "TEXT", description = "no cases whose name holds this text")
    private String not;

    @Option(
            names = "--known",
            paramLabel = "FILE",
            description = "names of the cases that are known to fail, one a line")
    private Path known;

    @Option(names = "--junit", paramLabel = "FILE", description = "writes the results as JUnit's XML")
    private Path junit;

    @Option(
            names = "--step-timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "limit on each step; ${DEFAULT-VALUE} by default")
    private int seconds;

    @Option(
            names = "--relay",
            paramLabel = "COMMAND",
            description =
                    "what starts a relay for the live cases, such as \"java -jar relay-server.jar\"; without it they"
                            + " are skipped")
    private String relay;

    @Option(
            names = "--record",
            paramLabel = "DIR",
            description =
                    "keeps the bytes of live/transcript in this directory, as session.transcript, unless it is there")
    private Path record;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DRIVER", arity = "1..*", description = "the command that starts the driver, after --")
    private List<String> driver;

    /** Ends the process with the exit code. */
    public static void main(String[] args) {
        System.exit(CommandParser.of(new ConformanceCommand())
                .setStopAtPositional(true)
                .execute(args));
    }

    @Override
    public Integer call() throws Exception {
        try {
            return play();
        } catch (ConformanceException e) {
            spec.commandLine().getErr().println("relay-conformance: " + e.getMessage());
            return 2;
        }
    }

    private int play() throws Exception {
        if (!Files.exists(cases)) {
            throw new ConformanceException("--cases " + cases + ": there is no such file or directory");
        }
        try (LiveRelays relays = relay == null ? null : new LiveRelays(List.of(relay.split(" ")), record)) {
            Conformance conformance = new Conformance(
                    name,
                    () -> Driver.start(driver),
                    Conformance.names(known),
                    Duration.ofSeconds(seconds),
                    relays,
                    System.out);
            List<Conformance.Result> results =
                    conformance.run(Case.read(cases), one -> one.contains(only) && (not == null || !one.contains(not)));
            if (junit != null) {
                Conformance.junit(junit, name, results);
            }
            boolean failed = results.stream().anyMatch(one -> one.outcome() == Conformance.Outcome.FAILED);
            return failed ? 1 : 0;
        }
    }
}
