package dev.msgrelay.loadgen.compare;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Moment;
import dev.msgrelay.protocol.text.ShortText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
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
        Lengths inA = Lengths.of(a);
        Lengths inB = Lengths.of(b);
        if (!inA.areLike(inB)) {
            differ("runs were of another length", inA.text(), inB.text());
        }
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
                .map(one -> "not left out although " + one.getKey() + " (" + ShortText.counted(one.getValue(), "cell")
                        + ")")
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

    /** How long they were measured, and their warm-ups: those that waited for a steady speed differ from run to run. */
    private record Lengths(String measured, long shortest, long longest) {
        static Lengths of(List<RunRecord> runs) {
            List<Moment> moments = runs.stream().map(RunRecord::moment).toList();
            LongSummaryStatistics warmup =
                    moments.stream().mapToLong(Moment::warmupNanos).summaryStatistics();
            String measured = moments.stream()
                    .map(moment -> seconds(moment.measuredNanos()) + " s")
                    .distinct()
                    .collect(Collectors.joining(" or "));
            return new Lengths(measured, warmup.getMin(), warmup.getMax());
        }

        boolean areLike(Lengths other) {
            return measured.equals(other.measured) && shortest <= other.longest && other.shortest <= longest;
        }

        /** "3 s after 8 s of warm-up", "3 s after 8 to 9.5 s of warm-up". */
        String text() {
            String upTo = shortest == longest ? "" : " to " + seconds(longest);
            return measured + " after " + seconds(shortest) + upTo + " s of warm-up";
        }
    }

    private static String seconds(long nanos) {
        String text = format("%.3f", nanos / SECOND_NANOS);
        return text.replaceFirst("\\.?0+$", "");
    }
}
