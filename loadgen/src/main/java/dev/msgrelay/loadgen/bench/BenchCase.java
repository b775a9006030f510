package dev.msgrelay.loadgen.bench;

import dev.msgrelay.loadgen.experiment.CeilingCells;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.LoadCell;
import dev.msgrelay.loadgen.experiment.Run;
import dev.msgrelay.loadgen.run.RunResult;
import java.util.ArrayList;
import java.util.List;

/**
 * One line of the benchmark.
 *
 * @param id as on the command line
 * @param title for people
 * @param ours what is measured in every round
 * @param ceilings candidates of the ceiling: all are tried once, the best two run in every round; may be empty
 * @param metrics what is asked
 * @param rounds how often
 */
public record BenchCase(
        String id, String title, List<LoadCell> ours, List<LoadCell> ceilings, List<Metric> metrics, int rounds) {
    /** So many of the ceilings run in every round: the best one of a single try may have been lucky. */
    private static final int CEILINGS_PER_ROUND = 2;

    /** Says how much work lies ahead. */
    public void announce(Experiment<RunResult> experiment) {
        experiment.expect(ceilings, 1);
        experiment.expect(inTurn(ceilings), rounds);
    }

    public CaseResult run(Experiment<RunResult> experiment) throws InterruptedException {
        List<Run<RunResult>> tries = experiment.rounds(id + ", trying ceilings", ceilings, Until.rounds(1));
        List<LoadCell> best =
                CeilingCells.best(tries).map(run -> (LoadCell) run.cell()).toList();
        return new CaseResult(this, tries, Round.of(experiment.rounds(id, inTurn(best), Until.rounds(rounds))));
    }

    /** A ceiling, ours, the other ceiling. */
    private List<LoadCell> inTurn(List<LoadCell> best) {
        List<LoadCell> order = new ArrayList<>(ours);
        if (!best.isEmpty()) {
            order.add(0, best.get(0));
            order.addAll(best.subList(1, Math.min(CEILINGS_PER_ROUND, best.size())));
        }
        return order;
    }
}
