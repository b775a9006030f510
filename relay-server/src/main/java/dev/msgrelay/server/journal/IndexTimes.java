package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.Recovery.Part;

/**
 * The times that the index gets. A step of the clock is marked there: a record has the steps since the header of its
 * segment, a header those since the header before. Times begin again behind a mark, and the marks still allow to
 * compare records on both sides.
 *
 * <p>Owned by the writer's thread, but for {@link #present}.
 */
final class IndexTimes {
    private final JournalClock clock;
    // The base of the newest segment that is held, or -1; and all steps when its header was written.
    private long base = -1;
    private long headerSkew;
    private long marked;
    private volatile JournalClock.Present present;

    /** Goes on where a journal ends. */
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

    /** Takes the times of both clocks, before a write. */
    void update(long nanos, long millis) {
        if (clock.update(nanos, millis) != 0) {
            publish(present.time());
        }
    }

    long time() {
        return clock.time();
    }

    /** Steps of the clock since the newest header, of this life or an earlier one. */
    long skew() {
        return clock.skew() - headerSkew;
    }

    /** Whether the clock has stepped since the last record. */
    boolean isMarkDue() {
        return marked != skew();
    }

    /** A record with this skew is written. */
    void written() {
        marked = skew();
        publish(clock.time());
    }

    /** A segment with a header of now is begun. */
    void begun(long newBase) {
        base = newBase;
        headerSkew = clock.skew();
        written();
    }

    /** The clock as readers see it. Any thread. */
    JournalClock.Present present() {
        return present;
    }

    /** Both clocks as they were at the last look. */
    JournalClock clock() {
        return clock;
    }
}
