package dev.msgrelay.server.journal.read;

import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.util.NavigableMap;

/**
 * The place of a time in a journal whose clock may have stepped. Two clocks may be meant: the one that the machine has now, and
 * the one that it had then.
 *
 * <pre>
 *   | 10:00  10:01 | 10:02+2d  10:03+2d | 10:04  10:05 |
 *     -2d: the clock was behind           now
 * </pre>
 *
 * By the clock of now, all times go on from each other: what was written before a step is taken for as much later or earlier.
 * Where that clock was never wrong at that place, it is the one that is meant; otherwise the first of the two places counts, so
 * that nothing is passed over. What is compared within a segment, {@link IndexRecord#steady}, never goes back.
 */
record TimeSearch(Place now, Place then) {
    /**
     * A place by one clock.
     *
     * @param segment that it lies in; null: there is none
     * @param steady of the first record that is meant, at least
     * @param since steps since its header was written
     * @param after steps since the next header was written
     */
    record Place(SegmentHeader segment, long steady, long since, long after) {
        /** Whether the clock is still the same there. */
        boolean isOfNow(IndexRecord found) {
            return found == null ? after == 0 : found.skew() == since;
        }
    }

    /**
     * @param held segments by their bases
     * @param present the clock of now
     * @param millis the time that is looked for
     */
    static TimeSearch of(NavigableMap<Long, SegmentHeader> held, JournalClock.Present present, long millis) {
        Place now = null;
        Place then = null;
        SegmentHeader oldest = null;
        long since = present.skew();
        long after = 0;
        long until = present.time();
        boolean beyond = millis > until;
        for (SegmentHeader header :
                held.headMap(present.base(), true).descendingMap().values()) {
            long time = header.timeMillis();
            long began = time + since;
            if (now == null && began < millis) {
                now = new Place(header, JournalClock.minus(millis, since), since, after);
            }
            if (since != 0 && time < millis && JournalClock.minus(millis, -since) <= until) {
                then = new Place(header, millis, since, after);
            }
            until = began;
            after = since;
            since += header.step();
            oldest = header;
        }
        // Before all that is held, by the clock of then: at most a little, if it is to come by the clock of now.
        if (oldest != null
                && after != 0
                && millis <= oldest.timeMillis()
                && (!beyond || JournalClock.minus(oldest.timeMillis(), millis) <= JournalClock.STEP_MILLIS)) {
            then = new Place(oldest, Long.MIN_VALUE, after, after);
        }
        if (then != null && (now == null || beyond)) {
            return new TimeSearch(then, null);
        }
        return new TimeSearch(now != null ? now : new Place(oldest, Long.MIN_VALUE, since, after), then);
    }
}
