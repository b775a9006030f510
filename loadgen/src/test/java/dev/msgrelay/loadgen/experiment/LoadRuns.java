package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.evidence.Sampled;
import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Got;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.Still;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.result.RunRecord.Resources;
import dev.msgrelay.loadgen.result.RunRecord.Resources.ProcessUse;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import dev.msgrelay.loadgen.rig.Verdict;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Records of runs that are made up. */
public final class LoadRuns {
    public static final int FRAME = 108;

    private static final long LATE_NANOS = 2_000_000;

    private LoadRuns() {}

    /**
     * What a run gives.
     *
     * @param perSecond deliveries, of all subscribers together
     * @param latencyNanos of each
     * @param late messages that left late, of as many as have a schedule
     * @param subscribers what became of each; mostly nothing is said
     * @param stillMillis for so long deliveries stood still once
     * @param others part of all cores that other programs took
     * @param quota of the run's cgroup; null: none
     * @param waited share of the time for which the publisher's thread waited for a core
     */
    public record Given(
            long perSecond,
            long latencyNanos,
            long late,
            List<SubscriberResult> subscribers,
            long stillMillis,
            double others,
            Quota quota,
            double waited) {
        public Given(long perSecond, long latencyNanos) {
            this(perSecond, latencyNanos, 0, List.of(), 0, 0, null, 0);
        }

        public Given late(long messages) {
            return new Given(perSecond, latencyNanos, messages, subscribers, stillMillis, others, quota, waited);
        }

        public Given of(SubscriberResult... all) {
            return new Given(perSecond, latencyNanos, late, List.of(all), stillMillis, others, quota, waited);
        }

        public Given stoodStill(long millis) {
            return new Given(perSecond, latencyNanos, late, subscribers, millis, others, quota, waited);
        }

        public Given within(Quota its) {
            return new Given(perSecond, latencyNanos, late, subscribers, stillMillis, others, its, waited);
        }

        public Given waiting(double share) {
            return new Given(perSecond, latencyNanos, late, subscribers, stillMillis, others, quota, share);
        }

        public Given beside(double part) {
            return new Given(perSecond, latencyNanos, late, subscribers, stillMillis, part, quota, waited);
        }
    }

    /** A run that came to its end, as it is judged; all that was to be sent was sent. */
    public static RunRecord record(Load load, Timing timing, int round, Given given) {
        long nanos = timing.measured().toNanos();
        long messages = given.perSecond() * nanos / 1_000_000_000L;
        long sent = load.isPaced() ? (long) (load.wanted() * nanos / 1e9) : messages / load.subscribers();
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(given.latencyNanos(), Math.max(1, messages));
        double in = sent / (nanos / 1e9);
        double out = load.isPaced() ? in : (double) given.perSecond() / load.subscribers();
        Rates rates = new Rates(
                load.wanted(),
                in,
                out,
                sent == 0 ? 0 : (double) given.late() / sent,
                nanos / 1e9,
                0,
                !load.hasInterval());
        MachineShare machine = new MachineShare(2, 0.1, 0.1, 0, 0.8 - given.others(), given.others(), "", 1);
        long stillNanos = TimeUnit.MILLISECONDS.toNanos(given.stillMillis());
        Still still = stillNanos == 0 ? new Still(3_000_000, 0, 0) : new Still(stillNanos, 1, stillNanos);
        Signals signals = new Signals(
                rates,
                new Sampled(
                        0,
                        List.of(new CpuShare(Role.PUBLISHER, "publisher", "main", 0.5, given.waited())),
                        true,
                        machine,
                        given.quota(),
                        Sampled.Queues.UNSEEN,
                        Double.NaN),
                RelayHolds.UNKNOWN,
                new LinkShare(Double.NaN, Double.NaN, true, true),
                new Standstills(Still.NONE, Still.NONE, Still.NONE, still, stillNanos));
        Traffic traffic = new Traffic(messages, messages * FRAME, nanos);
        Correctness correctness = new Correctness(
                load.isChecked(), given.subscribers(), List.of(), punctuality(sent, given.late()), sent, 0);
        return new RunRecord(
                new Moment(round, "2026-01-01T00:00:00Z", 0, nanos),
                new Throughput(new Traffic(sent, sent * FRAME, nanos), traffic, List.of()),
                Delays.of(load, latency, new Histogram(3)),
                correctness,
                new Resources(
                        List.of(new ProcessUse("relay", nanos / 2e9, nanos / 4e9, 1, "here")),
                        null,
                        new Senders(Congestion.of("cubic"), Congestion.of("cubic")),
                        new BoundBy(BoundBy.Kind.RELAY, List.of("relay's busiest thread ran 0.97 of the time")),
                        signals),
                Verdict.of(load, traffic, correctness, signals, new Got(List.of())));
    }

    /** The same run, by this congestion control. */
    public static RunRecord sentBy(RunRecord run, Senders senders) {
        Resources its = run.resources();
        return new RunRecord(
                run.moment(),
                run.throughput(),
                run.delays(),
                run.correctness(),
                new Resources(its.processes(), its.relay(), senders, its.boundBy(), its.signals()),
                run.outcome());
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
}
