package dev.msgrelay.loadgen.report;

import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.Results;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One part of a {@code loadgen run}: a fixed rate, or full speed.
 *
 * @param plain the plain relay at the same rate, if it was measured
 */
record RunPart(Cell cell, RunRecord run, Optional<RunPart> plain) {
    private static final double MILLION = 1e6;

    static List<RunPart> of(Results results) {
        LaneResult lane = results.lanes().get(0);
        return lane.cells().stream()
                .filter(cell -> !cell.isPlainRelay())
                .flatMap(cell -> cell.runs().stream().map(run -> new RunPart(cell, run, plain(lane, cell))))
                .toList();
    }

    private static Optional<RunPart> plain(LaneResult lane, Cell cell) {
        return lane.plainRelayBeside(cell)
                .map(plain -> new RunPart(plain, plain.runs().get(0), Optional.empty()));
    }

    /** Returns this part and that of the plain relay. */
    Stream<RunPart> withPlain() {
        return Stream.concat(Stream.of(this), plain.stream());
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
        return isWhole() && signals().rates().each() ? Math.max(out, load().wanted()) : out;
    }

    boolean isOwnLateness(double percentile) {
        return run.isOwnLateness(percentile);
    }

    String percentile(double percentile) {
        double nanos = run.delays().latencyAt(percentile);
        return RunEvidence.nanos(nanos) + (isOwnLateness(percentile) && !Double.isNaN(nanos) ? " *" : "");
    }

    String latency() {
        return "p50 " + percentile(50) + ", p99 " + percentile(99);
    }
}
