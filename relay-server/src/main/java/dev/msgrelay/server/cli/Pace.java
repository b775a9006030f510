package dev.msgrelay.server.cli;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Long tables are printed at the speed of whoever reads them, so that no line is dropped for want of room. But the time for
 * it is bounded: behind that the rest goes the way of all lines. One thread.
 */
final class Pace {
    /** Of a table: the command looks after its relay once a second. */
    private static final long MOST_MILLIS = 500;

    private static final int LINES = 100;

    private final LongConsumer finish;
    private int lines;
    private long deadline;

    /** @param finish waits until what was printed is out, for at most so many milliseconds */
    Pace(LongConsumer finish) {
        this.finish = finish;
    }

    /** A table begins. */
    void begin() {
        lines = 0;
        deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);
    }

    /** A line of it has been printed. */
    void line() {
        if (++lines % LINES == 0) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left > 0) {
                finish.accept(left);
            }
        }
    }
}
