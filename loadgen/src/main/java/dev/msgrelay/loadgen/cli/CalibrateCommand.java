package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.report.BenchResults;
import dev.msgrelay.loadgen.report.BenchTable;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.loadgen.result.Results.Site;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loadgen calibrate}: the ceilings of this machine. */
@Command(
        name = "calibrate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures what this machine can do without a relay:",
            "  direct       pre-packed frames from one process to another, several write sizes",
            "  plain relay  a thread that reads a buffer and writes it on, to 1 or 8 subscribers, several buffer sizes"
        })
final class CalibrateCommand implements Callable<Integer> {
    private static final int FAN_OUT = 8;

    @Spec
    private CommandSpec spec;

    @Mixin
    private CalibrateOptions options;

    @Option(names = "--json", description = "Print the figures as JSON instead of tables.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Load load = options.load();
        Timing timing = options.timing();
        LoadRig rig = new HostRig();
        Map<String, List<LoadCell>> groups = new LinkedHashMap<>();
        groups.put("direct, 1 -> 1", CeilingCells.direct(load, timing, rig));
        groups.put("plain relay, 1 -> 1", CeilingCells.plain(load, timing, rig));
        groups.put("plain relay, 1 -> 8, deliveries", CeilingCells.plain(load.withCounts(1, FAN_OUT), timing, rig));
        Results results = Results.of(
                Origin.now("calibrate", spec.commandLine().getParseResult().originalArgs()), List.of(Site.here()));
        List<String> failures = new ArrayList<>();
        try (Interrupts interrupts = Interrupts.watch();
                ProgressLines lines = new ProgressLines(spec.commandLine().getErr())) {
            Experiment<RunResult> experiment = lines.experiment(interrupts, 1);
            groups.values().forEach(cells -> experiment.expect(cells, 1));
            for (Map.Entry<String, List<LoadCell>> group : groups.entrySet()) {
                List<Run<RunResult>> runs = experiment.rounds(group.getKey(), group.getValue(), Until.rounds(1));
                lines.end();
                runs.forEach(run -> failures.addAll(run.failures()));
                results = BenchResults.with(results, group.getKey(), runs);
                if (!json) {
                    out.println(BenchTable.ceiling(group.getKey(), runs));
                    out.flush();
                }
            }
        }
        report(out, results.with(Ending.complete()), failures);
        return failures.isEmpty() ? 0 : 1;
    }

    private void report(PrintWriter out, Results results, List<String> failures) throws IOException {
        if (json) {
            Json.write(results, out);
        } else {
            out.println("machine: " + Machine.here() + ", MTU of loopback " + PathMtu.loopback());
            failures.forEach(failure -> out.println("FAIL " + failure));
        }
        out.flush();
    }
}
