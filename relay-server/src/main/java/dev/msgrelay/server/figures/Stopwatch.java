package dev.msgrelay.server.figures;

/** The total time of a state that comes and goes, such as a full disk. Any thread. Too slow for every message. */
public final class Stopwatch {
    private long total;
    private long since;
    private long starts;
    private boolean running;
    private long shown;

    /** Does nothing if the watch runs already. */
    public synchronized void start(long now) {
        if (!running) {
            running = true;
            since = now;
            starts++;
        }
    }

    public synchronized void stop(long now) {
        if (running) {
            running = false;
            total += now - since;
        }
    }

    public synchronized boolean isRunning() {
        return running;
    }

    public synchronized long starts() {
        return starts;
    }

    /** The time for which the watch has run until {@code now}, in ns; never less than an earlier call returned. */
    public synchronized long nanos(long now) {
        shown = Math.max(shown, running ? total + now - since : total);
        return shown;
    }
}
