package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.Meter;
import dev.msgrelay.loadgen.report.ResultFiles;
import dev.msgrelay.loadgen.report.ResultsText;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.loadgen.result.ResultFileException;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.shootout.Equipment;
import dev.msgrelay.loadgen.shootout.ShootoutRun;
import dev.msgrelay.loadgen.shootout.ShootoutSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where the results of a shootout go, and what is said meanwhile. */
final class ShootoutOutput {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Write results.json, results.csv, latency.hlog and report.html there, anew after every run; the"
                            + " directory is made, and may hold no other results.")
    private Path directory;

    @Option(names = "--json", description = "Print the results as JSON instead of tables.")
    private boolean json;

    private ShootoutRun.Kept files = results -> {};

    /**
     * Makes sure that results can be written, before anything runs.
     *
     * @throws ResultFileException they cannot
     */
    void begin() throws ResultFileException {
        if (directory != null) {
            files = ResultFiles.in(directory)::write;
        }
    }

    /** Does the shootout, and prints whatever it gave, however it ends. */
    int run(ShootoutSettings settings, Equipment equipment) throws IOException, InterruptedException {
        ShootoutRun run;
        try (Interrupts interrupts = Interrupts.watch();
                ProgressLines lines = new ProgressLines(spec.commandLine().getErr())) {
            run = new ShootoutRun(
                    settings,
                    equipment,
                    Meter.ofThisHost(interrupts),
                    lines,
                    files,
                    Origin.now("shootout", spec.commandLine().getParseResult().originalArgs()),
                    List.of(Site.here()));
            try {
                run.run();
            } finally {
                lines.end();
                print(run);
            }
        }
        return isGood(run, settings.search() != null) ? 0 : 1;
    }

    private void print(ShootoutRun run) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.write(run.results(), out);
        } else {
            out.print(ResultsText.of(run.results()));
        }
        if (directory != null && !json) {
            out.println(
                    run.isUnwritten()
                            ? "results could not be written to " + directory
                            : "results are in " + directory + ": report.html, results.json, results.csv, latency.hlog");
        }
        out.flush();
    }

    /** A search tries runs that fail; what it finds is its result. */
    private static boolean isGood(ShootoutRun run, boolean searching) {
        Results results = run.results();
        boolean good = results.ending().how() == Ending.How.COMPLETE && !run.isUnwritten() && !run.hasFailures();
        if (!searching) {
            return good;
        }
        return good
                && !results.maxRates().isEmpty()
                && results.maxRates().stream().allMatch(found -> found.total() > 0);
    }
}
