package dev.msgrelay.server.flow;

/** How long something has been held back, all in all. Any thread; asked for when a hold begins and ends, and in reports. */
public final class HeldTime {
    private long total;
    private long since;
    private long times;
    private boolean holds;

    /** A hold begins now, where none lasts already. */
    public synchronized void begin(long now) {
        if (!holds) {
            holds = true;
            since = now;
            times++;
        }
    }

    /** The hold is over, where one lasts. */
    public synchronized void end(long now) {
        if (holds) {
            holds = false;
            total += now - since;
        }
    }

    /** Holds so far, the one that lasts included. */
    public synchronized long times() {
        return times;
    }

    /** Nanoseconds so far, the hold that lasts included. */
    public synchronized long nanos(long now) {
        return holds ? total + now - since : total;
    }
}
