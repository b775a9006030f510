package dev.msgrelay.server.journal.read;

import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.format.SealedRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The place of a time in a journal whose clock may have stepped. Two clocks may be meant: the one that the machine has
 * now, and the one that it had then.
 *
 * <pre>
 *   | 10:00  10:01 | 10:02+2d  10:03+2d | 10:04  10:05 |
 *     -2d: the clock was behind           now
 * </pre>
 *
 * By the clock of now, all times go on from each other: what was written before a step is taken for as much later or
 * earlier. Where that clock was never wrong at that place, it is the one that is meant; otherwise the first of the two
 * places counts, so that nothing is passed over. What is compared within a segment, {@link IndexRecord#steady}, never
 * goes back.
 */
final class TimeSearch {
    private TimeSearch() {}

    /**
     * A place by one clock.
     *
     * @param segment that it lies in
     * @param steady of the first record that is meant, at least
     * @param since steps since its header was written
     * @param after steps since the next header was written
     */
    record Place(SegmentHeader segment, long steady, long since, long after) {
        /** Whether the clock is still the same there. */
        boolean isOfNow(SealedRecord found) {
            return found instanceof IndexRecord record ? record.skew() == since : after == 0;
        }
    }

    /**
     * The places to look at, from the first one on: a later one counts where the clock at the place before has stepped
     * since.
     *
     * @param readable segments by their bases
     * @param present the clock of now
     * @param millis the time that is looked for
     * @return empty: no segment may be read
     */
    static List<Place> places(NavigableMap<Long, SegmentHeader> readable, JournalClock.Present present, long millis) {
        List<SegmentHeader> newestFirst = List.copyOf(
                readable.headMap(present.base(), true).descendingMap().values());
        if (newestFirst.isEmpty()) {
            return List.of();
        }
        Optional<Place> now = Optional.empty();
        Optional<Place> then = Optional.empty();
        long since = present.skew();
        long after = 0;
        long until = present.time();
        boolean beyond = millis > until;
        for (SegmentHeader header : newestFirst) {
            long time = header.timeMillis();
            long began = time + since;
            if (now.isEmpty() && began < millis) {
                now = Optional.of(new Place(header, JournalClock.minus(millis, since), since, after));
            }
            if (since != 0 && time < millis && JournalClock.minus(millis, -since) <= until) {
                then = Optional.of(new Place(header, millis, since, after));
            }
            until = began;
            after = since;
            since += header.step();
        }
        SegmentHeader oldest = newestFirst.get(newestFirst.size() - 1);
        // Before all that is held, by the clock of then: at most a little, if it is to come by the clock of now.
        if (after != 0
                && millis <= oldest.timeMillis()
                && (!beyond || JournalClock.minus(oldest.timeMillis(), millis) <= JournalClock.STEP_MILLIS)) {
            then = Optional.of(new Place(oldest, Long.MIN_VALUE, after, after));
        }
        if (then.isPresent() && (now.isEmpty() || beyond)) {
            return List.of(then.get());
        }
        Place first = now.orElse(new Place(oldest, Long.MIN_VALUE, since, after));
        return Stream.concat(Stream.of(first), then.stream()).toList();
    }
}
