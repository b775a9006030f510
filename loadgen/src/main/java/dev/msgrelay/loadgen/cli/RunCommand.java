package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.experiment.StandingRig;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.report.CeilingRuns;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.RunTable;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen run}: publishers, a relay and subscribers as processes of their own, and what came of it. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Starts a relay, publishers and subscribers as separate processes on loopback and checks every message.",
            "Runs at full speed, and then at a part of the speed that was found, which gives the latency. Exits 1 when a"
                    + " message was lost (and no policy explains it), came twice, out of order, in another order to another"
                    + " subscriber, or not byte for byte as it was sent. Whether figures are usable is said beside them: not"
                    + " where the machine had other things to do."
        })
final class RunCommand extends Told {
    /** Of a ceiling. */
    private static final Timing CALIBRATION = new Timing(Duration.ofSeconds(2), Duration.ofSeconds(3));

    private static final String PLAIN_RELAY = "the plain relay";

    @Mixin
    private LoadOptions loadOptions;

    @Mixin
    private ThroughOptions throughOptions;

    @Option(
            names = "--calibrate",
            description =
                    "Measure each ceiling once, right before the relay, and tell the result as a fraction of them.")
    private boolean calibrate;

    @Option(
            names = "--latency-at",
            paramLabel = "PERCENT",
            description =
                    "After a run at full speed, latency is measured at this part of the speed that was found, on a fixed"
                            + " schedule; 0: not at all (${DEFAULT-VALUE}).")
    private int latencyAt = 80;

    @Option(
            names = "--explain",
            description = "Print all evidence: each process, each subscriber, what stood in which queue.")
    private boolean explain;

    @Option(names = "--json", description = "Print the result as JSON instead of text.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        Load given = throughOptions.overTls(loadOptions.load());
        within("--latency-at", latencyAt, 0, 100);
        refuse(
                given.rate() > 0 && latencyAt > 0 && isGiven("--latency-at"),
                "--latency-at and --rate " + given.rate() + " exclude each other: latency is measured at that rate");
        Contestant contestant = throughOptions.contestant(given);
        Load load = throughOptions.asConnected(given);
        refuse(calibrate && load.rate() > 0, "--calibrate compares speeds: it takes no --rate " + load.rate());
        try (Interrupts interrupts = Interrupts.watch();
                ProgressLine lines = ProgressLine.onStderr(err());
                StandingRig rig = new StandingRig()) {
            Map<String, List<Run<RunResult>>> ceilings =
                    calibrate ? ceilings(load, experiment(interrupts, lines, 1)) : Map.of();
            Experiment<RunResult> parts = experiment(interrupts, lines, 1);
            try {
                LoadCell first = LoadCell.here("", contestant, load, loadOptions.timing(), rig);
                for (LoadCell cell = first; cell != null; cell = next(first, parts.runs())) {
                    Run<RunResult> run = parts.measure("", cell, 1);
                    if (!run.isWhole()) {
                        throw new RunException(run.failures().get(0));
                    }
                }
                List<Run<RunResult>> whole = rig.end(parts.runs());
                lines.end();
                return report(whole, ceilings, Ending.complete());
            } catch (InterruptedException e) {
                rig.abandon();
                lines.end();
                if (!parts.runs().isEmpty()) {
                    report(parts.runs(), Map.of(), Ending.interrupted("Ctrl-C"));
                }
                // JSON is all of stdout, or nothing.
                (json ? err() : out()).println(RunTable.partial(rig.lastLive()));
                throw e;
            }
        }
    }

    /** Full speed, then at a part of it; null: no more. */
    private LoadCell next(LoadCell first, List<Run<RunResult>> done) {
        Load load = first.load();
        if (!first.contestant().stays() || load.rate() > 0 || done.size() != 1 || latencyAt == 0 || !load.isChecked()) {
            return null;
        }
        int rate = done.get(0).result().rateAt(latencyAt);
        return rate == 0
                ? null
                : LoadCell.here(
                        "",
                        first.contestant(),
                        load.withRate(rate).withWriteSize(0),
                        loadOptions.followingTiming(),
                        first.rig());
    }

    private static Map<String, List<Run<RunResult>>> ceilings(Load load, Experiment<RunResult> experiment)
            throws InterruptedException {
        LoadRig rig = new HostRig();
        Map<String, List<Run<RunResult>>> ceilings = new LinkedHashMap<>();
        ceilings.put("direct", List.of(experiment.measure("", CeilingCells.direct(load, CALIBRATION, rig), 1)));
        ceilings.put(PLAIN_RELAY, List.of(experiment.measure("", CeilingCells.plain(load, CALIBRATION, rig), 1)));
        return ceilings;
    }

    private int report(List<Run<RunResult>> runs, Map<String, List<Run<RunResult>>> ceilings, Ending ending)
            throws IOException {
        Ceilings ceiling =
                ceilings.isEmpty() ? null : ceiling(ceilings.get(PLAIN_RELAY).get(0));
        Load load = runs.get(0).result().load();
        LaneKind kind = load.unix() ? LaneKind.UNIX : LaneKind.LOOPBACK;
        Results results = nothingYet().with(LaneResult.of(kind.title(), kind)).with(ending);
        List<RunTable.Part> told = new ArrayList<>();
        for (Run<RunResult> one : runs) {
            RunResult result = one.result();
            Cell cell = new Cell(
                    result.contestant(),
                    Parameters.of(result.load()),
                    result.load().rate() > 0 ? null : ceiling,
                    List.of());
            RunRecord run = LoadCell.record(one, Places.NEAR, cell.ceilings());
            results = results.with(kind.title(), cell, run);
            told.add(new RunTable.Part(run, result.load()));
        }
        List<Ratio> ratios = new ArrayList<>();
        for (Map.Entry<String, List<Run<RunResult>>> group : ceilings.entrySet()) {
            results = CeilingRuns.with(results, group.getKey(), group.getValue());
            ratios.add(ratio(results.lanes().get(0).cells().get(0), told.get(0).run(), group));
        }
        results = results.withRatios(ratios);
        if (json) {
            print(results);
        } else {
            Contestant contestant = ((LoadCell) runs.get(0).cell()).contestant();
            print(RunTable.of(results, told, contestant.name(), contestant.transport(load), explain));
        }
        return results.runs().stream().allMatch(one -> one.outcome().passed()) ? 0 : 1;
    }

    private static Ratio ratio(Cell cell, RunRecord run, Map.Entry<String, List<Run<RunResult>>> ceiling) {
        double best = LoadCell.rate(ceiling.getValue().get(0));
        double speed = Figures.out(run);
        return new Ratio(
                cell.parameters().load(),
                "deliveries a second",
                ceiling.getKey(),
                cell.contestant(),
                best,
                speed,
                1,
                1,
                speed / best,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                false,
                "");
    }

    private static Ceilings ceiling(Run<RunResult> run) {
        if (!run.isWhole()) {
            return null;
        }
        Traffic most = run.result().throughput().out();
        return new Ceilings(
                Ceilings.PLAIN_RELAY, new Ceilings.Rate(most.messagesPerSecond(), most.bytesPerSecond()), null);
    }
}
