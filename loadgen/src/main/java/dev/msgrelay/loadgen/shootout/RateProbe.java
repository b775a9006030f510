package dev.msgrelay.loadgen.shootout;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.RunResult.Delay;
import dev.msgrelay.loadgen.run.Verdict;
import dev.msgrelay.loadgen.shootout.MaxRateSearch.Bounds;
import dev.msgrelay.loadgen.shootout.ShootoutSettings.SearchSettings;
import dev.msgrelay.protocol.Policy;
import java.util.List;

/** What a search tries on one cell of one lane, and what it asks of each run. One thread owns it. */
final class RateProbe {
    /** Where nothing says what to expect. */
    private static final int USUAL_START = 10_000;

    /** A link's ceiling is so many doublings away. */
    private static final int BELOW_CEILING = 16;

    private static final double PERCENTILE = 99;

    private final Lane lane;
    private final Load load;
    private final SearchSettings settings;

    RateProbe(Lane lane, Load load, SearchSettings settings) {
        this.lane = lane;
        this.load = load;
        this.settings = settings;
    }

    /** Where to look: messages a second of each publisher. */
    Bounds bounds() {
        int publishers = load.publishers();
        long start = USUAL_START / publishers;
        if (lane.link() != null) {
            double ceiling = LaneCeilings.of(lane.link(), load.body()).batched().messagesPerSecond();
            start = (long) (ceiling / BELOW_CEILING / publishers / load.subscribers());
        }
        return new Bounds(
                Math.max(1, Math.min(Load.MAX_RATE, start)),
                1,
                Load.MAX_RATE,
                SearchSettings.RESOLUTION,
                settings.probes(),
                settings.nanos());
    }

    /**
     * Why this run does not pass; empty where it does. A rate that was not reached is a reason. Late sends are none: what they
     * cost is within the percentile.
     */
    String failure(Run<RunResult> run) {
        if (!run.failures().isEmpty()) {
            return run.failures().get(0);
        }
        if (!rates(run).kept()) {
            return schedule(run).get(0);
        }
        // The relay's policy may explain a loss; a rate at which it has to is not one that gets through.
        List<String> losses = Verdict.faults(run.result(), Policy.BACKPRESSURE);
        if (!losses.isEmpty()) {
            return losses.get(0);
        }
        if (!run.result().delays().has(Delay.LATENCY)) {
            return "no message's latency was recorded";
        }
        long p99 = p99Nanos(run);
        return p99 <= settings.p99Nanos()
                ? ""
                : format("p99 %.2f ms, over %.2f ms", p99 / 1e6, settings.p99Nanos() / 1e6);
    }

    private static List<String> schedule(Run<RunResult> run) {
        return Verdict.schedule(rates(run), run.result().correctness().schedule());
    }

    private static Rates rates(Run<RunResult> run) {
        return run.result().resources().signals().rates();
    }

    /** Of few messages the longest: that fails sooner. 0 of a run that did not come to its end. */
    static long p99Nanos(Run<RunResult> run) {
        return run.isWhole() && run.result().delays().has(Delay.LATENCY)
                ? run.result().delays().of(Delay.LATENCY).getValueAtPercentile(PERCENTILE)
                : 0;
    }

    MaxRate found(MaxRateSearch.Result result) {
        MaxRateSearch.Ending ending = result.ending();
        boolean confirmed = ending == MaxRateSearch.Ending.FOUND || ending == MaxRateSearch.Ending.AT_HIGHEST;
        return maxRate(result, confirmed, ending.toString());
    }

    /**
     * What had come of a search that did not come to its end.
     *
     * @param reason why not, one line
     */
    MaxRate cutShort(MaxRateSearch.Result soFar, String reason) {
        return maxRate(soFar, false, "cut short: " + reason);
    }

    private MaxRate maxRate(MaxRateSearch.Result result, boolean confirmed, String ending) {
        return new MaxRate(
                LaneSheet.nameOf(lane.spec()),
                LaneSheet.parameters(load.withRate((int) result.rate()), lane),
                settings.p99Nanos(),
                confirmed,
                ending,
                result.attempts().stream()
                        .map(attempt -> new MaxRate.Attempt(attempt.rate(), attempt.failure()))
                        .toList(),
                result.notes());
    }
}
