package dev.msgrelay.loadgen.cli;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.bench.Bench;
import dev.msgrelay.loadgen.bench.BenchCase;
import dev.msgrelay.loadgen.bench.CaseResult;
import dev.msgrelay.loadgen.bench.Cases;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.measure.PathMtu;
import dev.msgrelay.loadgen.report.BenchJson;
import dev.msgrelay.loadgen.report.BenchTable;
import dev.msgrelay.loadgen.report.CaseReport;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loadgen bench}: every case in turn with its ceiling. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures each case in turn with its ceiling and prints the median of the fractions beside what is asked.",
            "Rounds during which the machine changed (core-to-core hop) are left out when enough others remain.",
            "Exits 1 when a run was invalid; a case that falls short is told, and no error."
        })
final class BenchCommand implements Callable<Integer> {
    private static final int MAX_ROUNDS = 101;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--only",
            paramLabel = "CASE",
            split = ",",
            description = "Only these: in-process-runs, in-process-single, one-to-one, fan-out, slow-subscriber, unix,"
                    + " many-publishers, latency, sustained, idle.")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "Rounds of each case that is compared with something (${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes of every message's body, at least 16 (${DEFAULT-VALUE}).")
    private int body;

    @Option(names = "--quick", description = "Shorter runs: for a look, not for the record.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all raw figures to this file.")
    private Path jsonFile;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        Limits.within(spec, "--rounds", rounds, 1, MAX_ROUNDS);
        Limits.within(spec, "--body", body, LoadMessage.MIN_BODY, FrameLayout.DEFAULT_MAX_BODY);
        List<BenchCase> cases = selected();
        PrintWriter out = spec.commandLine().getOut();
        out.println("machine: " + Machine.here() + ", MTU of loopback " + PathMtu.loopback());
        out.flush();
        ProgressLines lines = new ProgressLines();
        Bench bench = new Bench(lines::start);
        bench.expect(cases);
        JsonArray raw = new JsonArray();
        boolean valid = true;
        try (Interrupts interrupts = Interrupts.watch()) {
            for (BenchCase benchCase : cases) {
                CaseResult result = interrupts.orInterrupted(() -> bench.run(benchCase));
                CaseReport report = CaseReport.of(result);
                lines.close();
                out.print(BenchTable.lines(report));
                out.flush();
                valid &= report.failures().isEmpty();
                raw.add(BenchJson.of(result, report));
                write(raw);
            }
        }
        return valid ? 0 : 1;
    }

    private List<BenchCase> selected() throws IOException {
        List<BenchCase> all = new Cases(body, rounds, quick).all();
        List<String> known = all.stream().map(BenchCase::id).toList();
        for (String id : only) {
            if (!known.contains(id)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--only '" + id + "' is none of " + known.stream().collect(Collectors.joining(", ")));
            }
        }
        return only.isEmpty()
                ? all
                : all.stream().filter(one -> only.contains(one.id())).toList();
    }

    /** After every case, so that an interrupted benchmark leaves what it had. */
    private void write(JsonArray cases) throws IOException {
        if (jsonFile == null) {
            return;
        }
        JsonObject document = new JsonObject();
        document.put("machine", Machine.here().toJson());
        document.put("pathMtu", PathMtu.loopback());
        document.put("quick", quick);
        document.put("cases", cases);
        Files.writeString(
                jsonFile, JsonWriter.indent("  ").string().value(document).done() + "\n");
    }
}
