package dev.msgrelay.cluster;

import dev.msgrelay.cluster.DiskWatch.Progress;
import io.aeron.AeronCounters;
import io.aeron.driver.status.StreamCounter;
import java.util.HashMap;
import java.util.Map;
import org.agrona.concurrent.status.CountersReader;

/**
 * The positions of an archive's recordings, from Aeron's counters in shared memory, without a wait.
 *
 * <pre>
 *   rec-pos   end of a session's recorded bytes, by the archive's thread
 *   pub-pos   end of the bytes that this node has published in a session: the leader's log, a snapshot
 *   rcv-pos   end of the bytes received in a session without a gap, by the driver's thread: a follower's log. The
 *             archive does not get bytes after a gap (rcv-hwm)
 * </pre>
 */
final class RecordingCounters {
    /**
     * One look at an archive.
     *
     * @param recordings the active recordings, by their numbers
     * @param writtenBytes bytes written since the archive's start
     * @param writeNanos time spent in these writes
     */
    record Look(Map<Long, Progress> recordings, long writtenBytes, long writeNanos) {
        /** Bytes that wait to be recorded. */
        long missing() {
            return recordings.values().stream().mapToLong(Progress::missing).sum();
        }
    }

    // Offsets in the key of a rec-pos, which Aeron does not publish.
    private static final int RECORDING_ID_OFFSET = 0;
    private static final int SESSION_ID_OFFSET = RECORDING_ID_OFFSET + Long.BYTES;

    private RecordingCounters() {}

    static Look read(CountersReader counters) {
        long writtenBytes = 0;
        long writeNanos = 0;
        Map<Integer, Long> present = new HashMap<>();
        Map<Integer, Long> recorded = new HashMap<>();
        Map<Integer, Long> ids = new HashMap<>();
        for (int id = 0; id <= counters.maxCounterId(); id++) {
            int state = counters.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED) {
                break;
            }
            if (state != CountersReader.RECORD_ALLOCATED) {
                continue;
            }
            int key = CountersReader.metaDataOffset(id) + CountersReader.KEY_OFFSET;
            long value = counters.getCounterValue(id);
            switch (counters.getCounterTypeId(id)) {
                case AeronCounters.ARCHIVE_RECORDING_POSITION_TYPE_ID -> {
                    int session = counters.metaDataBuffer().getInt(key + SESSION_ID_OFFSET);
                    ids.put(session, counters.metaDataBuffer().getLong(key + RECORDING_ID_OFFSET));
                    recorded.put(session, value);
                }
                case AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID ->
                    present.merge(
                            counters.metaDataBuffer().getInt(key + StreamCounter.SESSION_ID_OFFSET), value, Math::max);
                case AeronCounters.ARCHIVE_RECORDER_TOTAL_WRITE_BYTES_TYPE_ID -> writtenBytes = value;
                case AeronCounters.ARCHIVE_RECORDER_TOTAL_WRITE_TIME_TYPE_ID -> writeNanos = value;
                default -> {}
            }
        }
        Map<Long, Progress> recordings = new HashMap<>();
        recorded.forEach((session, position) ->
                recordings.put(ids.get(session), new Progress(present.getOrDefault(session, position), position)));
        return new Look(recordings, writtenBytes, writeNanos);
    }
}
