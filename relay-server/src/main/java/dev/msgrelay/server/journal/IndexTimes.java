package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.Recovery.Part;

/**
 * The times in the index, and the steps of the machine's clock. A record contains the sum of the steps since its
 * segment's header, a header the sum since the previous header, so times before and after a step can be compared. Owned
 * by the writer's thread, except {@link #present}.
 */
final class IndexTimes {
    private final JournalClock clock;
    // Start position of the newest segment, or -1; and the sum of all clock steps until its header was written.
    private long base = -1;
    private long headerSkew;
    private long marked;
    private volatile JournalClock.Present present;

    IndexTimes(Recovery found) {
        clock = found.clock();
        long skew = 0;
        for (Part part : found.parts()) {
            skew += part.header().step();
            if (!part.isEmpty()) {
                base = part.header().base();
                headerSkew = skew;
            }
        }
        publish(clock.time());
    }

    private void publish(long newest) {
        present = new JournalClock.Present(base, skew(), newest);
    }

    void update(long nanos, long millis) {
        if (clock.update(nanos, millis) != 0) {
            publish(present.time());
        }
    }

    long time() {
        return clock.time();
    }

    /** The sum of the clock's steps since the newest header, which an earlier process may have written. */
    long skew() {
        return clock.skew() - headerSkew;
    }

    boolean isMarkDue() {
        return marked != skew();
    }

    void written() {
        marked = skew();
        publish(clock.time());
    }

    void begun(long newBase) {
        base = newBase;
        headerSkew = clock.skew();
        written();
    }

    /** May be called on any thread. */
    JournalClock.Present present() {
        return present;
    }

    JournalClock clock() {
        return clock;
    }
}
