package dev.msgrelay.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Judges whether a node's archive is still written to its disk. A recording stands still while bytes wait for it and
 * none of them is recorded. A recording for which no bytes wait does not stand still. For one thread.
 */
final class DiskWatch {
    /** Time for which a recording may stand still. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Most time that counts between two looks: a process that was stopped has not written, though its disk is well. */
    static final long MOST_STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A recording at one look.
     *
     * @param present end of the bytes to record
     * @param recorded end of the bytes on the disk
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
     * @param recordings by their numbers
     * @return nanoseconds for which a recording has stood still, the longest of all; 0: none stands still
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
