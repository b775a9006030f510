package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import java.util.List;

/** One rate of {@code run}, or its full speed. */
record RunPart(Cell cell, RunRecord run) {
    private static final double MILLION = 1e6;

    static List<RunPart> of(Results results) {
        return results.lanes().get(0).cells().stream()
                .flatMap(cell -> cell.runs().stream().map(run -> new RunPart(cell, run)))
                .toList();
    }

    Load load() {
        return cell.load();
    }

    Signals signals() {
        return run.resources().signals();
    }

    Correctness checks() {
        return run.correctness();
    }

    boolean isPaced() {
        return load().isPaced();
    }

    boolean isTimed() {
        return run.delays().latency() != null;
    }

    String pace() {
        return isPaced() ? perSecond(load().wanted()) : "full speed";
    }

    /** "20,000 msg/s", "1.35 M msg/s". */
    static String perSecond(double messages) {
        return (messages < MILLION ? Unit.WHOLE : Unit.COUNT).plain(messages) + " msg/s";
    }

    double late() {
        return checks().schedule().lateShare();
    }

    /** Whether all messages of a rate left, and reached each subscriber. */
    boolean isWhole() {
        return isPaced() && run.outcome().passed() && signals().rates().kept();
    }

    boolean isLate() {
        return late() > Rates.MAX_LATE_SHARE;
    }

    /** Messages a second that reached each subscriber; of a rate that was delivered whole at least the rate. */
    double delivered() {
        double out = signals().rates().out();
        return isWhole() ? Math.max(out, load().wanted()) : out;
    }

    /** Whether this percentile includes lateness that is the generator's own, and no wait for the relay. */
    boolean isOwnLateness(double percentile) {
        return late() * 100 > 100 - percentile && !signals().lateBehindRelay();
    }

    String percentile(double percentile) {
        double nanos = run.delays().latencyAt(percentile);
        return RunEvidence.nanos(nanos) + (isOwnLateness(percentile) && !Double.isNaN(nanos) ? " *" : "");
    }

    /** "p50 42 us, p99 1.54 ms". */
    String latency() {
        return "p50 " + percentile(50) + ", p99 " + percentile(99);
    }
}
