package dev.msgrelay.loadgen.result;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * How many runs stand for a measurement, and why the others do not.
 *
 * @param counting that stand for it
 * @param disturbed valid ones, during which the machine did something else
 * @param invalid failed or partial
 */
public record Tally(int counting, int disturbed, int invalid) {
    public static Tally of(Collection<RunRecord> runs) {
        int counting = (int) runs.stream().filter(RunRecord::counts).count();
        int valid = (int) runs.stream().filter(RunRecord::isValid).count();
        return new Tally(counting, valid - counting, runs.size() - valid);
    }

    /** "12 runs count; left out: 2 on a disturbed machine, 1 failed or partial". */
    @Override
    public String toString() {
        List<String> others = new ArrayList<>();
        if (disturbed > 0) {
            others.add(disturbed + " on a disturbed machine");
        }
        if (invalid > 0) {
            others.add(invalid + " failed or partial");
        }
        String count = counting == 0 ? "no run counts" : counting == 1 ? "1 run counts" : counting + " runs count";
        return others.isEmpty() ? count : count + "; left out: " + String.join(", ", others);
    }
}
