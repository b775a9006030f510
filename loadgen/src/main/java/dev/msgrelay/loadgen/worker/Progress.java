package dev.msgrelay.loadgen.worker;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Says four times a second how far this worker is, on a daemon thread of its own. */
public final class Progress {
    /** Reports of a second. */
    public static final int A_SECOND = 4;

    private static final long SECOND_MILLIS = 1_000;

    private Progress() {}

    /** Reports at once, so that there is a count before the window begins, and from now on; ends with the process. */
    static void start(Control control, LongSupplier messages, LongSupplier bytes) {
        report(control, messages, bytes, false);
        repeat(SECOND_MILLIS / A_SECOND, () -> report(control, messages, bytes, false));
    }

    /** Reports once more, when all is done: nothing will change any more. */
    static void last(Control control, LongSupplier messages, LongSupplier bytes) {
        report(control, messages, bytes, true);
    }

    private static void report(Control control, LongSupplier messages, LongSupplier bytes, boolean last) {
        // The clock first: the counts are read with it, the line may have to wait.
        long nanos = System.nanoTime();
        control.say(
                "progress",
                Map.of("nanos", nanos, "messages", messages.getAsLong(), "bytes", bytes.getAsLong(), "last", last));
    }

    /** Does this once a second, until the process ends. */
    public static void everySecond(Runnable report) {
        repeat(SECOND_MILLIS, report);
    }

    private static void repeat(long millis, Runnable report) {
        Thread thread = new Thread(() -> sleepAndReport(millis, report), "progress");
        thread.setDaemon(true);
        thread.start();
    }

    private static void sleepAndReport(long millis, Runnable report) {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(millis);
                report.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
