package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.PairedComparison.Ended;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.loadgen.rig.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Runs A and B in the order A B B A until the confidence interval of their ratio is narrow, or the time is over. A
 * difference that looks real is no reason to end, since by chance any comparison shows a difference at some time.
 */
public final class InTurn {
    /**
     * The fewest rounds after which an interval may count as narrow. The results of fewer rounds may be similar by
     * chance, so that their interval is too narrow.
     */
    static final int MIN_ROUNDS = 11;

    private static final int MAX_PAIRS = 500;

    private final Experiment experiment;
    private final List<Figure> figures;
    private final int pairsOfARound;
    private final double withinPercent;
    private final List<Turn> turns = new ArrayList<>();
    private int seen;

    /**
     * @param pairsOfARound number of pairs that use the same two relay processes
     * @param withinPercent largest width of the interval of the first figure at which the comparison ends
     */
    public InTurn(Experiment experiment, List<Figure> figures, int pairsOfARound, double withinPercent) {
        this.experiment = experiment;
        this.figures = figures;
        this.pairsOfARound = pairsOfARound;
        this.withinPercent = withinPercent;
    }

    /**
     * Runs the plans. An interrupt or a failed run ends the comparison, which then uses the runs made before.
     *
     * @param limitNanos time limit. After the first pair, a pair starts only if it will probably end in time.
     */
    public PairedComparison compare(List<Plan> cells, long limitNanos, Consumer<PairedComparison> afterPair) {
        try {
            List<Run> runs =
                    experiment.rounds(cells, new Until(MAX_PAIRS, limitNanos, all -> isEnough(all, afterPair)));
            Run last = runs.get(runs.size() - 1);
            if (!last.failures().isEmpty()) {
                String run = last.plan().name() + ", run " + (last.number() + 1) + ": ";
                return comparison(
                        last.isWhole() ? Ended.WRONG : Ended.FAILED,
                        last.failures().stream().map(run::concat).toList());
            }
            return comparison(isEnough(turns, figures, withinPercent) ? Ended.NARROW : Ended.TIME, List.of());
        } catch (InterruptedException e) {
            return comparison(Ended.INTERRUPTED, List.of());
        }
    }

    private boolean isEnough(List<Run> runs, Consumer<PairedComparison> afterPair) {
        if (!runs.get(runs.size() - 1).failures().isEmpty()) {
            return true;
        }
        if (runs.size() % 2 == 1) {
            return false;
        }
        PairedComparison known = comparison(Ended.NOT_YET, List.of());
        afterPair.accept(known);
        return isEnough(turns, figures, withinPercent);
    }

    static boolean isEnough(List<Turn> runs, List<Figure> figures, double withinPercent) {
        double[] logs = Pairs.of(runs).logRatios(figures.get(0));
        return logs.length >= MIN_ROUNDS && PairedRow.widthPercent(PairedRow.ratio(logs)) <= withinPercent;
    }

    private PairedComparison comparison(Ended ended, List<String> failures) {
        for (Run run : experiment.runs().subList(seen, experiment.runs().size())) {
            seen++;
            if (run.isWhole()) {
                turns.add(turn(run));
            }
        }
        return PairedComparison.of(List.copyOf(turns), figures, ended, failures);
    }

    private Turn turn(Run run) {
        Map<String, Double> values = new TreeMap<>();
        figures.forEach(figure -> values.put(figure.id(), figure.of(run.record())));
        List<String> leftOut = new ArrayList<>(run.failures());
        leftOut.addAll(run.record().outcome().environment());
        Side side = Side.valueOf(run.plan().name());
        int round = run.number() / (2 * pairsOfARound);
        return new Turn(
                side,
                run.number(),
                round,
                values,
                run.record().resources().senders(),
                leftOut,
                run.record().outcome().observed());
    }
}
