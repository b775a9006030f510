package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.lab.Experiment;
import dev.msgrelay.loadgen.lab.ExperimentResult;
import dev.msgrelay.loadgen.lab.LabOptions;
import dev.msgrelay.loadgen.lab.LabResult;
import dev.msgrelay.loadgen.lab.LabRun;
import dev.msgrelay.loadgen.lab.output.LabJson;
import dev.msgrelay.loadgen.lab.output.LabPage;
import dev.msgrelay.loadgen.lab.output.LabText;
import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.page.HtmlWriter;
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
final class LabRunOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--quick", description = "Short runs of little data: for a look, not for the record.")
    private boolean quick;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often everything is measured, after a warm-up (" + LabOptions.ROUNDS + "; with --quick "
                    + LabOptions.QUICK_ROUNDS + ").")
    private Integer rounds;

    @Option(
            names = "--dir",
            paramLabel = "DIRECTORY",
            description = "Where temporary files go; they are removed (the system's place for such).")
    private Path directory = Path.of(System.getProperty("java.io.tmpdir"));

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures to this file.")
    private Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a page with tables and plots to this file.")
    private Path html;

    boolean quick() {
        return quick;
    }

    /** Runs and shows them; 0, or 1 when a row is FAILED. */
    int run(List<Experiment> experiments) throws IOException, RunException, InterruptedException {
        int times = rounds == null ? LabOptions.defaultRounds(quick) : rounds;
        Limits.within(spec, "--rounds", times, 1, LabOptions.MAX_ROUNDS);
        checkWritable("--json", json);
        checkWritable("--html", html);
        LabOptions options = new LabOptions(quick, times, directory);
        PrintWriter out = spec.commandLine().getOut();
        out.println("machine: " + Machine.here());
        out.flush();
        try (Interrupts interrupts = Interrupts.watch();
                LabProgress progress = new LabProgress()) {
            LabRun run = new LabRun(options, CoreHop::measureNanos, progress);
            run.check(experiments);
            boolean failed = false;
            for (int i = 0; i < experiments.size(); i++) {
                Experiment experiment = experiments.get(i);
                int number = i + 1;
                LabResult result = interrupts.orInterrupted(() -> run.run(experiment, number, experiments.size()));
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
        List<ExperimentResult> all = result.experiments();
        out.println();
        out.print(LabText.of(all.get(all.size() - 1)));
        if (result.interrupted()) {
            out.println();
            out.println("INTERRUPTED: these are the figures up to then");
        }
        out.flush();
        if (json != null) {
            Files.writeString(json, LabJson.of(result));
        }
        if (html != null) {
            Files.writeString(html, HtmlWriter.html(LabPage.of(result)));
        }
    }
}
