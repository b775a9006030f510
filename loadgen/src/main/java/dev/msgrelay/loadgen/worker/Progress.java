package dev.msgrelay.loadgen.worker;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Says once a second how far this worker is, on a daemon thread of its own. */
public final class Progress {
    private Progress() {}

    /** Starts to report; ends with the process. */
    public static void start(Control control, LongSupplier messages, LongSupplier bytes) {
        Thread thread = new Thread(() -> report(control, messages, bytes), "progress");
        thread.setDaemon(true);
        thread.start();
    }

    private static void report(Control control, LongSupplier messages, LongSupplier bytes) {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(1);
                control.say("progress", Map.of("messages", messages.getAsLong(), "bytes", bytes.getAsLong()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
