package dev.msgrelay.server.figures;

/** The total time of a state that comes and goes, such as a full disk. Any thread; not for each message. */
public final class Stopwatch {
    private long total;
    private long since;
    private long starts;
    private boolean running;
    private long shown;

    /** Starts it at {@code now}; one that runs goes on. */
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

    /** How often it was started. */
    public synchronized long starts() {
        return starts;
    }

    /** Nanoseconds for which it has run until {@code now}; never less than was returned before. */
    public synchronized long nanos(long now) {
        shown = Math.max(shown, running ? total + now - since : total);
        return shown;
    }
}
