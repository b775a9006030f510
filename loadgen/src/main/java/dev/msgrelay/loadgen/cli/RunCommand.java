package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.bench.Bench;
import dev.msgrelay.loadgen.bench.Ceilings;
import dev.msgrelay.loadgen.bench.Sample;
import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.report.BenchTable;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.RunJson;
import dev.msgrelay.loadgen.report.RunTable;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loadgen run}: publishers, a relay and subscribers as processes of their own, and what came of it. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts a relay, publishers and subscribers as separate processes on loopback and checks every"
                + " message. Exits 1 when one was lost, duplicated, reordered or corrupted without the policy explaining it, or when"
                + " more than 0.1 %% left over 1 ms late.")
final class RunCommand implements Callable<Integer> {
    /** Of each of the sizes that --calibrate tries. */
    private static final Timing CALIBRATION = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(2));

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions loadOptions;

    @Mixin
    private MiddleOptions middleOptions;

    @Option(
            names = "--calibrate",
            description = "Measure the ceilings first, and tell the result as a fraction of them.")
    private boolean calibrate;

    @Option(names = "--json", description = "Print the result as JSON instead of a table.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        Load given = loadOptions.load();
        Middle middle = middleOptions.middle(given);
        Load load = middleOptions.relay().asConnected(given);
        if (calibrate && load.rate() > 0) {
            throw new ParameterException(
                    spec.commandLine(), "--calibrate compares speeds: it takes no --rate " + load.rate());
        }
        PrintWriter out = spec.commandLine().getOut();
        ProgressLine progress = ProgressLine.onStderr("");
        LoadRun run = new LoadRun(middle, load, loadOptions.timing(), progress);
        try (Interrupts interrupts = Interrupts.watch()) {
            Map<String, List<Sample>> ceilings = calibrate ? ceilings(load, interrupts) : Map.of();
            double hopBefore = CoreHop.measureNanos();
            RunResult result = interrupts.orInterrupted(run::run);
            double hopAfter = CoreHop.measureNanos();
            progress.close();
            return report(result, middle.transport(load), new double[] {hopBefore, hopAfter}, ceilings);
        } catch (InterruptedException e) {
            progress.close();
            out.println(RunTable.partial(run.lastLive()));
            out.flush();
            throw e;
        } finally {
            progress.close();
        }
    }

    private static Map<String, List<Sample>> ceilings(Load load, Interrupts interrupts)
            throws IOException, RunException, InterruptedException {
        ProgressLines lines = new ProgressLines();
        Bench bench = new Bench(lines::start);
        Map<String, List<Sample>> ceilings = new LinkedHashMap<>();
        ceilings.put("direct", interrupts.orInterrupted(() -> bench.tryAll(Ceilings.direct(load, CALIBRATION))));
        ceilings.put(
                "the plain relay", interrupts.orInterrupted(() -> bench.tryAll(Ceilings.plain(load, CALIBRATION))));
        lines.close();
        return ceilings;
    }

    private int report(RunResult result, String transport, double[] hops, Map<String, List<Sample>> ceilings)
            throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        List<String> failures =
                new ArrayList<>(Verdict.failures(result, middleOptions.relay().policy()));
        ceilings.values().forEach(samples -> samples.forEach(sample -> failures.addAll(sample.failures())));
        if (json) {
            out.println(RunJson.of(result, transport, failures, hops, ceilings));
        } else {
            out.print(RunTable.of(result, transport));
            out.println("  machine: " + Machine.here() + ", MTU of loopback " + PathMtu.loopback());
            out.println(BenchTable.hops(hops));
            ceilings.forEach((name, samples) -> {
                out.println();
                out.print(BenchTable.ceiling(name, samples));
                out.println(BenchTable.fraction(result.deliveriesPerSecond(), name, samples));
            });
            out.println();
            out.println(failures.isEmpty() ? "PASS" : "FAIL");
            failures.forEach(failure -> out.println("  " + failure));
        }
        out.flush();
        return failures.isEmpty() ? 0 : 1;
    }
}
