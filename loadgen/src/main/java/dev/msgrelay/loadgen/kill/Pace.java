package dev.msgrelay.loadgen.kill;

import dev.msgrelay.loadgen.experiment.TimeLeft;
import java.time.Duration;

/** How far a campaign is, and how much is left. */
final class Pace {
    private final String what;
    private final int all;
    private final long begun = System.nanoTime();
    private int done;

    Pace(String what, int all) {
        this.what = what;
        this.all = all;
    }

    /** So many have begun. */
    int done() {
        return done;
    }

    /** The next one begins: "kill 40/1000: this; about 6 min left". */
    String next(String text) {
        long each = done == 0 ? 0 : (System.nanoTime() - begun) / done;
        String left = each == 0 ? "" : "; about " + TimeLeft.text(Duration.ofNanos(each * (all - done))) + " left";
        return what + " " + ++done + "/" + all + ": " + text + left;
    }
}
