package dev.msgrelay.loadgen.result;

import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The regime whose runs stand for a shootout: the one that most of its valid runs were taken in. All others are left out
 * of medians and ratios, and that is said.
 *
 * @param regime the one that counts
 * @param runs how many valid runs there were, by their regime
 * @param invalid runs that count in no case: failed or partial
 */
public record RegimeChoice(Regime regime, Map<Regime, Integer> runs, int invalid) {

    /** The choice from all runs of a shootout; of two regimes with as many runs, the nearer one. */
    public static RegimeChoice of(Collection<RunRecord> all) {
        Map<Regime, Integer> runs = new EnumMap<>(Regime.class);
        int invalid = 0;
        for (RunRecord run : all) {
            if (run.isValid()) {
                runs.merge(run.hops().regime(), 1, Integer::sum);
            } else {
                invalid++;
            }
        }
        Regime best = Regime.UNKNOWN;
        for (Map.Entry<Regime, Integer> entry : runs.entrySet()) {
            if (entry.getKey().isSteady() && entry.getValue() > runs.getOrDefault(best, 0)) {
                best = entry.getKey();
            }
        }
        return new RegimeChoice(best, runs, invalid);
    }

    /** Whether there is any run that counts. */
    public boolean hasAny() {
        return runs.getOrDefault(regime, 0) > 0;
    }

    /** For people: what was left out, or an empty text. */
    public String leftOut() {
        String others = runs.entrySet().stream()
                .filter(entry -> entry.getKey() != regime)
                .map(entry -> entry.getValue() + " " + title(entry.getKey()))
                .collect(Collectors.joining(", "));
        String failed = invalid == 0 ? "" : invalid + " failed or partial";
        return others.isEmpty() || failed.isEmpty() ? others + failed : others + ", " + failed;
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
