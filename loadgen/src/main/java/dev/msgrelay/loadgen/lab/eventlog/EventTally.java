package dev.msgrelay.loadgen.lab.eventlog;

import java.time.ZonedDateTime;
import java.util.UUID;

/**
 * What a set of events comes to, in whatever order they are added: how many they are, and the sum of one hash of each. Two
 * tallies are the same if the events are; that different ones agree by chance has the odds of 1 to 2^64. One thread each.
 */
final class EventTally {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long count;
    private long sum;

    void add(Event event) {
        add(event.id(), event.created(), event.message());
    }

    void add(UUID id, ZonedDateTime created, String message) {
        long hash = mix(id.getMostSignificantBits());
        hash = mix(hash ^ id.getLeastSignificantBits());
        hash = mix(hash ^ created.toEpochSecond());
        hash = mix(hash ^ ((long) created.getNano() << 32 | message.hashCode() & 0xFFFFFFFFL));
        count++;
        sum += hash;
    }

    void add(EventTally other) {
        count += other.count;
        sum += other.sum;
    }

    long count() {
        return count;
    }

    boolean sameAs(EventTally other) {
        return count == other.count && sum == other.sum;
    }

    /** Spreads every bit over all others (Stafford's variant 13). */
    private static long mix(long value) {
        long mixed = value + GOLDEN;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
