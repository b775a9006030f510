package dev.msgrelay.server.flow;

/** How long something has been held back, all in all. Any thread; asked for when a hold begins and ends, and in reports. */
public final class HeldTime {
    private long total;
    private long since;
    private long times;
    private boolean holds;
    private long told;

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

    /**
     * Nanoseconds so far, the hold that lasts included; never less than before. Who asks, and who ends a hold, may have looked
     * at the clock at another time.
     */
    public synchronized long nanos(long now) {
        told = Math.max(told, holds ? total + now - since : total);
        return told;
    }
}
