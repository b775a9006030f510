package dev.msgrelay.loadgen.compare;

import dev.msgrelay.loadgen.result.Moment;
import dev.msgrelay.loadgen.result.RunRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Cells whose runs were of another length on one side: warm-up and duration move figures by themselves. */
final class Lengths {
    private static final double SECOND_NANOS = 1e9;

    private final Map<String, Integer> differences = new LinkedHashMap<>();

    /** Looks at the runs of one cell that are compared. */
    void add(List<RunRecord> a, List<RunRecord> b) {
        String inA = text(a);
        String inB = text(b);
        if (!inA.equals(inB)) {
            differences.merge("a: " + inA + ", b: " + inB, 1, Integer::sum);
        }
    }

    /** One line for each way in which they differ. */
    List<String> notices() {
        return differences.entrySet().stream()
                .map(one -> "not left out although runs were of another length: " + one.getKey() + " (" + one.getValue()
                        + (one.getValue() == 1 ? " cell)" : " cells)"))
                .toList();
    }

    /** "3 s after 8 s of warm-up". */
    private static String text(List<RunRecord> runs) {
        return runs.stream().map(run -> text(run.moment())).distinct().collect(Collectors.joining(" or "));
    }

    private static String text(Moment moment) {
        return String.format(
                Locale.ROOT,
                "%s s after %s s of warm-up",
                seconds(moment.measuredNanos()),
                seconds(moment.warmupNanos()));
    }

    private static String seconds(long nanos) {
        String text = String.format(Locale.ROOT, "%.3f", nanos / SECOND_NANOS);
        return text.replaceFirst("\\.?0+$", "");
    }
}
