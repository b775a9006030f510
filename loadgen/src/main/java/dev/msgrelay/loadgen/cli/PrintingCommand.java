package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;

/** A command that prints its results, as text or as JSON. */
abstract class PrintingCommand extends Options implements Callable<Integer> {
    // This is the start time in the results. It is read before the first measurement.
    private final Instant called = Instant.now();

    final PrintWriter out() {
        return spec().commandLine().getOut();
    }

    final PrintWriter err() {
        return spec().commandLine().getErr();
    }

    final Results nothingYet() {
        List<String> args = spec().commandLine().getParseResult().originalArgs();
        return Results.of(Origin.of(called, spec().name(), args), List.of(Site.here()));
    }

    static Experiment experiment(Interrupts interrupts, RunObserver observer, int giveUpAfter) {
        return new Experiment(System::nanoTime, interrupts::isRequested, observer, () -> {}, giveUpAfter);
    }

    final void print(Results results) throws IOException {
        Json.write(results, out());
        out().flush();
    }

    final void print(String text) {
        out().print(text);
        out().flush();
    }
}
