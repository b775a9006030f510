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

/** One part of a {@code loadgen run}: a fixed rate, or full speed. */
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

    static String perSecond(double messages) {
        return (messages < MILLION ? Unit.WHOLE : Unit.COUNT).ascii(messages) + " msg/s";
    }

    double late() {
        return checks().schedule().lateShare();
    }

    boolean isWhole() {
        return isPaced() && run.outcome().passed() && signals().rates().kept();
    }

    boolean isLate() {
        return late() > Rates.MAX_LATE_SHARE;
    }

    /**
     * Returns the messages a second that reached each subscriber. If a run with a given rate delivered all messages,
     * the result is not below that rate: a smaller measured value is only an error at the window's edges.
     */
    double delivered() {
        double out = signals().rates().out();
        return isWhole() ? Math.max(out, load().wanted()) : out;
    }

    /** Whether this percentile includes delays that loadgen caused rather than the relay. */
    boolean isOwnLateness(double percentile) {
        return late() * 100 > 100 - percentile && !signals().isLateByRelay();
    }

    String percentile(double percentile) {
        double nanos = run.delays().latencyAt(percentile);
        return RunEvidence.nanos(nanos) + (isOwnLateness(percentile) && !Double.isNaN(nanos) ? " *" : "");
    }

    String latency() {
        return "p50 " + percentile(50) + ", p99 " + percentile(99);
    }
}
