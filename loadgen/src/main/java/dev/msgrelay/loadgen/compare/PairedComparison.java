package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Ending.How;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import java.util.List;

/**
 * Two sides, run in turn.
 *
 * @param runs all that came to their end
 * @param rows the first one decides
 * @param ended why there are not more
 * @param failures what makes all of it invalid; empty where nothing does
 */
public record PairedComparison(List<Turn> runs, Pairs pairs, List<PairedRow> rows, Ended ended, List<String> failures) {
    public enum Ended {
        NOT_YET(How.RUNNING, "it goes on"),
        NARROW(How.COMPLETE, "the interval is narrow enough"),
        TIME(How.COMPLETE, "the time is over"),
        INTERRUPTED(How.INTERRUPTED, "interrupted"),
        FAILED(How.FAILED, "a run was invalid");

        private final Ending ending;

        Ended(How how, String text) {
            ending = new Ending(how, text);
        }

        public Ending ending() {
            return ending;
        }
    }

    public PairedComparison {
        runs = List.copyOf(runs);
        rows = List.copyOf(rows);
        failures = List.copyOf(failures);
    }

    static PairedComparison of(List<Turn> runs, List<Figure> figures, Ended ended, List<String> failures) {
        Pairs pairs = Pairs.of(runs);
        return new PairedComparison(
                runs,
                pairs,
                figures.stream().map(figure -> PairedRow.of(figure, pairs)).toList(),
                ended,
                failures);
    }

    /** What decides. */
    public PairedRow headline() {
        return rows.get(0);
    }

    public List<Turn> marked(Side side) {
        return runs.stream().filter(run -> run.side() == side && !run.counts()).toList();
    }

    /** Whether B is slower than this by what decides: the whole interval of its speed to A's lies below. */
    public boolean isBelow(double ratio) {
        return headline().speed().high() < ratio;
    }
}
