package dev.msgrelay.loadgen.lab.asyncfiles;

import java.time.Duration;

/**
 * What the experiment can be told.
 *
 * @param pool threads of the fixed pool
 * @param outstanding so many writes may be on their way where nobody waits for them
 * @param duration for which every go writes
 * @param closeAtOnce whether one is shown that closes without waiting, and loses what is on its way
 */
public record AsyncFilesOptions(int pool, int outstanding, Duration duration, boolean closeAtOnce) {
    public static final int OUTSTANDING = 64;
    public static final int MAX_POOL = 1_000;

    /** The JDK's own pool may make a thread for each. */
    public static final int MAX_OUTSTANDING = 10_000;

    /** The article's. */
    public static final Duration DURATION = Duration.ofSeconds(1);

    public static final Duration QUICK_DURATION = Duration.ofMillis(400);

    /** As many as there are cores. */
    public static int defaultPool() {
        return Runtime.getRuntime().availableProcessors();
    }

    public static AsyncFilesOptions defaults(boolean quick) {
        return new AsyncFilesOptions(defaultPool(), OUTSTANDING, quick ? QUICK_DURATION : DURATION, false);
    }
}
