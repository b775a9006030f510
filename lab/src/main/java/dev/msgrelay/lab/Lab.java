package dev.msgrelay.lab;

import dev.msgrelay.loadgen.cli.Limits;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.Meter;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.render.HtmlWriter;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.run.RunException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Runs and shows experiments, for a command. */
public final class Lab {
    private final CommandSpec command;
    private final LabOptions options;
    private final PrintWriter out;

    public Lab(CommandSpec command, LabOptions options) {
        this.command = command;
        this.options = options;
        this.out = command.commandLine().getOut();
    }

    /** Runs and shows them; 0, or 1 when a row is FAILED. */
    public int run(List<Experiment> experiments) throws IOException, RunException, InterruptedException {
        Limits.within(command, "--rounds", options.rounds(), 1, LabOptions.MAX_ROUNDS);
        options.checkFiles(command);
        out.println("machine: " + Machine.here());
        out.flush();
        try (Interrupts interrupts = Interrupts.watch();
                LabProgress progress = new LabProgress(
                        ProgressLine.onStderr(command.commandLine().getErr()))) {
            LabRun run = new LabRun(options, Meter.ofThisHost(interrupts), progress);
            run.check(experiments);
            boolean failed = false;
            for (int i = 0; i < experiments.size(); i++) {
                Experiment experiment = experiments.get(i);
                String number = experiments.size() == 1 ? "" : i + 1 + "/" + experiments.size() + " ";
                LabResult result = interrupts.orInterrupted(() -> run.run(experiment, number + experiment.name()));
                progress.pause();
                show(result);
                if (result.interrupted()) {
                    throw new InterruptedException();
                }
                failed = result.failed();
            }
            return failed ? 1 : 0;
        }
    }

    /** After every experiment, so that whatever happens then leaves what there was. */
    private void show(LabResult result) throws IOException {
        LabReport report = new LabReport(result);
        out.println();
        out.print(report.text(result.experiments().get(result.experiments().size() - 1)));
        if (result.interrupted()) {
            out.println();
            out.println("INTERRUPTED: these are the figures up to then");
        }
        out.flush();
        if (options.json() != null) {
            Files.writeString(options.json(), report.json());
        }
        if (options.html() != null) {
            Files.writeString(options.html(), HtmlWriter.html(report.page()));
        }
    }
}
