package dev.msgrelay.client.cli;

import java.util.concurrent.TimeUnit;

/** A fixed schedule: event number n is due n / rate seconds after the first. Owned by one thread. */
final class Pace {
    private static final double NANOS_PER_SECOND = 1e9;

    private final double perSecond;
    private long first;
    private long events;

    Pace(double perSecond) {
        this.perSecond = perSecond;
    }

    /** Waits until the next event is due. A late event does not wait, and does not delay the later ones. */
    void await() throws InterruptedException {
        long now = System.nanoTime();
        if (events == 0) {
            first = now;
        }
        long due = first + (long) (events * NANOS_PER_SECOND / perSecond);
        events++;
        if (due > now) {
            TimeUnit.NANOSECONDS.sleep(due - now);
        }
    }
}
