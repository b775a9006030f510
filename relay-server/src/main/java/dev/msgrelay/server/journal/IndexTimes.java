package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.read.PresentClock;

/**
 * The times that the index gets. A step of the clock is marked there: a record says how far the clock has stepped since the
 * header of its segment was written, and a header, since the one before. So times begin again behind a mark, and what lies on
 * both sides of it can still be compared.
 *
 * <p>Owned by the writer's thread, but for {@link #present}.
 */
final class IndexTimes {
    private final JournalClock clock;
    private long base;
    private long headerSkew;
    private long marked;
    private volatile PresentClock atStep;
    private volatile long newest;

    /**
     * @param clock stands where the journal goes on
     * @param base of the newest segment that is held; -1: there is none
     * @param headerSkew all steps when its header was written
     */
    IndexTimes(JournalClock clock, long base, long headerSkew) {
        this.clock = clock;
        this.base = base;
        this.headerSkew = headerSkew;
        newest = clock.time();
        publish();
    }

    private void publish() {
        atStep = new PresentClock(base, skew(), 0);
    }

    /** Looks at both clocks, before anything is written. */
    void update(long nanos, long millis) {
        if (clock.update(nanos, millis) != 0) {
            publish();
        }
    }

    long time() {
        return clock.time();
    }

    /** Steps of the clock since the newest header, of this life or the last one. */
    long skew() {
        return clock.skew() - headerSkew;
    }

    /** Whether the clock has stepped since anything was written. */
    boolean isMarkDue() {
        return marked != skew();
    }

    /** A record with this skew is written. */
    void written() {
        marked = skew();
        newest = clock.time();
    }

    /** A segment with a header of now is begun. */
    void begun(long newBase) {
        base = newBase;
        headerSkew = clock.skew();
        written();
        publish();
    }

    /** The clock, and what it is to the newest segment. Any thread. */
    PresentClock present() {
        PresentClock at = atStep;
        return new PresentClock(at.base(), at.skew(), newest);
    }

    /** Both clocks as they were at the last look. */
    JournalClock clock() {
        return clock;
    }
}
