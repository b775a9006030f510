package dev.msgrelay.loadgen.cli;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.bench.Bench;
import dev.msgrelay.loadgen.bench.Ceilings;
import dev.msgrelay.loadgen.bench.Contender;
import dev.msgrelay.loadgen.bench.Sample;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.report.BenchTable;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunException;
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
    public Integer call() throws IOException, RunException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Load load = options.load();
        Timing timing = options.timing();
        Map<String, List<Contender>> groups = new LinkedHashMap<>();
        groups.put("direct, 1 -> 1", Ceilings.direct(load, timing));
        groups.put("plain relay, 1 -> 1", Ceilings.plain(load, timing));
        groups.put("plain relay, 1 -> 8, deliveries", Ceilings.plain(load.withCounts(1, FAN_OUT), timing));
        ProgressLines lines = new ProgressLines();
        Bench bench = new Bench(lines::start);
        bench.expectAll(groups.values().stream().flatMap(List::stream).toList());
        JsonObject document = new JsonObject();
        List<String> failures = new ArrayList<>();
        try (Interrupts interrupts = Interrupts.watch()) {
            for (Map.Entry<String, List<Contender>> group : groups.entrySet()) {
                List<Sample> samples = interrupts.orInterrupted(() -> bench.tryAll(group.getValue()));
                lines.close();
                samples.forEach(sample -> failures.addAll(sample.failures()));
                document.put(group.getKey(), BenchTable.json(samples));
                if (!json) {
                    out.println(BenchTable.ceiling(group.getKey(), samples));
                    out.flush();
                }
            }
        }
        report(out, document, failures);
        return failures.isEmpty() ? 0 : 1;
    }

    private void report(PrintWriter out, JsonObject document, List<String> failures) throws IOException {
        if (json) {
            document.put("machine", Machine.here().toJson());
            out.println(JsonWriter.indent("  ").string().value(document).done());
        } else {
            out.println("machine: " + Machine.here() + ", MTU of loopback " + PathMtu.loopback());
            failures.forEach(failure -> out.println("FAIL " + failure));
        }
        out.flush();
    }
}
