package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.HostRig;
import dev.msgrelay.loadgen.experiment.Interrupts;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.LoadRig;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.report.BenchResults;
import dev.msgrelay.loadgen.report.ProgressLine;
import dev.msgrelay.loadgen.report.RunTable;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Regime;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Hops;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.result.RunRecords;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunInParts;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen run}: publishers, a relay and subscribers as processes of their own, and what came of it. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts a relay, publishers and subscribers as separate processes on loopback and checks every"
                + " message: at full speed, and then at a part of the speed that was found, which gives the latency. Exits 1 when a"
                + " message was lost (and no policy explains it), came twice, out of order, in another order to another"
                + " subscriber, or not byte for byte as it was sent. Whether figures are usable is said beside them: not where"
                + " the machine had other things to do.")
final class RunCommand extends Told {
    /** Of each of the sizes that --calibrate tries. */
    private static final Timing CALIBRATION = new Timing(Duration.ofSeconds(1), Duration.ofSeconds(2));

    private static final String PLAIN_RELAY = "the plain relay";

    @Mixin
    private LoadOptions loadOptions;

    @Mixin
    private ThroughOptions throughOptions;

    @Option(
            names = "--calibrate",
            description = "Measure the ceilings first, and tell the result as a fraction of them.")
    private boolean calibrate;

    @Option(
            names = "--latency-at",
            paramLabel = "PERCENT",
            defaultValue = "80",
            description =
                    "After a run at full speed, latency is measured at this part of the speed that was found, on a fixed"
                            + " schedule; 0: not at all (${DEFAULT-VALUE}).")
    private int latencyAt;

    @Option(
            names = "--explain",
            description = "Print all evidence: each process, each subscriber, what stood in which queue.")
    private boolean explain;

    @Option(names = "--json", description = "Print the result as JSON instead of text.")
    private boolean json;

    @Override
    public Integer call() throws IOException, RunException, InterruptedException {
        Load given = loadOptions.load();
        within("--latency-at", latencyAt, 0, 100);
        Contestant contestant = throughOptions.contestant(given);
        Load load =
                throughOptions.relay().asConnected(given).withPace(given.pace().withRealTime(false));
        refuse(calibrate && load.rate() > 0, "--calibrate compares speeds: it takes no --rate " + load.rate());
        ProgressLine progress = ProgressLine.onStderr("");
        RunInParts run = new RunInParts(contestant, RunCommand::cores, progress);
        try (Interrupts interrupts = Interrupts.watch()) {
            Map<String, List<Run<RunResult>>> ceilings = calibrate ? ceilings(load, interrupts) : Map.of();
            RunInParts.Plan first = new RunInParts.Plan(load, loadOptions.timing());
            List<RunInParts.Part> parts = interrupts.orInterrupted(() -> run.run(first, done -> next(load, done)));
            progress.close();
            return report(parts, contestant.transport(load), ceilings);
        } catch (InterruptedException e) {
            progress.close();
            if (!json && !run.finished().isEmpty()) {
                report(run.finished(), contestant.transport(load), Map.of());
            }
            print(RunTable.partial(run.lastLive()) + "\n");
            throw e;
        } finally {
            progress.close();
        }
    }

    /** Full speed, then at a part of it; then, or after a rate that was asked for, the same in real time. */
    private RunInParts.Plan next(Load load, List<RunResult> done) {
        boolean realTime = loadOptions.realTime() && done.size() == (load.rate() > 0 ? 1 : 2);
        if (load.rate() == 0 && done.size() == 1 && latencyAt > 0 && load.isChecked()) {
            return following(load, done.get(0).rateAt(latencyAt), false);
        }
        return realTime ? following(load, done.get(done.size() - 1).load().rate(), true) : null;
    }

    private RunInParts.Plan following(Load load, int rate, boolean realTime) {
        return rate == 0
                ? null
                : new RunInParts.Plan(
                        load.withPace(new Load.Pace(rate, load.pace().burst(), realTime))
                                .withWrites(new Load.Writes(0, load.writes().messages())),
                        loadOptions.followingTiming());
    }

