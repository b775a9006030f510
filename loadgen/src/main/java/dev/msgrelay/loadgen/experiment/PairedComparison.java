package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Ending.How;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.loadgen.result.RunRecord.Observed.Kind;
import java.util.List;

/**
 * Two sides, run in turn.
 *
 * @param rows the first one decides
 * @param frequencies of what became of runs, beside their figures
 */
public record PairedComparison(
        List<Turn> runs,
        Pairs pairs,
        List<PairedRow> rows,
        List<Frequency> frequencies,
        Ended ended,
        List<String> failures) {
    /**
     * How likely a false alarm may be, of all figures and frequencies together. It is looked at after each pair, and what ends at
     * a narrow interval has had luck more often than not: with this, there is one in at most two of a hundred comparisons of what is
     * alike, as a test simulates.
     */
    private static final double DOUBT = 0.01;

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

    static PairedComparison of(List<Turn> runs, List<Figure> figures, Ended ended, List<String> failures) {
        Pairs pairs = Pairs.of(runs);
        List<Kind> kinds = kinds(figures);
        double doubt = DOUBT / (figures.size() + kinds.size());
        return new PairedComparison(
                runs,
                pairs,
                figures.stream()
                        .map(figure -> PairedRow.of(figure, pairs, doubt))
                        .toList(),
                kinds.stream().map(kind -> Frequency.of(kind, runs, doubt)).toList(),
                ended,
                failures);
    }

    /** Events that are counted beside these figures: at full speed there is no schedule to miss. */
    static List<Kind> kinds(List<Figure> figures) {
        return figures.contains(Figure.P50) ? List.of(Kind.values()) : List.of(Kind.STOOD_STILL);
    }

    public PairedRow headline() {
        return rows.get(0);
    }

    public List<Turn> disturbed(Side side) {
        return runs.stream().filter(run -> run.side() == side && !run.counts()).toList();
    }

    /** Whether B is slower than this by what decides: the whole interval of its speed to A's lies below. */
    public boolean isBelow(double ratio) {
        return headline().speed().high() < ratio;
    }

    /** Whether B has runs with something bad beyond doubt more often: a stand-still, a missed schedule. */
    public boolean isOftenerB() {
        return frequencies.stream().anyMatch(one -> one.oftener() == Side.B);
    }
}
