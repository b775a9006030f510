package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.bound.Classifier;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Correctness;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.result.RunRecord.Resources;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.Published;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.Received;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.loadgen.run.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A contestant under a load on a lane. Two cells are the same only if they are one object.
 *
 * @param group what may break for all cells that share it: a lane, a contestant
 */
public record LoadCell(
        String name, String group, Contestant contestant, Placement placement, Load load, Timing timing, LoadRig rig)
        implements Cell<RunResult> {
    /** Starting and ending processes, and the hops before and after: what a run takes beside warm-up and measuring. */
    private static final Duration OVERHEAD = Duration.ofSeconds(3);

    /** For each process of more than one publisher and one subscriber. */
    private static final Duration PROCESS = Duration.ofMillis(250);

    /** On this host, over its loopback interface. */
    public static LoadCell here(String name, Contestant contestant, Load load, Timing timing, LoadRig rig) {
        return new LoadCell(name, name, contestant, Placement.HERE, load, timing, rig);
    }

    @Override
    public Duration estimate() {
        int further = Math.max(0, load.publisherProcesses() + load.subscriberProcesses() - 2);
        return timing.warmup().plus(timing.measured()).plus(OVERHEAD).plus(PROCESS.multipliedBy(further));
    }

    @Override
    public void prepare(RunObserver observer) throws IOException, RunException, InterruptedException {
        rig.prepare(this, observer);
    }

    @Override
    public RunResult measure(RunObserver observer) throws IOException, RunException, InterruptedException {
        return rig.run(this, observer);
    }

    @Override
    public List<String> failures(RunResult result) {
        return Verdict.faults(result);
    }

    @Override
    public List<String> marks(RunResult result) {
        return Verdict.marks(result);
    }

    /** Deliveries a second; NaN of a run that did not come to its end. */
    public static double rate(Run<RunResult> run) {
        return run.isWhole() ? run.result().deliveriesPerSecond() : Double.NaN;
    }

    /**
     * A run of such a cell as results have it.
     *
     * @param places who is across the link
     * @param ceilings what it is set against; null where none is known
     */
    public static RunRecord record(Run<RunResult> run, Places places, Ceilings ceilings) {
        RunResult result = run.result();
        if (result == null) {
            return new RunRecord(
                    new Moment(run.round(), run.started(), 0, 0),
                    run.hops(),
                    new Throughput(null, new Traffic(0, 0, 0), Double.NaN, Double.NaN, List.of()),
                    Delays.NONE,
                    new Correctness(false, List.of(), List.of(), Punctuality.NONE),
                    Resources.NONE,
                    run.outcome());
        }
        Published in = result.published();
        Received out = result.received();
        Throughput throughput = Throughput.of(
                in.total() > 0 ? in.traffic() : null,
                out.traffic(),
                result.load().subscribers(),
                result.timeline().points(),
                places,
                ceilings);
        return new RunRecord(
                new Moment(
                        run.round(),
                        run.started(),
                        result.timing().warmup().toNanos(),
                        result.timing().measured().toNanos()),
                run.hops(),
                throughput,
                delays(result),
                new Correctness(
                        result.load().isChecked(),
                        out.checkNanos(),
                        out.subscribers(),
                        out.slow(),
                        in.punctuality(),
                        in.acknowledged(),
                        in.visits()),
                resources(result, throughput, ceilings),
                run.outcome());
    }

    /** A latency needs a time at which a message was to be sent; at full speed it is time in queue. */
    private static Delays delays(RunResult result) {
        Load load = result.load();
        Histogram recorded = load.isChecked() ? result.received().latency() : null;
        return new Delays(
                load.rate() > 0 ? recorded : null,
                load.sampling(),
                load.hasSkew() ? result.received().skew() : null,
                load.rate() > 0 ? null : recorded,
                load.clients().acks().isAsked() ? result.published().acknowledgedAfter() : null);
    }

    /** Judged with what the link could have given, which the run itself does not know. */
    private static Resources resources(RunResult result, Throughput throughput, Ceilings ceilings) {
        Signals signals = ceilings != null && ceilings.isLink()
                ? result.signals().withLink(throughput.ingressFraction(), throughput.egressFraction())
                : result.signals();
        return new Resources(result.processes(), result.relay(), Classifier.classify(signals), signals);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
