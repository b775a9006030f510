package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.experiment.LoadRuns.Given;
import dev.msgrelay.loadgen.rig.RunException;
import dev.msgrelay.loadgen.rig.RunObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A machine without a machine: runs that take no time and give what a test says. */
final class FakeRig implements LoadRig {
    /** 110 MB/s. */
    private static final Given BASELINE = new Given(110_000_000 / LoadRuns.FRAME + 1, 1_000);

    private final Behaviour behaviour;
    final List<String> runs = new ArrayList<>();

    /** What a run gives. */
    @FunctionalInterface
    interface Behaviour {
        Given of(int number, LoadCell cell) throws IOException, RunException, InterruptedException;
    }

    FakeRig(Behaviour behaviour) {
        this.behaviour = behaviour;
    }

    @Override
    public RunResult run(LoadCell cell, RunObserver observer) throws IOException, RunException, InterruptedException {
        boolean baseline = cell.contestant() == LinkBaseline.SENDER;
        runs.add(cell.placement().relay().name() + " "
                + (baseline ? "baseline" : cell.contestant().name()));
        Given given = baseline ? BASELINE : behaviour.of(runs.size(), cell);
        return LoadRuns.result(cell.contestant(), cell.load(), cell.timing(), given);
    }
}
