package dev.msgrelay.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Judges whether what a node's archive records still gets to its disk. A recording stands while it lacks bytes that are
 * there for it, and gets none of them. A recording without a byte to come does not stand, however long it rests.
 *
 * <p>For one thread.
 */
final class DiskWatch {
    /** Time that a recording may stand. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Time between two looks that counts at most. A process that was stopped for longer has not written either, and its
     * disk may be well.
     */
    static final long MOST_STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A recording at one look.
     *
     * @param present position up to which the bytes are there to be recorded
     * @param recorded position up to which the disk has them
     */
    record Progress(long present, long recorded) {
        long missing() {
            return Math.max(0, present - recorded);
        }
    }

    private record Stand(long recorded, long nanos) {}

    private Map<Long, Stand> stands = new HashMap<>();
    private long lookedNanos;

    /**
     * Looks at all recordings under way, a few times a second.
     *
     * @param recordings by the recording's number
     * @return nanoseconds for which the one that stands longest has stood; 0: none stands
     */
    long look(Map<Long, Progress> recordings, long nanos) {
        long step = Math.min(nanos - lookedNanos, MOST_STEP_NANOS);
        lookedNanos = nanos;
        Map<Long, Stand> now = new HashMap<>();
        long longest = 0;
        for (Map.Entry<Long, Progress> recording : recordings.entrySet()) {
            Progress progress = recording.getValue();
            if (progress.missing() > 0) {
                Stand before = stands.get(recording.getKey());
                boolean still = before != null && before.recorded == progress.recorded;
                Stand stand = new Stand(progress.recorded, still ? before.nanos + step : 0);
                now.put(recording.getKey(), stand);
                longest = Math.max(longest, stand.nanos);
            }
        }
        stands = now;
        return longest;
    }
}
