package dev.msgrelay.loadgen.compare;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Cells whose runs had other conditions on one side, which move figures by themselves: warm-up and duration, and what the
 * system gave publishers for their schedule.
 */
final class Conditions {
    private static final double SECOND_NANOS = 1e9;

    private final Map<String, Integer> differences = new LinkedHashMap<>();

    /** Looks at the runs of one cell that are compared. */
    void add(List<RunRecord> a, List<RunRecord> b) {
        differ("runs were of another length", lengths(a), lengths(b));
        differ("publishers had other means to keep their schedule", means(a), means(b));
    }

    private void differ(String what, String inA, String inB) {
        if (!inA.equals(inB)) {
            differences.merge(what + ": a: " + inA + ", b: " + inB, 1, Integer::sum);
        }
    }

    /** One line for each way in which they differ. */
    List<String> notices() {
        return differences.entrySet().stream()
                .map(one -> "not left out although " + one.getKey() + " (" + one.getValue()
                        + (one.getValue() == 1 ? " cell)" : " cells)"))
                .toList();
    }

    /** "usual priority"; nothing at full speed. */
    private static String means(List<RunRecord> runs) {
        return runs.stream()
                .map(run -> run.correctness().schedule())
                .filter(schedule -> schedule.scheduled() > 0)
                .map(schedule -> schedule.means().text())
                .distinct()
                .collect(Collectors.joining(" or "));
    }

    /** "3 s after 8 s of warm-up". */
    private static String lengths(List<RunRecord> runs) {
        return runs.stream().map(run -> text(run.moment())).distinct().collect(Collectors.joining(" or "));
    }

    private static String text(Moment moment) {
        return format("%s s after %s s of warm-up", seconds(moment.measuredNanos()), seconds(moment.warmupNanos()));
    }

    private static String seconds(long nanos) {
        String text = format("%.3f", nanos / SECOND_NANOS);
        return text.replaceFirst("\\.?0+$", "");
    }
}
