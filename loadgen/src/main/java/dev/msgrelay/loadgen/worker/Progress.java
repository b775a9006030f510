package dev.msgrelay.loadgen.worker;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Says once a second how far this worker is, on a daemon thread of its own. */
public final class Progress {
    private Progress() {}

    /** Starts to report; ends with the process. */
    static void start(Control control, LongSupplier messages, LongSupplier bytes) {
        everySecond(
                () -> control.say("progress", Map.of("messages", messages.getAsLong(), "bytes", bytes.getAsLong())));
    }

    /** Does this once a second, until the process ends. */
    public static void everySecond(Runnable report) {
        Thread thread = new Thread(() -> repeat(report), "progress");
        thread.setDaemon(true);
        thread.start();
    }

    private static void repeat(Runnable report) {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(1);
                report.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
