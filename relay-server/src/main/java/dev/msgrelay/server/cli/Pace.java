package dev.msgrelay.server.cli;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Prints long tables at the reader's speed, so that no line is dropped for want of room. The time for it is bounded:
 * after that the rest is queued like all lines. One thread.
 */
final class Pace {
    /** Time for one table: the command has to look at its relay once a second. */
    private static final long MOST_MILLIS = 500;

    private static final int LINES = 100;

    private final LongConsumer finish;
    private int lines;
    private long deadline;

    /** @param finish waits until the printed lines are written, for at most the given milliseconds */
    Pace(LongConsumer finish) {
        this.finish = finish;
    }

    void beginTable() {
        lines = 0;
        deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);
    }

    /** Counts a printed line of the table, and waits for the reader after every 100th. */
    void line() {
        if (++lines % LINES == 0) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left > 0) {
                finish.accept(left);
            }
        }
    }
}
