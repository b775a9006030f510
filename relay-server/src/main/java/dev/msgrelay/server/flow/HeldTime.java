package dev.msgrelay.server.flow;

/** The time that something has been held back, all in all. Any thread; used when a hold begins and ends, and in reports. */
public final class HeldTime {
    private long total;
    private long since;
    private long times;
    private boolean holds;
    private long told;

    /** Begins a hold, where none lasts already. */
    public synchronized void begin(long now) {
        if (!holds) {
            holds = true;
            since = now;
            times++;
        }
    }

    /** Ends the hold, where one lasts. */
    public synchronized void end(long now) {
        if (holds) {
            holds = false;
            total += now - since;
        }
    }

    /** Returns the number of holds so far, the one that lasts included. */
    public synchronized long times() {
        return times;
    }

    /**
     * Returns the nanoseconds so far, the hold that lasts included; never less than before: a report and the end of a hold may have
     * looked at the clock in another order.
     */
    public synchronized long nanos(long now) {
        told = Math.max(told, holds ? total + now - since : total);
        return told;
    }
}
