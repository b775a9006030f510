package dev.msgrelay.lab;

import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.render.HtmlPage;
import dev.msgrelay.loadgen.report.ProgressLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs experiments and writes their reports. The paths json and html are null if such a file was not asked for. */
public record Lab(Experiment.Settings settings, Path json, Path html, PrintWriter out, PrintWriter err) {
    /** Runs the experiments and prints their results; returns 0, or 1 if a row is FAILED. */
    public int run(List<Experiment> experiments) throws IOException, InterruptedException {
        out.println("machine: " + Machine.here());
        out.flush();
        try (Interrupts interrupts = new Interrupts();
                ProgressLine progress = new ProgressLine(err)) {
            LabRun run = new LabRun(settings, progress::step, interrupts::isRequested);
            run.check(experiments);
            boolean failed = false;
            for (Experiment experiment : experiments) {
                LabResult result = run.run(experiment);
                progress.clear();
                show(result);
                if (result.interrupted()) {
                    throw new InterruptedException();
                }
                failed = result.failed();
            }
            return failed ? 1 : 0;
        }
    }

    /** Writes the reports after every experiment, so that a later failure does not lose them. */
    private void show(LabResult result) throws IOException {
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
            Files.writeString(html, HtmlPage.of("Lab", report.page()));
        }
    }
}
