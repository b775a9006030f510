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
 * Finds the messages of a time, although the machine's clock may have been set since. A client may mean the time by
 * today's clock, or the time that the machine's clock showed when the messages were written.
 *
 * <pre>
 *   | 10:00  10:01 | 10:02+2d  10:03+2d | 10:04  10:05 |
 *     -2d: the clock was slow             today's clock
 * </pre>
 *
 * A record from before a step has a time of the old clock. By today's clock, the record is later or earlier by the size
 * of the step. If both clocks agree at the place that today's clock finds, that place counts. Otherwise the earlier of
 * the places found by the two clocks counts, so that no message is left out. Within a segment {@link
 * IndexRecord#steady} is compared, which never goes back.
 */
final class TimeSearch {
    private TimeSearch() {}

    /** A segment, the least steady time to find there, and the clock's steps since its and the next header. */
    record Place(SegmentHeader segment, long steady, long since, long after) {
        /** Whether the clock has not stepped since the record that was found. */
        boolean isOfNow(SealedRecord found) {
            return found instanceof IndexRecord record ? record.skew() == since : after == 0;
        }
    }

    /**
     * The places to try, in their order; none if no segment may be read. The second one counts if the clock has stepped
     * since the record that was found at the first one.
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
        // By the old clock, the searched time is before the oldest segment. If the searched time is in the future by
        // today's clock, the oldest segment counts only if the difference is small.
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
