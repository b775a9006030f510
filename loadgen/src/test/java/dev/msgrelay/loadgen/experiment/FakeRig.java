package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.rig.Plan;
import dev.msgrelay.loadgen.rig.Rig;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A machine without a machine: runs that take no time and give what a test says. */
final class FakeRig implements Rig {
    /** 110 MB/s. */
    private static final Given BASELINE = new Given(110_000_000 / LoadRuns.FRAME + 1, 1_000);

    private final Behaviour behaviour;
    final List<String> runs = new ArrayList<>();

    @FunctionalInterface
    interface Behaviour {
        Given of(int number, Plan plan) throws IOException, RunException, InterruptedException;
    }

    FakeRig(Behaviour behaviour) {
        this.behaviour = behaviour;
    }

    @Override
    public RunRecord run(Plan plan, int round, RunObserver observer)
            throws IOException, RunException, InterruptedException {
        boolean baseline = plan.name().contains("without a relay");
        runs.add(plan.placement().relay().name() + " "
                + (baseline ? "baseline" : plan.contestant().name()));
        Given given = baseline ? BASELINE : behaviour.of(runs.size(), plan);
        return LoadRuns.record(plan.load(), plan.timing(), round, given);
    }
}
