package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict.Judgement;
import java.io.IOException;
import java.time.Duration;

/**
 * A contestant under a load on a lane. Two cells are the same only if they are one object.
 *
 * @param group what may break for all cells that share it: a lane, a contestant
 */
public record LoadCell(
        String name, String group, Contestant contestant, Placement placement, Load load, Timing timing, LoadRig rig)
        implements Cell<RunResult> {
    /** Starting and ending processes, and the hops before and after: what a run takes beside warm-up and measuring. */
    public static final Duration OVERHEAD = Duration.ofSeconds(3);

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

    /** Judged by the rule of {@code run}: what is marked counts nowhere. */
    @Override
    public Measured<RunResult> measure(RunObserver observer) throws IOException, RunException, InterruptedException {
        Measured<RunResult> measured = rig.run(this, observer);
        Judgement judgement = Judgement.of(measured.result(), measured.marks());
        return new Measured<>(measured.result(), judgement.failures(), judgement.marks());
    }

    /** Deliveries a second; NaN of a run that did not come to its end. */
    public static double rate(Run<RunResult> run) {
        return run.isWhole() ? run.result().deliveriesPerSecond() : Double.NaN;
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
