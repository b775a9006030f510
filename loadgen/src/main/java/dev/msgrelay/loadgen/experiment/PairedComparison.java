package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.result.Results.Ending;
import dev.msgrelay.loadgen.result.Results.Ending.How;
import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.loadgen.result.RunRecord.Observed.Kind;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The result of comparing two sides that were run alternately. The first row decides which side is faster. */
public record PairedComparison(List<Turn> runs, Pairs pairs, List<PairedRow> rows, Ended ended, List<String> failures) {
    /**
     * The probability of a false alarm, for all figures together. It is small because the interval is examined after
     * each pair, and an interval that ends a comparison is often narrow by luck. A simulation in the tests shows that
     * at most 2 of 100 comparisons of equal sides raise an alarm.
     */
    private static final double DOUBT = 0.01;

    public enum Ended {
        NOT_YET(How.RUNNING, "it goes on"),
        NARROW(How.COMPLETE, "the interval is narrow enough"),
        TIME(How.COMPLETE, "the time is over"),
        INTERRUPTED(How.INTERRUPTED, "interrupted"),
        FAILED(How.FAILED, "a run failed"),
        WRONG(How.FAILED, "a run was invalid");

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
        double doubt = DOUBT / figures.size();
        return new PairedComparison(
                runs,
                pairs,
                figures.stream()
                        .map(figure -> PairedRow.of(figure, pairs, doubt))
                        .toList(),
                ended,
                failures);
    }

    public PairedRow headline() {
        return rows.get(0);
    }

    public List<Turn> disturbed(Side side) {
        return runs.stream().filter(run -> run.side() == side && !run.counts()).toList();
    }

    /** Whether the whole interval of B's speed relative to A, by the first figure, is below {@code ratio}. */
    public boolean isBelow(double ratio) {
        return headline().speed().high() < ratio;
    }

    /** Returns a text for each kind of event, such as "12 of 40 runs of B stood still, 3 of 40 of A". */
    List<String> observed() {
        return Stream.of(Kind.values())
                .filter(kind -> runs.stream().anyMatch(run -> run.has(kind)))
                .map(kind -> share(Side.B, kind, " runs of B " + kind.verb() + ", ") + share(Side.A, kind, " of A"))
                .toList();
    }

    /** Describes both sides' congestion control if it differs, and so affects the ratio. Otherwise empty. */
    Optional<String> unlike() {
        Map<Side, Senders> senders = new EnumMap<>(Side.class);
        runs.stream().filter(run -> run.senders() != null).forEach(run -> senders.put(run.side(), run.senders()));
        return senders.size() < 2 || senders.get(Side.A).isLike(senders.get(Side.B))
                ? Optional.empty()
                : Optional.of("unlike congestion control, which is in the ratio: A " + text(senders.get(Side.A))
                        + "; B " + text(senders.get(Side.B)));
    }

    private static String text(Senders senders) {
        String text = senders.text("relay");
        return text.isEmpty() ? "by Unix sockets" : text;
    }

    private String share(Side side, Kind kind, String words) {
        List<Turn> counted =
                runs.stream().filter(run -> run.side() == side && run.counts()).toList();
        return counted.stream().filter(run -> run.has(kind)).count() + " of " + counted.size() + words;
    }
}
