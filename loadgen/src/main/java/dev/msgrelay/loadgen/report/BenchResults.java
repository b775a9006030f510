package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.bench.CaseResult;
import dev.msgrelay.loadgen.bench.Metric;
import dev.msgrelay.loadgen.bench.Round;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.RunRecords;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.ArrayList;
import java.util.List;

/** Samples and cases as results. */
public final class BenchResults {
    private BenchResults() {}

    /** The results with these runs, each in the cell of its contestant. */
    public static Results with(Results results, String title, List<Run<RunResult>> runs) {
        Results next = results;
        for (Run<RunResult> run : runs) {
            LoadCell measured = (LoadCell) run.cell();
            LaneKind kind = measured.load().unix() ? LaneKind.UNIX : LaneKind.LOOPBACK;
            if (next.lane(kind.title()).isEmpty()) {
                next = next.with(LaneResult.of(kind.title(), kind));
            }
            Cell cell = new Cell(
                    title + ", " + measured.contestant().name(), Parameters.of(measured.load()), null, List.of());
            next = next.with(
                    kind.title(),
                    cell,
                    RunRecords.of(
                            run.round(),
                            run.started(),
                            run.hops(),
                            run.outcome(),
                            run.result(),
                            RunRecords.Around.here(null)));
        }
        return next;
    }

    /** The results with a case: its rounds, and each metric against what is asked. */
    public static Results with(Results results, CaseResult result) {
        String title = result.benchCase().title();
        Results next = with(results, title + ", tried", result.tries());
        for (Round round : result.rounds()) {
            next = with(next, title, round.runs());
        }
        List<Ratio> ratios = new ArrayList<>(next.ratios());
        for (Metric metric : result.benchCase().metrics()) {
            ratios.add(ratio(result, metric));
        }
        return next.withRatios(ratios);
    }

    private static Ratio ratio(CaseResult result, Metric metric) {
        double value = result.median(metric);
        int runs = result.counted().size();
        return new Ratio(
                result.benchCase().title(),
                metric.name(),
                "ceiling",
                Cell.RELAY,
                result.benchCase().ceilings().isEmpty() ? Double.NaN : result.medianCeiling(),
                Double.NaN,
                runs,
                runs,
                value,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                metric.limit(),
                metric.bound() == Metric.Bound.AT_MOST || metric.bound() == Metric.Bound.BELOW,
                metric.isMet(value) ? "pass" : "SHORT");
    }
}
