package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.experiment.Run;
import java.util.List;

/**
 * Two sides, run in turn.
 *
 * @param runs all that came to their end
 * @param rows the first one decides
 * @param ended why there are not more
 * @param failures what makes all of it invalid; empty where nothing does
 */
public record PairedComparison(
        List<Run<Turn>> runs, Pairs pairs, List<PairedRow> rows, Ended ended, List<String> failures) {
    public enum Ended {
        NOT_YET("it goes on"),
        NARROW("the interval is narrow enough"),
        TIME("the time is over"),
        INTERRUPTED("interrupted"),
        FAILED("a run was invalid");

        private final String text;

        Ended(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    public PairedComparison {
        runs = List.copyOf(runs);
        rows = List.copyOf(rows);
        failures = List.copyOf(failures);
    }

    static PairedComparison of(List<Run<Turn>> runs, List<Figure> figures, Ended ended, List<String> failures) {
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

    public List<Run<Turn>> marked(Side side) {
        return runs.stream()
                .filter(run -> run.result().side() == side && run.isMarked())
                .toList();
    }

    /** Whether B is slower than this by what decides: the whole interval of its speed to A's lies below. */
    public boolean isBelow(double ratio) {
        Estimate speed = headline().speed();
        return speed != null && speed.high() < ratio;
    }
}
