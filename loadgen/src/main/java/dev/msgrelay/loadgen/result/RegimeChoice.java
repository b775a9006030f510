package dev.msgrelay.loadgen.result;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The regime whose runs stand for a shootout: the one that most of its runs that count were taken in. All others are left
 * out of medians and ratios, and that is said.
 *
 * @param regime the one that counts
 * @param runs how many there were that have no other mark than their regime, by that
 * @param marked runs in a steady regime that something else marked
 * @param invalid failed or partial
 */
public record RegimeChoice(Regime regime, Map<Regime, Integer> runs, int marked, int invalid) {

    /** The choice from all runs of a shootout; of two regimes with as many runs, the nearer one. */
    public static RegimeChoice of(Collection<RunRecord> all) {
        Map<Regime, Integer> runs = new EnumMap<>(Regime.class);
        int marked = 0;
        int invalid = 0;
        for (RunRecord run : all) {
            if (!run.isValid()) {
                invalid++;
            } else if (run.hops().regime().isSteady() && !run.counts()) {
                marked++;
            } else {
                runs.merge(run.hops().regime(), 1, Integer::sum);
            }
        }
        Regime best = Regime.UNKNOWN;
        for (Map.Entry<Regime, Integer> entry : runs.entrySet()) {
            if (entry.getKey().isSteady() && entry.getValue() > runs.getOrDefault(best, 0)) {
                best = entry.getKey();
            }
        }
        return new RegimeChoice(best, runs, marked, invalid);
    }

    /** Whether there is any run that counts. */
    public boolean hasAny() {
        return runs.getOrDefault(regime, 0) > 0;
    }

    /** For people: what was left out, or an empty text. */
    public String leftOut() {
        List<String> others = new ArrayList<>();
        runs.forEach((other, count) -> add(others, other == regime ? 0 : count, title(other)));
        add(others, marked, "marked");
        add(others, invalid, "failed or partial");
        return String.join(", ", others);
    }

    private static void add(List<String> others, int count, String what) {
        if (count > 0) {
            others.add(count + " " + what);
        }
    }

    private static String title(Regime regime) {
        return switch (regime) {
            case NEAR, FAR -> "with cores " + regime;
            case CHANGED -> "during which the cores moved";
            case DISTURBED -> "beside other work";
            case UNKNOWN -> "without a core-to-core hop";
        };
    }
}