    /** What is to be said of the cores where they were not the same, or not free. */
    static List<String> cores(double before, double after) {
        String hops =
                String.format(Locale.ROOT, "from core to core took %,.0f ns before and %,.0f ns after", before, after);
        return switch (Regime.of(before, after)) {
            case CHANGED -> List.of("the cores were moved: " + hops);
            case DISTURBED -> List.of("somebody else wanted the cores: " + hops);
            default -> List.of();
        };
    }

    private Map<String, List<Run<RunResult>>> ceilings(Load load, Interrupts interrupts)
            throws IOException, InterruptedException {
        LoadRig rig = new HostRig();
        try (ProgressLines lines = new ProgressLines(err())) {
            Experiment<RunResult> experiment = lines.experiment(interrupts, 1);
            Map<String, List<Run<RunResult>>> ceilings = new LinkedHashMap<>();
            ceilings.put("direct", experiment.rounds("", CeilingCells.direct(load, CALIBRATION, rig), Until.rounds(1)));
            ceilings.put(
                    PLAIN_RELAY, experiment.rounds("", CeilingCells.plain(load, CALIBRATION, rig), Until.rounds(1)));
            return ceilings;
        }
    }

    private int report(List<RunInParts.Part> parts, String transport, Map<String, List<Run<RunResult>>> ceilings)
            throws IOException {
        Ceilings ceiling = ceilings.isEmpty() ? null : best(ceilings.get(PLAIN_RELAY));
        Load load = parts.get(0).result().load();
        LaneKind kind = load.unix() ? LaneKind.UNIX : LaneKind.LOOPBACK;
        Results results = nothingYet().with(LaneResult.of(kind.title(), kind)).with(Ending.complete());
        List<RunTable.Part> told = new ArrayList<>();
        for (RunInParts.Part part : parts) {
            RunResult result = part.result();
            boolean realTime = result.load().pace().realTime();
            Cell cell = new Cell(
                    result.contestant() + (realTime ? ", real-time publishers" : ""),
                    Parameters.of(result.load()),
                    part.isPaced() ? null : ceiling,
                    List.of());
            RunRecord run = RunRecords.of(
                    1,
                    part.started(),
                    new Hops(part.hopBefore(), part.hopAfter()),
                    new Outcome(part.judgement().failures(), part.judgement().marks(), false),
                    result,
                    RunRecords.Around.here(cell.ceilings()));
            results = results.with(kind.title(), cell, run);
            told.add(new RunTable.Part(run, result.load(), result.received().checkNanos()));
        }
        List<Ratio> ratios = new ArrayList<>();
        for (Map.Entry<String, List<Run<RunResult>>> group : ceilings.entrySet()) {
            results = BenchResults.with(results, group.getKey(), group.getValue());
            ratios.add(ratio(results.lanes().get(0).cells().get(0), told.get(0).run(), group));
        }
        results = results.withRatios(ratios);
        if (json) {
            print(results);
        } else {
            print(RunTable.of(results, told, parts.get(0).result().contestant(), transport, explain));
        }
        return results.runs().stream().allMatch(one -> one.outcome().passed()) ? 0 : 1;
    }

    private static Ratio ratio(Cell cell, RunRecord run, Map.Entry<String, List<Run<RunResult>>> ceiling) {
        double best = CeilingCells.best(ceiling.getValue())
                .mapToDouble(LoadCell::rate)
                .findFirst()
                .orElse(Double.NaN);
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

    private static Ceilings best(List<Run<RunResult>> runs) {
        return CeilingCells.best(runs)
                .findFirst()
                .map(run -> run.result().received().traffic())
                .map(most -> new Ceilings(
                        Ceilings.PLAIN_RELAY, new Ceilings.Rate(most.messagesPerSecond(), most.bytesPerSecond()), null))
                .orElse(null);
    }
}
