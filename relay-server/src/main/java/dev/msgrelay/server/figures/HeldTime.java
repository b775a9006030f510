package dev.msgrelay.server.figures;

/**
 * The total time for which something has been held back. Any thread; used when a hold begins and ends, and in reports.
 */
public final class HeldTime {
    private long total;
    private long since;
    private long times;
    private boolean holds;
    private long told;

    /** Begins a hold now, unless one lasts already. */
    public synchronized void begin(long now) {
        if (!holds) {
            holds = true;
            since = now;
            times++;
        }
    }

    public synchronized void end(long now) {
        if (holds) {
            holds = false;
            total += now - since;
        }
    }

    /** Number of holds so far, including one that lasts. */
    public synchronized long times() {
        return times;
    }

    /** Nanoseconds held so far, also of a hold that lasts; never less than returned before. */
    public synchronized long nanos(long now) {
        told = Math.max(told, holds ? total + now - since : total);
        return told;
    }
}
