package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Whether this process stood still: a thread that only sleeps notes when it overslept. What stops it stops the process:
 * somebody's SIGSTOP, a collection of garbage, or the host that takes the whole machine away. A daemon thread of its own.
 */
public final class Standstill {
    private static final long STEP_MILLIS = 20;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS);

    private final Pauses pauses = new Pauses();
    private final Supplier<Window> window;
    private final Thread thread = new Thread(this::run, "standstill");

    private Standstill(Supplier<Window> window) {
        this.window = window;
    }

    /** Watches from now on, until the process ends or {@link #stop}. */
    public static Standstill watch(Supplier<Window> window) {
        Standstill standstill = new Standstill(window);
        standstill.thread.setDaemon(true);
        standstill.thread.start();
        return standstill;
    }

    public void stop() {
        thread.interrupt();
    }

    private void run() {
        long slept = System.nanoTime();
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(STEP_MILLIS);
                long now = System.nanoTime();
                pauses.note(slept + STEP_NANOS, now, window.get());
                slept = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What it has noted so far. */
    public JsonObject json() {
        return pauses.json();
    }
}
