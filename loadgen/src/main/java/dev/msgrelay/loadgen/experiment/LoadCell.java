package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Observed;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.RunResult.Correctness;
import dev.msgrelay.loadgen.run.RunResult.Delays;
import dev.msgrelay.loadgen.run.RunResult.Resources;
import dev.msgrelay.loadgen.run.RunResult.Throughput;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.loadgen.run.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * A contestant under a load on a lane. Two cells are the same only if they are one object.
 *
 * @param group what may break for all cells that share it: a lane, a contestant
 */
public record LoadCell(
        String name, String group, Contestant contestant, Placement placement, Load load, Timing timing, LoadRig rig)
        implements Cell<RunResult> {
    /** Starting and ending processes: what a run takes beside warm-up and measuring. */
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
    public List<String> environment(RunResult result) {
        return Verdict.environment(result);
    }

    @Override
    public List<Observed> observed(RunResult result) {
        return Verdict.observed(result);
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
                    new Throughput(null, new Traffic(0, 0, 0), Double.NaN, Double.NaN, List.of()),
                    Delays.NONE,
                    new Correctness(false, List.of(), List.of(), Punctuality.NONE),
                    Resources.NONE,
                    run.outcome());
        }
        Throughput passed = result.throughput();
        Throughput throughput = Ceilings.against(
                ceilings,
                places,
                result.sent() > 0 ? passed.in() : null,
                passed.out(),
                result.load().subscribers(),
                passed.timeline());
        return new RunRecord(
                new Moment(
                        run.round(),
                        run.started(),
                        result.timing().warmup().toNanos(),
                        result.timing().measured().toNanos()),
                throughput,
                result.delays(),
                result.correctness(),
                ceilings != null && ceilings.isLink() ? result.resources().withLink(throughput) : result.resources(),
                run.outcome());
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
