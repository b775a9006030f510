package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Verdict;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One run with the core-to-core hop right before and right after it.
 *
 * @param failures what makes it invalid; empty for a valid run
 */
public record Sample(Contender contender, RunResult result, double hopBefore, double hopAfter, List<String> failures) {

    /** Of the messages of a schedule, so many leave within the window at least; what is due right before its end may not. */
    private static final double LEAST_SENT = 0.99;

    private static final double SECOND_NANOS = 1e9;

    /** Measures one contender. */
    static Sample take(Contender contender, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        observer.phase("measuring the core-to-core hop");
        double before = CoreHop.measureNanos();
        RunResult result = new LoadRun(contender.middle(), contender.load(), contender.timing(), observer).run();
        double after = CoreHop.measureNanos();
        List<String> failures =
                new ArrayList<>(Verdict.failures(result.received(), result.load(), Policy.BACKPRESSURE));
        failures.addAll(Verdict.failures(result.slow()));
        failures.addAll(unsent(result));
        return new Sample(contender, result, before, after, failures);
    }

    /** A rate that was not sent says nothing of a relay that had less to do. */
    static List<String> unsent(RunResult result) {
        Load load = result.load();
        double wanted = (double) load.rate()
                * load.publishers()
                * result.timing().measured().toNanos()
                / SECOND_NANOS;
        long sent = result.published().traffic().messages();
        return sent >= wanted * LEAST_SENT
                ? List.of()
                : List.of(String.format(
                        Locale.ROOT, "%,d of %,.0f messages left in time: the machine is too busy", sent, wanted));
    }

    /** Deliveries a second. */
    public double rate() {
        return result.deliveriesPerSecond();
    }

    /** A percentile of the latency. */
    public long latencyNanos(double percentile) {
        return result.received().latency().getValueAtPercentile(percentile);
    }

    /** CPU of the middle, in cores: 1.0 is one core busy all the time. */
    double middleCores() {
        return (double) result.processes().get(0).cpuNanos()
                / result.timing().measured().toNanos();
    }
}
