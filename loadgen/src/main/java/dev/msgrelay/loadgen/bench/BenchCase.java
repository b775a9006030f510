package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.ArrayList;
import java.util.List;

/**
 * One line of the benchmark.
 *
 * @param id as on the command line
 * @param title for people
 * @param ours what is measured in every round
 * @param ceilings the ceiling, which runs in every round; may be empty
 * @param metrics what is asked
 * @param rounds how often
 */
public record BenchCase(
        String id, String title, List<LoadCell> ours, List<LoadCell> ceilings, List<Metric> metrics, int rounds) {
    /** Says how much work lies ahead. */
    public void announce(Experiment<RunResult> experiment) {
        experiment.expect(inTurn(ceilings), rounds);
    }

    public CaseResult run(Experiment<RunResult> experiment) throws InterruptedException {
        return new CaseResult(this, List.of(), Round.of(experiment.rounds(id, inTurn(ceilings), Until.rounds(rounds))));
    }

    /** The ceiling, ours. */
    private List<LoadCell> inTurn(List<LoadCell> best) {
        List<LoadCell> order = new ArrayList<>(ours);
        if (!best.isEmpty()) {
            order.add(0, best.get(0));
        }
        return order;
    }
}
