package dev.msgrelay.lab;

import dev.msgrelay.loadgen.cli.Limits;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.render.HtmlWriter;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What all experiments of the lab can be told, and how they are run and shown. */
public final class LabOptions {
    private static final int MAX_ROUNDS = 101;

    /** Of a quick run: the least that has a median. */
    private static final int QUICK_ROUNDS = 3;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--quick", description = "Short runs of little data: for a look, not for the record.")
    private boolean quick;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often everything is measured, after a warm-up (" + Claim.MIN_ROUNDS + ", the least for a"
                    + " verdict; with --quick " + QUICK_ROUNDS + ").")
    private Integer rounds;

    @Option(
            names = "--dir",
            paramLabel = "DIRECTORY",
            description = "Where temporary files go; they are removed (the system's place for such).")
    private Path directory = Path.of(System.getProperty("java.io.tmpdir"));

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures to this file.")
    private Path json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page with the claims, plots and tables to this file.")
    private Path html;

    /** As on a command line that says nothing. */
    public LabOptions() {}

    LabOptions(boolean quick, int rounds, Path directory) {
        this.quick = quick;
        this.rounds = rounds;
        this.directory = directory;
    }

    boolean quick() {
        return quick;
    }

    /** How often every contestant is measured, after the warm-up. */
    int rounds() {
        return rounds != null ? rounds : quick ? QUICK_ROUNDS : Claim.MIN_ROUNDS;
    }

    Path directory() {
        return directory;
    }

    /** Runs and shows them; 0, or 1 when a row is FAILED. */
    public int run(List<Experiment> experiments) throws IOException, RunException, InterruptedException {
        Limits.within(spec, "--rounds", rounds(), 1, MAX_ROUNDS);
        checkWritable("--json", json);
        checkWritable("--html", html);
        PrintWriter out = spec.commandLine().getOut();
        out.println("machine: " + Machine.here());
        out.flush();
        try (Interrupts interrupts = Interrupts.watch();
                LabProgress progress = new LabProgress(ProgressLine.onStderr(""), experiments.size())) {
            LabRun run = new LabRun(this, CoreHop::measureNanos, progress);
            run.check(experiments);
            boolean failed = false;
            for (Experiment experiment : experiments) {
                LabResult result = interrupts.orInterrupted(() -> run.run(experiment));
                progress.pause();
                show(out, result);
                if (result.interrupted()) {
                    throw new InterruptedException();
                }
                failed = result.failed();
            }
            return failed ? 1 : 0;
        }
    }

    /** Before the run, which may take long. */
    private void checkWritable(String option, Path file) {
        if (file == null) {
            return;
        }
        Path parent = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || parent == null || !Files.isWritable(parent)) {
            throw new ParameterException(
                    spec.commandLine(), option + " '" + file + "' is not a file that can be written");
        }
    }

    /** After every experiment, so that whatever happens then leaves what there was. */
    private void show(PrintWriter out, LabResult result) throws IOException {
        LabReport report = new LabReport(result);
        out.println();
        out.print(report.text(result.experiments().get(result.experiments().size() - 1)));
        if (result.interrupted()) {
            out.println();
            out.println("INTERRUPTED: these are the figures up to then");
        }
        out.flush();
        if (json != null) {
            Files.writeString(json, report.json());
        }
        if (html != null) {
            Files.writeString(html, HtmlWriter.html(report.page()));
        }
    }
}
