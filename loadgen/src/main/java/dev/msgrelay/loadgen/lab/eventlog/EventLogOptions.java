package dev.msgrelay.loadgen.lab.eventlog;

import java.time.Duration;

/**
 * What the experiment can be told.
 *
 * @param threads that record bursts
 * @param duration of the measured part of a go
 * @param asPrinted whether the article's own closing of {@link BufferedWritesOffThread} is shown, which loses events
 */
public record EventLogOptions(int threads, Duration duration, boolean asPrinted) {
    /** Of the article, by its counts and means. */
    public static final int ARTICLE_THREADS = 16;

    public static final int MAX_THREADS = 1_000;
    public static final Duration DURATION = Duration.ofSeconds(5);
    public static final Duration QUICK_DURATION = Duration.ofMillis(400);

    /** Fewer make no contention worth looking at. */
    private static final int LEAST_DEFAULT = 4;

    /** As many as there are cores. */
    public static int defaultThreads() {
        return Math.max(LEAST_DEFAULT, Runtime.getRuntime().availableProcessors());
    }

    public static EventLogOptions defaults(boolean quick) {
        return new EventLogOptions(defaultThreads(), quick ? QUICK_DURATION : DURATION, false);
    }

    /** Before the measured part, with the log just opened. */
    Duration leadIn() {
        return duration.dividedBy(5);
    }
}
