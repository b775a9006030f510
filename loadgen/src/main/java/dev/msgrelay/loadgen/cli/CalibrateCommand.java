package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.host.PathMtu;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.report.BenchResults;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loadgen calibrate}: the ceilings of this machine. */
@Command(
        name = "calibrate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures what this machine can do without a relay: the ceilings direct and plain relay.",
            "direct: pre-packed frames from one process to another, in writes of several sizes. plain relay: a thread that"
                    + " reads a buffer and writes it on, to 1 or 8 subscribers, with buffers of several sizes."
        })
final class CalibrateCommand extends Told {
    private static final int FAN_OUT = 8;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            description = "Bytes of every message's body, at least 16 (${DEFAULT-VALUE}).")
    private int body = 100;

    @Option(names = "--unix", description = "Unix sockets instead of TCP.")
    private boolean unix;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "3s",
            description = "Of each measurement (${DEFAULT-VALUE}).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "Before each measurement (${DEFAULT-VALUE}).")
    private Duration warmup;

    @Option(names = "--json", description = "Print the figures as JSON instead of tables.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        within("--body", body, LoadMessage.MIN_BODY, FrameLayout.MAX_MAX_BODY);
        Load load = Load.oneToOne(body).withUnix(unix);
        Timing timing = timing(warmup, null, duration);
        LoadRig rig = new HostRig();
        Map<String, List<LoadCell>> groups = new LinkedHashMap<>();
        groups.put("direct, 1 -> 1", CeilingCells.direct(load, timing, rig));
        groups.put("plain relay, 1 -> 1", CeilingCells.plain(load, timing, rig));
        groups.put("plain relay, 1 -> 8, deliveries", CeilingCells.plain(load.withCounts(1, FAN_OUT), timing, rig));
        Results results = nothingYet();
        List<String> failures = new ArrayList<>();
        try (Interrupts interrupts = Interrupts.watch();
                ProgressLine lines = ProgressLine.onStderr(err())) {
            Experiment<RunResult> experiment = experiment(interrupts, lines, 1);
            groups.values().forEach(cells -> experiment.expect(cells, 1));
            for (Map.Entry<String, List<LoadCell>> group : groups.entrySet()) {
                List<Run<RunResult>> runs = experiment.rounds(group.getKey(), group.getValue(), Until.rounds(1));
                lines.end();
                runs.forEach(run -> failures.addAll(run.failures()));
                results = BenchResults.with(results, group.getKey(), runs);
                if (!json) {
                    print(BenchResults.ceiling(group.getKey(), runs) + "\n");
                }
            }
        }
        if (json) {
            print(results.with(Ending.complete()));
        } else {
            out().println("machine: " + Machine.here() + ", MTU of loopback " + PathMtu.loopback());
            failures.forEach(failure -> out().println("FAIL " + failure));
            out().flush();
        }
        return failures.isEmpty() ? 0 : 1;
    }
}
