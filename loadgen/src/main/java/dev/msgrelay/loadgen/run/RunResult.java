package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Classifier;
import dev.msgrelay.loadgen.bound.Sampled;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.Signals.LinkShare;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.load.Arrivals;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What a run gave.
 *
 * @param contestant which contestant it was, for people
 * @param published nothing where the contestant sends by itself and does not count
 * @param processes what each child used, the contestant first
 * @param relay what the relay says about itself, or null where it does not
 * @param signals what was sampled while it was measured
 * @param timeline throughput over time
 * @param marks what else a reader has to know of it: "the hosts' clocks went apart by 300 us"; mostly empty
 */
public record RunResult(
        String contestant,
        Load load,
        Timing timing,
        Published published,
        Received received,
        List<ProcessUse> processes,
        RelayFigures relay,
        Signals signals,
        Timeline timeline,
        List<String> marks) {
    private static final int PERCENT = 100;

    /** Of somebody who measures himself: what he says is believed, and nothing of it was looked at. */
    public static RunResult told(
            String contestant, Load load, Timing timing, Traffic said, List<ProcessUse> processes, List<String> marks) {
        double rate = said.messagesPerSecond();
        return new RunResult(
                contestant,
                load,
                timing,
                new Published(said, said.messages(), Punctuality.NONE),
                new Received(said, List.of(), List.of(), new Histogram(3), Arrivals.Skew.NONE, Double.NaN),
                processes,
                null,
                new Signals(
                        new Rates(0, rate, rate, 0, said.nanos() / 1e9),
                        Sampled.NOTHING,
                        null,
                        LinkShare.UNKNOWN,
                        Standstills.NONE),
                new Timeline(List.of()),
                marks);
    }

    /** Deliveries a second, of all subscribers together: the figure that everything is compared by. */
    public double deliveriesPerSecond() {
        return received.traffic().messagesPerSecond();
    }

    /** Messages a second of each publisher that are so many percent of what every subscriber got; 0: less than one. */
    public int rateAt(int percent) {
        double each = deliveriesPerSecond() / Math.max(1, load.subscribers()) / load.publishers();
        return (int) Math.min(Load.MAX_RATE, each * percent / PERCENT);
    }

    /** What it was bound by, as far as that is seen without knowing what the link could have given. */
    public BoundBy bound() {
        return Classifier.classify(signals);
    }

    /** The same with what the relay says when it has ended. */
    RunResult withRelay(RelayFigures figures) {
        return new RunResult(
                contestant, load, timing, published, received, processes, figures, signals, timeline, marks);
    }

    /** The same with these marks. */
    public RunResult withMarks(List<String> newMarks) {
        return new RunResult(
                contestant, load, timing, published, received, processes, relay, signals, timeline, newMarks);
    }
}
