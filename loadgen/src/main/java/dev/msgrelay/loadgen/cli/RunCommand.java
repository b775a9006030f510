package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.RunJson;
import dev.msgrelay.loadgen.report.RunTable;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loadgen run}: publishers, a relay and subscribers as processes of their own, and what came of it. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts a relay, publishers and subscribers as separate processes on loopback and checks every"
                + " message. Exits 1 when one was lost, duplicated or reordered without the policy explaining it.")
final class RunCommand implements Callable<Integer> {
    /** What lies between publishers and subscribers. */
    enum Through {
        RELAY,
        PLAIN,
        DIRECT
    }

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions loadOptions;

    @Mixin
    private RelayOptions relayOptions;

    @Option(
            names = "--through",
            defaultValue = "relay",
            description = "What lies between: relay; plain, the plain relay of the ceilings; direct, pre-packed frames"
                    + " to one subscriber that only counts (${DEFAULT-VALUE}).")
    private Through through;

    @Option(
            names = "--buffer",
            paramLabel = "BYTES",
            description = "Of the plain relay's reads, or of the writes of direct (one segment of the path).")
    private Integer buffer;

    @Option(names = "--json", description = "Print the result as JSON instead of a table.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Middle middle = middle();
        ProgressLine progress = ProgressLine.onStderr("");
        LoadRun run = new LoadRun(middle, loadOptions.load(), loadOptions.timing(), progress);
        try (Interrupts interrupts = Interrupts.watch()) {
            double hopBefore = CoreHop.measureNanos();
            RunResult result = interrupts.orInterrupted(run::run);
            double hopAfter = CoreHop.measureNanos();
            progress.close();
            return report(out, result, hopBefore, hopAfter);
        } catch (InterruptedException e) {
            progress.close();
            out.println(RunTable.partial(run.lastLive()));
            out.flush();
            throw e;
        } finally {
            progress.close();
        }
    }

    private Middle middle() throws IOException {
        int size = buffer == null ? PathMtu.segment(PathMtu.loopback()) : buffer;
        return switch (through) {
            case RELAY -> relayOptions.middle();
            case PLAIN -> Middles.plain(size);
            case DIRECT -> Middles.direct(size);
        };
    }

    private int report(PrintWriter out, RunResult result, double hopBefore, double hopAfter) throws IOException {
        List<String> failures = Verdict.failures(result.received(), result.load(), relayOptions.policy());
        if (json) {
            out.println(RunJson.of(result, failures, hopBefore, hopAfter));
        } else {
            out.print(RunTable.of(result));
            out.println("  machine: " + Machine.here() + ", MTU of loopback " + PathMtu.loopback());
            out.printf("  core-to-core hop: %.0f ns before, %.0f ns after%n", hopBefore, hopAfter);
            out.println();
            out.println(failures.isEmpty() ? "PASS" : "FAIL");
            failures.forEach(failure -> out.println("  " + failure));
        }
        out.flush();
        return failures.isEmpty() ? 0 : 1;
    }
}
