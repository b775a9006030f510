package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.measure.CoreHop;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.SlowPolicy;
import dev.msgrelay.loadgen.run.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One run with the core-to-core hop right before and right after it.
 *
 * @param failures what makes it invalid; empty for a valid run
 */
public record Sample(Contender contender, RunResult result, double hopBefore, double hopAfter, List<String> failures) {

    /** Measures one contender. */
    static Sample take(Contender contender, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        observer.phase("measuring the core-to-core hop");
        double before = CoreHop.measureNanos();
        RunResult result = new LoadRun(contender.middle(), contender.load(), contender.timing(), observer).run();
        double after = CoreHop.measureNanos();
        List<String> failures =
                new ArrayList<>(Verdict.failures(result.received(), result.load(), SlowPolicy.BACKPRESSURE));
        failures.addAll(Verdict.failures(result.slow()));
        return new Sample(contender, result, before, after, failures);
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
