package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.shootout.Step.What;
import java.util.Locale;

/** What runs are called on progress lines and in messages. */
final class Names {
    private Names() {}

    /** "10gbe (emulated, MTU 1500), 1 -> 8, 100-byte bodies". */
    static String of(Lane lane, Step step) {
        LoadPoint point = step.point();
        return String.format(
                Locale.ROOT,
                "%s%s, %d -> %d, %s%s%s%s",
                lane.label(),
                step.what() == What.RELAY ? "" : ", ceiling: " + step.what(),
                point.publishers(),
                point.subscribers(),
                point.body().describe(),
                point.rate() == 0 ? "" : String.format(Locale.ROOT, ", %,d msg/s each", point.rate()),
                point.batch() == 0 ? "" : ", batches of " + point.batch(),
                point.burst() == 1 ? "" : ", bursts of " + point.burst());
    }
}
