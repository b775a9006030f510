package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.bound.Disturbances;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a run is worth: whether its messages came as they had to, and whether its figures are the relay's or those of a
 * machine that had other things to do. The first is the exit code's, the second a mark.
 *
 * @param failures what is wrong with the messages, one line each
 * @param marks why the figures are not usable, one line each
 */
public record Judgement(List<String> failures, List<String> marks) {
    public Judgement {
        failures = List.copyOf(failures);
        marks = List.copyOf(marks);
    }

    /**
     * Of one run.
     *
     * @param cores what is to be said of the core-to-core hop before and after it; mostly empty
     */
    public static Judgement of(RunResult result, List<String> cores) {
        Signals signals = result.observed().signals();
        List<String> marks = new ArrayList<>(Disturbances.of(signals));
        marks.addAll(cores);
        unkept(signals.rates(), marks);
        marks.addAll(Verdict.failures(result.published().punctuality()));
        return new Judgement(Verdict.faults(result), marks);
    }

    private static void unkept(Rates rates, List<String> marks) {
        if (rates.wanted() > 0 && !rates.kept()) {
            marks.add(String.format(
                    Locale.ROOT,
                    "the rate was not kept: of %,.0f msg/s %,.0f left the publishers and %,.0f reached each subscriber",
                    rates.wanted(),
                    rates.in(),
                    rates.out()));
        }
    }

    public boolean passed() {
        return failures.isEmpty();
    }

    /** Whether its figures may be set against others'. */
    public boolean usable() {
        return marks.isEmpty();
    }
}
