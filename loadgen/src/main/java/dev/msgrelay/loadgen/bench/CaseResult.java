package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.Spread;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a case gave.
 *
 * @param tries the one try of each candidate of the ceiling
 */
public record CaseResult(BenchCase benchCase, List<Run<RunResult>> tries, List<Round> rounds) {
    /** Of the runs that are marked, so many are told of. */
    private static final int MARKS = 2;

    /** The rounds that count; where none does, all: the note says so. */
    public List<Round> counted() {
        List<Round> counted = rounds.stream().filter(Round::counts).toList();
        return counted.isEmpty() ? rounds : counted;
    }

    /** The median over the rounds that count and have it. */
    double median(ToDoubleFunction<Round> figure) {
        return Spread.of(counted(), figure).median();
    }

    double median(Metric metric) {
        return median(metric.value());
    }

    /** The median, over the rounds, of the round's best ceiling; NaN for a case without one. */
    double medianCeiling() {
        return median(round -> round.best(CeilingCells.CEILING));
    }

    /** Everything that makes a run of this case invalid. */
    public List<String> failures() {
        return Stream.concat(tries.stream(), rounds.stream().flatMap(round -> round.runs().stream()))
                .flatMap(
                        run -> run.failures().stream().map(failure -> run.cell().name() + ": " + failure))
                .toList();
    }

    /** Each metric against what is asked. */
    public List<Ratio> ratios() {
        return benchCase.metrics().stream().map(this::ratio).toList();
    }

    private Ratio ratio(Metric metric) {
        double none = Double.NaN;
        int runs = counted().size();
        double value = median(metric);
        return new Ratio(
                benchCase.title(),
                metric.name(),
                "ceiling",
                Cell.RELAY,
                medianCeiling(),
                none,
                runs,
                runs,
                value,
                none,
                none,
                none,
                metric.limit(),
                metric.bound().isMost(),
                metric.verdict(value));
    }

    /** For people: one line a metric, of which the first carries the title; rates and rounds; runs that were invalid. */
    public String text() {
        StringBuilder text = new StringBuilder();
        String title = benchCase.title();
        for (Metric metric : benchCase.metrics()) {
            double value = median(metric);
            text.append(Unit.format(
                    "%-52s %8s %-28s %s %-7s %s%n",
                    title,
                    Unit.PLAIN.plain(value),
                    metric.name(),
                    metric.bound().sign(),
                    Unit.PLAIN.plain(metric.limit()),
                    metric.verdict(value)));
            title = "";
        }
        text.append("    ").append(note()).append('\n');
        rounds.stream()
                .flatMap(round -> round.runs().stream())
                .filter(Run::isDisturbed)
                .limit(MARKS)
                .forEach(run -> text.append(Unit.format(
                        "    disturbed, %s in round %d: %s%n",
                        run.cell().name(),
                        run.round(),
                        run.outcome().environment().get(0))));
        failures().forEach(failure -> text.append("    FAIL ").append(failure).append('\n'));
        return text.toString();
    }

    private String note() {
        String figures = benchCase.ours().stream()
                .map(ours -> ours.name() + " " + figure(ours))
                .collect(Collectors.joining(", "));
        if (!benchCase.ceilings().isEmpty()) {
            figures += ", ceiling " + Unit.COUNT.plain(medianCeiling()) + " msg/s";
        }
        return Unit.format(
                "%s; %d round%s, %d disturbed, %d left out",
                figures,
                rounds.size(),
                rounds.size() == 1 ? "" : "s",
                rounds.stream().filter(Round::isDisturbed).count(),
                rounds.size() - counted().size());
    }

    /** A speed where it goes as fast as it can, a latency where the rate is given. */
    private String figure(LoadCell ours) {
        String p50 = Unit.NANOS.plain(median(round -> round.latencyNanos(ours.name(), 50)));
        if (ours.load().rate() > 0) {
            return "p50 " + p50 + " p99 " + Unit.NANOS.plain(median(round -> round.latencyNanos(ours.name(), 99)));
        }
        boolean nobodyReads = ours.load().subscribers() == 0;
        String speed =
                Unit.COUNT.plain(median(round -> nobodyReads ? round.published(ours.name()) : round.rate(ours.name())))
                        + " msg/s";
        // At full speed what was recorded of each message is its time in queue.
        return ours.load().isChecked()
                ? speed + " (time in queue " + p50 + ", longest gap "
                        + Unit.NANOS.plain(median(round -> round.longestGapNanos(ours.name()))) + ")"
                : speed;
    }
}
