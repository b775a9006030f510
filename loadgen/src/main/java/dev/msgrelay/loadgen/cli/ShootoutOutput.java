package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.report.ShootoutTable;
import dev.msgrelay.loadgen.result.Ending;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Site;
import dev.msgrelay.loadgen.result.files.ResultFileException;
import dev.msgrelay.loadgen.result.files.ResultFiles;
import dev.msgrelay.loadgen.result.files.ShootoutJson;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.shootout.Equipment;
import dev.msgrelay.loadgen.shootout.ResultFile;
import dev.msgrelay.loadgen.shootout.ShootoutListener;
import dev.msgrelay.loadgen.shootout.ShootoutRun;
import dev.msgrelay.loadgen.shootout.ShootoutSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
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

    private ResultFile files = shootout -> {};

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
        Lines lines = new Lines();
        ShootoutRun run = new ShootoutRun(
                settings, equipment, lines, files, version(), command(), List.of(new Site("here", Machine.here())));
        try {
            run.run();
        } finally {
            lines.close();
            print(run);
        }
        return isGood(run, settings.search() != null) ? 0 : 1;
    }

    private void print(ShootoutRun run) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Shootout shootout = run.shootout();
        if (json) {
            ShootoutJson.write(shootout, out);
        } else {
            out.print(ShootoutTable.of(shootout));
            shootout.notes().forEach(out::println);
            if (shootout.ending().how() == Ending.How.INTERRUPTED) {
                out.println("PARTIAL: interrupted after " + shootout.runs() + " runs");
            }
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
        Shootout shootout = run.shootout();
        boolean good = shootout.ending().how() == Ending.How.COMPLETE && !run.isUnwritten() && !run.hasFailures();
        if (!searching) {
            return good;
        }
        return good
                && !shootout.maxRates().isEmpty()
                && shootout.maxRates().stream().allMatch(found -> found.total() > 0);
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of("loadgen"));
        command.addAll(spec.commandLine().getParseResult().originalArgs());
        return command;
    }

    private static String version() {
        String version = ShootoutOutput.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    /** On stderr: stdout holds the result alone. */
    private final class Lines implements ShootoutListener {
        private final ProgressLines progress = new ProgressLines();

        @Override
        public void notice(String line) {
            progress.close();
            spec.commandLine().getErr().println(line);
            spec.commandLine().getErr().flush();
        }

        @Override
        public RunObserver begins(String where) {
            return progress.start(where.isEmpty() ? "" : "[" + where + "] ");
        }

        void close() {
            progress.close();
        }
    }
}
