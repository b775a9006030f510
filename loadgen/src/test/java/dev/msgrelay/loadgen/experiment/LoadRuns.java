package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import dev.msgrelay.loadgen.result.RunRecord.ProcessUse;
import dev.msgrelay.loadgen.result.RunRecord.Resources;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;

import dev.msgrelay.loadgen.plan.Still;

import dev.msgrelay.loadgen.plan.SubscriberResult;

import dev.msgrelay.loadgen.evidence.Sampled;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.result.RunRecord.Outcome;
import dev.msgrelay.loadgen.rig.Contestant;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.rig.Verdict;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Runs of relays that are made up. */
public final class LoadRuns {
    public static final int FRAME = 108;

    private static final long LATE_NANOS = 2_000_000;
    private static final long GAP_NANOS = 3_000_000;

    private LoadRuns() {}

    /**
     * What a run gives.
     *
     * @param perSecond deliveries, of all subscribers together
     * @param latencyNanos of each
     * @param late messages that left late, of as many as have a schedule
     * @param subscribers what became of each; mostly nothing is said
     */
    public record Given(long perSecond, long latencyNanos, long late, List<SubscriberResult> subscribers) {
        public Given(long perSecond, long latencyNanos) {
            this(perSecond, latencyNanos, 0);
        }

        public Given(long perSecond, long latencyNanos, long late) {
            this(perSecond, latencyNanos, late, List.of());
        }
    }

    /** All that was to be sent was sent. */
    public static RunResult result(Contestant contestant, Load load, Timing timing, Given given) {
        long nanos = timing.measured().toNanos();
        long messages = given.perSecond() * nanos / 1_000_000_000L;
        long sent = load.rate() > 0
                ? (long) load.rate() * load.publishers() * nanos / 1_000_000_000L
                : messages / load.subscribers();
        return result(contestant, load, timing, given, sent);
    }

    /** @param sent so many messages left */
    public static RunResult result(Contestant contestant, Load load, Timing timing, Given given, long sent) {
        long nanos = timing.measured().toNanos();
        long messages = given.perSecond() * nanos / 1_000_000_000L;
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(given.latencyNanos(), Math.max(1, messages));
        Signals signals = new Signals(
                rates(load, given, sent, nanos / 1e9),
                Sampled.NOTHING,
                null,
                LinkShare.UNKNOWN,
                new Standstills(Still.NONE, Still.NONE, Still.NONE, new Still(GAP_NANOS, 0, 0), 0));
        return new RunResult(
                contestant.name(),
                load,
                timing,
                sent,
                new Throughput(
                        new Traffic(sent, sent * FRAME, nanos),
                        new Traffic(messages, messages * FRAME, nanos),
                        Double.NaN,
                        Double.NaN,
                        List.of()),
                Delays.of(load, latency, new Histogram(3)),
                new Correctness(load.isChecked(), given.subscribers(), List.of(), punctuality(sent, given.late())),
                Resources.of(List.of(ProcessUse.of("relay", nanos / 2, 1, ProcessUse.HERE)), null, signals),
                List.of());
    }

    /** The same, with deliveries that stood still once for so long. */
    public static RunResult stoodStill(RunResult result, long millis) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        Signals quiet = result.resources().signals();
        Standstills still = new Standstills(Still.NONE, Still.NONE, Still.NONE, new Still(nanos, 1, nanos), nanos);
        return with(result, new Signals(quiet.rates(), quiet.sampled(), quiet.holds(), quiet.link(), still));
    }

    /** The same, on a machine that did other things meanwhile. */
    public static RunResult beside(RunResult result, double others) {
        Signals quiet = result.resources().signals();
        MachineShare machine = new MachineShare(2, 0.1, 0.1, 0, 0.8 - others, others, "", 1);
        Sampled seen = new Sampled(0, List.of(), true, machine, Sampled.Queues.UNSEEN, new Sampled.TcpSegments(0, 0));
        return with(result, new Signals(quiet.rates(), seen, quiet.holds(), quiet.link(), quiet.still()));
    }

    private static RunResult with(RunResult result, Signals signals) {
        return new RunResult(
                result.contestant(),
                result.load(),
                result.timing(),
                result.sent(),
                result.throughput(),
                result.delays(),
                result.correctness(),
                Resources.of(result.resources().processes(), result.resources().relay(), signals),
                result.marks());
    }

    /** At a rate what was sent has arrived. */
    private static Rates rates(Load load, Given given, long sent, double seconds) {
        double in = sent / seconds;
        double out = load.rate() > 0 ? in : (double) given.perSecond() / load.subscribers();
        double late = sent == 0 ? 0 : (double) given.late() / sent;
        return new Rates((double) load.rate() * load.publishers(), in, out, late, seconds);
    }

    private static Punctuality punctuality(long sent, long late) {
        if (late == 0) {
            return Punctuality.NONE;
        }
        Histogram lateness = new Histogram(3);
        lateness.recordValueWithCount(1, sent - late);
        lateness.recordValueWithCount(LATE_NANOS, late);
        return new Punctuality(late, LATE_NANOS, lateness);
    }

    /** A run of the cell that came to its end, as the engine judges it. */
    public static Run<RunResult> judged(LoadCell cell, RunResult result) {
        return judged(cell, 1, result);
    }

    public static Run<RunResult> judged(LoadCell cell, int round, RunResult result) {
        return run(cell, round, result, Verdict.faults(result), Verdict.environment(result));
    }

    /** A run of the cell, whatever is said of it. */
    public static Run<RunResult> run(
            LoadCell cell, int round, RunResult result, List<String> failures, List<String> environment) {
        List<Observed> observed = result == null ? List.of() : Verdict.observed(result);
        Outcome outcome = new Outcome(failures, environment, observed, result == null);
        return new Run<>(cell, 0, round, "2026-01-01T00:00:00Z", result, outcome);
    }
}
