package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.compare.PairedComparison.Ended;
import dev.msgrelay.loadgen.experiment.Cell;
import dev.msgrelay.loadgen.experiment.Experiment;
import dev.msgrelay.loadgen.experiment.Experiment.Until;
import dev.msgrelay.loadgen.experiment.Run;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs A and B in turn, A B B A, until it is known well enough how they compare. It looks after each pair, but stops only
 * because the interval is narrow or the time is over, never because the difference looks real: who stops at the first look
 * that shows one finds one in the end, whether there is any or not.
 */
public final class InTurn {
    /** Fewer rounds may have been alike by chance, and so make an interval too narrow. */
    static final int MIN_ROUNDS = 8;

    /** What an hour has, about. */
    private static final int MAX_PAIRS = 500;

    private final Experiment<Turn> experiment;
    private final List<Figure> figures;
    private final double withinPercent;

    /**
     * @param figures the first one decides
     * @param withinPercent how wide the interval of the first figure may be
     */
    public InTurn(Experiment<Turn> experiment, List<Figure> figures, double withinPercent) {
        this.experiment = experiment;
        this.figures = figures;
        this.withinPercent = withinPercent;
    }

    /**
     * Does it. What there is is returned however it ends: by an interrupt or a run that failed, too.
     *
     * @param cells A's and B's
     * @param limitNanos no pair begins that would probably end later
     */
    public PairedComparison compare(
            List<? extends Cell<Turn>> cells, long limitNanos, Consumer<PairedComparison> afterPair) {
        try {
            List<Run<Turn>> runs = experiment.rounds(
                    "", cells, new Until<>(MAX_PAIRS, MAX_PAIRS, limitNanos, all -> isEnough(all, afterPair)));
            Run<Turn> last = runs.get(runs.size() - 1);
            if (!last.failures().isEmpty()) {
                String run = last.cell().name() + ", run " + (last.number() + 1) + ": ";
                return comparison(
                        Ended.FAILED, last.failures().stream().map(run::concat).toList());
            }
            return comparison(isNarrow(comparison(Ended.NOT_YET, List.of())) ? Ended.NARROW : Ended.TIME, List.of());
        } catch (InterruptedException e) {
            return comparison(Ended.INTERRUPTED, List.of());
        }
    }

    private boolean isEnough(List<Run<Turn>> runs, Consumer<PairedComparison> afterPair) {
        if (!runs.get(runs.size() - 1).failures().isEmpty()) {
            return true;
        }
        if (runs.size() % 2 == 1) {
            return false;
        }
        PairedComparison known = comparison(Ended.NOT_YET, List.of());
        afterPair.accept(known);
        return isNarrow(known);
    }

    private boolean isNarrow(PairedComparison known) {
        PairedRow headline = known.headline();
        return headline.rounds() >= MIN_ROUNDS && headline.widthPercent() <= withinPercent;
    }

    private PairedComparison comparison(Ended ended, List<String> failures) {
        return PairedComparison.of(
                experiment.runs().stream().filter(Run::isWhole).toList(), figures, ended, failures);
    }
}
