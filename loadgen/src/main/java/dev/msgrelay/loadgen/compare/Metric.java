package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.Figures;
import dev.msgrelay.loadgen.result.Results.Ratio;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import java.util.Arrays;
import java.util.function.ToDoubleFunction;

/** The figures that are compared. */
public enum Metric {
    IN("in", "in, msg/s", Unit.COUNT, true, Figures::in),
    OUT("out", "out, msg/s", Unit.COUNT, true, Figures::out),
    P50("p50", "latency p50", Unit.NANOS, false, run -> run.delays().at(Delay.LATENCY, 50)),
    P99("p99", "latency p99", Unit.NANOS, false, run -> run.delays().at(Delay.LATENCY, 99)),
    CPU("cpuPerMessage", "CPU per message", Unit.NANOS, false, Figures::cpuPerMessage);

    static final String TOO_FEW_RUNS = "too few runs";

    private final String id;
    private final String title;
    private final Unit unit;
    private final boolean moreIsBetter;
    private final ToDoubleFunction<RunRecord> figure;

    Metric(String id, String title, Unit unit, boolean moreIsBetter, ToDoubleFunction<RunRecord> figure) {
        this.id = id;
        this.title = title;
        this.unit = unit;
        this.moreIsBetter = moreIsBetter;
        this.figure = figure;
    }

    /** The one that a ratio is of. */
    static Metric of(Ratio ratio) {
        return Arrays.stream(values())
                .filter(metric -> metric.id.equals(ratio.figure()))
                .findFirst()
                .orElseThrow();
    }

    public String id() {
        return id;
    }

    public String title() {
        return title;
    }

    public Unit unit() {
        return unit;
    }

    /** What a ratio means, for people; that 1 is within the interval: no difference was seen. */
    String meaning(Estimate ratio) {
        if (!ratio.isKnown()) {
            return TOO_FEW_RUNS;
        }
        return ratio.includes(1) ? "noise" : ratio.value() > 1 == moreIsBetter ? "better" : "worse";
    }

    /** The run's figure; NaN where it has none, or one that no ratio can be made of. */
    double of(RunRecord run) {
        double value = figure.applyAsDouble(run);
        return value > 0 ? value : Double.NaN;
    }
}
