package dev.msgrelay.loadgen.experiment;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.result.Results.Side;
import dev.msgrelay.loadgen.result.Results.Turn;
import dev.msgrelay.loadgen.result.RunRecord.Observed;
import java.util.List;

/**
 * How many runs of each side have something to be told of, and whether one side has it more often: by Fisher's exact test, of all
 * runs that count.
 *
 * @param probability of such a difference, or a larger one, between sides that are alike
 * @param oftener the side that has more of them beyond doubt, or null
 */
public record Frequency(
        Observed.Kind kind, int withA, int runsA, int withB, int runsB, double probability, Side oftener) {
    /** Runs of each side that show it, in nine comparisons of ten, when one side has it in a third of its runs. */
    static final int ENOUGH_RUNS = 40;

    /** @param doubt how likely a false alarm may be */
    static Frequency of(Observed.Kind kind, List<Turn> runs, double doubt) {
        int runsA = count(runs, Side.A);
        int runsB = count(runs, Side.B);
        int withA = with(kind, runs, Side.A);
        int withB = with(kind, runs, Side.B);
        double probability = FisherExact.twoSided(withA, runsA, withB, runsB);
        Side more = (double) withB * runsA > (double) withA * runsB ? Side.B : Side.A;
        return new Frequency(kind, withA, runsA, withB, runsB, probability, probability <= doubt ? more : null);
    }

    private static int count(List<Turn> runs, Side side) {
        return (int)
                runs.stream().filter(run -> run.side() == side && run.counts()).count();
    }

    private static int with(Observed.Kind kind, List<Turn> runs, Side side) {
        return (int) runs.stream()
                .filter(run -> run.side() == side && run.counts() && run.has(kind))
                .count();
    }

    /** Whether there are so many that a difference would be seen. */
    static boolean isEnough(List<Turn> runs) {
        return Math.min(count(runs, Side.A), count(runs, Side.B)) >= ENOUGH_RUNS;
    }

    /** "B stands still more often", "too few runs", "no difference seen". */
    public String verdict() {
        if (oftener != null) {
            return oftener + " " + kind.oftener();
        }
        return Math.min(runsA, runsB) >= ENOUGH_RUNS ? "no difference seen" : "too few runs";
    }

    /** "stand-stills: A in 0 of 40 runs, B in 13 of 40: B stands still more often (p 0.0001)". */
    String text() {
        return format(
                "%s: A in %d of %d runs, B in %d of %d: %s (p %.4f)",
                kind.title(), withA, runsA, withB, runsB, verdict(), probability);
    }
}
