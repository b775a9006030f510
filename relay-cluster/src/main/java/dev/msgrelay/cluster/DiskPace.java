package dev.msgrelay.cluster;

import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Judges every minute whether a disk is slow: the leader sends no faster than the slowest follower's disk writes the
 * log. For one thread.
 */
final class DiskPace {
    static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** A disk is slow if a recording stands still for this time. */
    static final long SLOW_STAND_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A disk is slow if this percentage of a minute is spent in writes. */
    static final int SLOW_PERCENT = 90;

    private long begunNanos;
    private boolean begun;
    private long bytesBefore;
    private long writeNanosBefore;
    private long longestStandNanos;
    private long mostMissing;

    /**
     * Looks at a node's disk, a few times a second.
     *
     * @param standsNanos longest time for which a recording stands still, as {@link DiskWatch#look}
     * @param missing bytes that wait to be recorded
     * @param bytes bytes written since the start
     * @param writeNanos time spent in these writes
     * @return at the end of a minute in which the disk was slow, a text about it; otherwise empty
     */
    Optional<String> look(long standsNanos, long missing, long bytes, long writeNanos, long nanos) {
        if (!begun) {
            startMinute(bytes, writeNanos, nanos);
        }
        longestStandNanos = Math.max(longestStandNanos, standsNanos);
        mostMissing = Math.max(mostMissing, missing);
        long elapsed = nanos - begunNanos;
        if (elapsed < MINUTE_NANOS) {
            return Optional.empty();
        }
        long inWrites = writeNanos - writeNanosBefore;
        boolean slow = longestStandNanos >= SLOW_STAND_NANOS || inWrites >= elapsed / 100 * SLOW_PERCENT;
        Optional<String> words = slow ? Optional.of(words(bytes - bytesBefore, inWrites, elapsed)) : Optional.empty();
        startMinute(bytes, writeNanos, nanos);
        return words;
    }

    private void startMinute(long bytes, long writeNanos, long nanos) {
        begun = true;
        begunNanos = nanos;
        bytesBefore = bytes;
        writeNanosBefore = writeNanos;
        longestStandNanos = 0;
        mostMissing = 0;
    }

    private String words(long bytes, long inWrites, long elapsed) {
        return String.format(
                Locale.ROOT,
                "is slow: in %.0f s it took %d bytes of the log, %.1f s of them in writes, and nothing for %.1f s at"
                        + " worst, while up to %d bytes waited",
                elapsed / 1e9,
                bytes,
                inWrites / 1e9,
                longestStandNanos / 1e9,
                mostMissing);
    }
}
