package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.bench.BenchCase;
import dev.msgrelay.loadgen.bench.CaseResult;
import dev.msgrelay.loadgen.bench.Cases;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.host.Machine;
import dev.msgrelay.loadgen.host.PathMtu;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.report.BenchResults;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loadgen bench}: every case in turn with its ceiling. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures each case in turn with its ceiling and prints the median of the fractions beside what is asked.",
            "Rounds that the machine disturbed or in which a run was invalid are left out when others remain.",
            "Exits 1 when a run was invalid; a case that falls short is told, and no error."
        })
final class BenchCommand extends Told {
    private static final int MAX_ROUNDS = 101;

    /** A contestant that fails so often in a row is not measured any more. */
    private static final int GIVE_UP_AFTER = 2;

    @Option(
            names = "--only",
            paramLabel = "CASE",
            split = ",",
            description = "Only these: in-process-runs, in-process-single, one-to-one, fan-out, slow-subscriber, unix,"
                    + " many-publishers, latency, sustained, idle, c-one-to-one, c-fan-out, library, acknowledged,"
                    + " filtered, churn, storm, library-storm, tls, tls-fan-out, tls-sustained, handshakes, scrapes,"
                    + " journal, journal-latency, ack-written, ack-forced, journal-fio, jetstream.")
    private List<String> only = new ArrayList<>();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Rounds of each case that is compared with something (${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Option(
            names = "--body",
            paramLabel = "BYTES",
            description = "Bytes of every message's body, at least 16 (${DEFAULT-VALUE}).")
    private int body = 100;

    @Option(
            names = "--disk",
            paramLabel = "DIR",
            description = "A directory on the disk that journals, and what others write, are put on while they are"
                    + " measured (where temporary files go).")
    private Path disk;

    @Option(names = "--quick", description = "Shorter runs: for a look, not for the record.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all raw figures to this file.")
    private Path jsonFile;

    @Override
    public Integer call() throws IOException, InterruptedException {
        within("--rounds", rounds, 1, MAX_ROUNDS);
        within("--body", body, LoadMessage.MIN_BODY, FrameLayout.DEFAULT_MAX_BODY);
        refuse(disk != null && !Files.isDirectory(disk), "--disk " + disk + " is no directory");
        Cases known = new Cases(body, rounds, quick, disk);
        List<BenchCase> cases = selected(known.all());
        if (jsonFile != null) {
            // Whether it can be written is known before hours are measured; what it has stays until there is more.
            Files.newOutputStream(jsonFile, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                    .close();
        }
        out().println("machine: " + Machine.here() + ", MTU of loopback " + PathMtu.loopback());
        known.leftOut().forEach(out()::println);
        out().flush();
        Results results = nothingYet();
        boolean valid = true;
        try (Interrupts interrupts = Interrupts.watch();
                ProgressLine lines = ProgressLine.onStderr(err())) {
            Experiment<RunResult> experiment = experiment(interrupts, lines, GIVE_UP_AFTER);
            cases.forEach(benchCase -> benchCase.announce(experiment));
            for (BenchCase benchCase : cases) {
                CaseResult result = benchCase.run(experiment);
                lines.end();
                print(result.text());
                valid &= result.failures().isEmpty();
                results = BenchResults.with(results, result);
                write(results);
            }
            write(results.with(Ending.complete()));
        } catch (InterruptedException e) {
            write(results.with(Ending.interrupted("Ctrl-C")));
            throw e;
        }
        return valid ? 0 : 1;
    }

    private List<BenchCase> selected(List<BenchCase> all) {
        List<String> known = all.stream().map(BenchCase::id).toList();
        for (String id : only) {
            refuse(!known.contains(id), "--only '" + id + "' is none of " + String.join(", ", known));
        }
        return only.isEmpty()
                ? all
                : all.stream().filter(one -> only.contains(one.id())).toList();
    }

    /** After every case, so that an interrupted benchmark leaves what it had. */
    private void write(Results results) throws IOException {
        if (jsonFile != null) {
            try (Writer out = Files.newBufferedWriter(jsonFile)) {
                Json.write(results, out);
            }
        }
    }
}
