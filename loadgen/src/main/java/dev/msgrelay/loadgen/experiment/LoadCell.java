package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.bound.Disturbances;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import dev.msgrelay.loadgen.run.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A contestant under a load on a lane. Two cells are the same only if they are one object.
 *
 * @param group what may break for all cells that share it: a lane, a contestant
 * @param lateFails whether a run whose schedule was not kept is invalid; else it is told, and within the latencies, which
 *     count from the intended time
 */
public record LoadCell(
        String name,
        String group,
        Contestant contestant,
        Placement placement,
        Load load,
        Timing timing,
        boolean lateFails,
        LoadRig rig)
        implements Cell<RunResult> {
    /** Starting and ending processes, and the hops before and after: what a run takes beside warm-up and measuring. */
    public static final Duration OVERHEAD = Duration.ofSeconds(3);

    /** For each process of more than one publisher and one subscriber. */
    private static final Duration PROCESS = Duration.ofMillis(250);

    /** Less than this of what was to be sent is not the rate that was asked for. */
    private static final double SENT = 0.99;

    private static final double SECOND_NANOS = 1e9;

    /** On this host, over its loopback interface; late sends are told. */
    public static LoadCell here(String name, Contestant contestant, Load load, Timing timing, LoadRig rig) {
        return new LoadCell(name, name, contestant, Placement.HERE, load, timing, false, rig);
    }

    @Override
    public Duration estimate() {
        int further = Math.max(0, load.publisherProcesses() + load.subscriberProcesses() - 2);
        return timing.warmup().plus(timing.measured()).plus(OVERHEAD).plus(PROCESS.multipliedBy(further));
    }

    /** Whatever disturbed a run marks it, by the rule of {@code run}: so it counts nowhere. */
    @Override
    public Measured<RunResult> measure(RunObserver observer) throws IOException, RunException, InterruptedException {
        Measured<RunResult> measured = rig.run(this, observer);
        List<String> marks = new ArrayList<>(measured.marks());
        if (measured.result().observed() != null) {
            marks.addAll(Disturbances.of(measured.result().observed().signals()));
        }
        return new Measured<>(measured.result(), failures(measured.result()), marks);
    }

    /** What makes a run of this cell invalid, one line each. */
    List<String> failures(RunResult result) {
        List<String> failures = new ArrayList<>(Verdict.faults(result, contestant.policy()));
        failures.addAll(unsent(result));
        if (lateFails) {
            failures.addAll(Verdict.failures(result.published().punctuality()));
        }
        return failures;
    }

    /** A rate that was not sent says nothing of a relay that had less to do. */
    private List<String> unsent(RunResult result) {
        Traffic sent = result.published().traffic();
        double wanted =
                (double) load.rate() * load.publishers() * timing.measured().toNanos() / SECOND_NANOS;
        // What is due at the window's edges may fall to either side of them.
        long atEdges = (long) load.publishers()
                * Math.max(load.pace().burst(), Math.max(1, load.writes().messages()));
        return sent.messages() + atEdges >= SENT * wanted
                ? List.of()
                : List.of(format("only %,d of %,.0f messages were sent in time", sent.messages(), wanted));
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
