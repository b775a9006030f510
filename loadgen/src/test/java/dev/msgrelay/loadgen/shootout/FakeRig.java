package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.bound.Classifier;
import dev.msgrelay.loadgen.bound.LinkShare;
import dev.msgrelay.loadgen.bound.Rates;
import dev.msgrelay.loadgen.bound.Sampled;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LinkBaseline;
import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.Published;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.Received;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.Timeline;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** A machine without a machine: runs that take no time and give what a test says. */
class FakeRig implements Rig {
    static final int FRAME = 108;

    private static final long LATE_NANOS = 2_000_000;

    private final Behaviour behaviour;
    final List<String> runs = new ArrayList<>();
    double hop = 50;

    /** What a run gives. */
    @FunctionalInterface
    interface Behaviour {
        /** Deliveries a second, of all subscribers together, and the latency of each. */
        Given of(int number, Middle middle, Placement placement, Load load)
                throws IOException, RunException, InterruptedException;
    }

    /**
     * @param late messages that left late, of as many as have a schedule
     * @param subscribers what became of each; mostly nothing is said
     */
    record Given(long perSecond, long latencyNanos, long late, List<SubscriberResult> subscribers) {
        Given(long perSecond, long latencyNanos) {
            this(perSecond, latencyNanos, 0);
        }

        Given(long perSecond, long latencyNanos, long late) {
            this(perSecond, latencyNanos, late, List.of());
        }
    }

    FakeRig(Behaviour behaviour) {
        this.behaviour = behaviour;
    }

    @Override
    public double hopNanos() {
        return hop;
    }

    @Override
    public Outcome run(Middle middle, Placement placement, Load load, Timing timing, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        runs.add(placement.relay().name() + " " + middle.name());
        Given given = behaviour.of(runs.size(), middle, placement, load);
        return new Outcome(result(middle, load, timing, given), List.of(), 0);
    }

    @Override
    public Baseline baseline(Lane lane, End from, Timing timing, RunObserver observer) {
        runs.add(lane.at(from).name() + " baseline");
        return new Baseline(110e6, new LinkBaseline.Iperf(120e6, 0, null));
    }

    private static RunResult result(Middle middle, Load load, Timing timing, Given given) {
        long nanos = timing.measured().toNanos();
        long messages = given.perSecond() * nanos / 1_000_000_000L;
        Histogram latency = new Histogram(3);
        latency.recordValue(given.latencyNanos());
        long sent = load.rate() > 0
                ? (long) load.rate() * load.publishers() * nanos / 1_000_000_000L
                : messages / load.subscribers();
        Signals signals =
                new Signals(new Rates(load.rate(), 0, 0, 0, nanos / 1e9), Sampled.NOTHING, null, LinkShare.UNKNOWN);
        return new RunResult(
                middle.name(),
                load,
                timing,
                new Published(new Traffic(sent, sent * FRAME, nanos), sent, punctuality(sent, given.late())),
                new Received(
                        new Traffic(messages, messages * FRAME, nanos),
                        given.subscribers(),
                        latency,
                        0,
                        Arrivals.Skew.NONE),
                List.of(),
                List.of(new ProcessUse("relay", nanos / 2, 1)),
                null,
                new Observed(signals, Classifier.classify(signals), new Timeline(List.of())));
    }

    private static Punctuality punctuality(long sent, long late) {
        if (late == 0) {
            return Punctuality.NONE;
        }
        Histogram lateness = new Histogram(3);
        lateness.recordValueWithCount(1, sent - late);
        lateness.recordValueWithCount(LATE_NANOS, late);
        return new Punctuality(late, LATE_NANOS, lateness, Punctuality.Means.NONE);
    }
}
