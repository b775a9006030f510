package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.render.Unit;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** A figure by which two relays are compared. */
public enum Figure {
    DELIVERIES("deliveries", "deliveries/s", Unit.COUNT, true, RunRecord::out),
    P50("p50", "latency p50", Unit.NANOS, false, run -> run.delays().latencyAt(50)),
    P99("p99", "latency p99", Unit.NANOS, false, run -> run.delays().latencyAt(99)),
    ACK_P50("ackP50", "acknowledged p50", Unit.NANOS, false, run -> run.delays().acknowledgedAt(50)),
    ACK_P99("ackP99", "acknowledged p99", Unit.NANOS, false, run -> run.delays().acknowledgedAt(99)),
    RELAY_CPU("relayCpu", "relay CPU s/million", Unit.PLAIN, false, Figure::cpuSecondsPerMillion);

    private final String id;
    private final String title;
    private final Unit unit;
    private final boolean moreIsBetter;
    private final ToDoubleFunction<RunRecord> value;

    Figure(String id, String title, Unit unit, boolean moreIsBetter, ToDoubleFunction<RunRecord> value) {
        this.id = id;
        this.title = title;
        this.unit = unit;
        this.moreIsBetter = moreIsBetter;
        this.value = value;
    }

    /** Returns the figures for a kind of load; the first one decides the comparison. */
    public static List<Figure> of(boolean paced, boolean acks) {
        List<Figure> figures = new ArrayList<>(paced ? List.of(P50, P99) : List.of(DELIVERIES));
        if (acks) {
            figures.addAll(List.of(ACK_P50, ACK_P99));
        }
        figures.add(RELAY_CPU);
        return figures;
    }

    /** Returns the figure of one run; NaN if it is not above 0, since a ratio needs a positive value. */
    double of(RunRecord result) {
        double known = value.applyAsDouble(result);
        return known > 0 ? known : Double.NaN;
    }

    public String id() {
        return id;
    }

    public String title() {
        return title;
    }

    String text(double measured) {
        return unit.ascii(measured);
    }

    public boolean moreIsBetter() {
        return moreIsBetter;
    }

    String ahead() {
        return this == RELAY_CPU ? " needs less" : " faster";
    }

    private static double cpuSecondsPerMillion(RunRecord result) {
        double cpuSeconds = result.resources().processes().get(0).cpuSeconds();
        return cpuSeconds * 1e6 / result.throughput().out().messages();
    }
}
