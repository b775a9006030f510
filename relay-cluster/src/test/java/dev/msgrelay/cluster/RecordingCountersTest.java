package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.cluster.DiskWatch.Progress;
import io.aeron.AeronCounters;
import io.aeron.archive.status.RecordingPos;
import io.aeron.driver.status.StreamCounter;
import java.nio.ByteBuffer;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Test;

/** The counters of recordings, as Aeron's driver and archive lay them out. */
class RecordingCountersTest {
    private static final int COUNTERS = 16;

    private final CountersManager counters = new CountersManager(
            new UnsafeBuffer(ByteBuffer.allocateDirect(COUNTERS * CountersReader.METADATA_LENGTH)),
            new UnsafeBuffer(ByteBuffer.allocateDirect(COUNTERS * CountersReader.COUNTER_LENGTH)));

    private AtomicCounter stream(int type, int session, long position) {
        UnsafeBuffer key = new UnsafeBuffer(new byte[StreamCounter.CHANNEL_OFFSET]);
        key.putInt(StreamCounter.SESSION_ID_OFFSET, session);
        return add(type, key, key.capacity(), position);
    }

    private AtomicCounter recording(long id, int session, long position) {
        ExpandableArrayBuffer key = new ExpandableArrayBuffer();
        key.putLong(0, id);
        key.putInt(Long.BYTES, session);
        AtomicCounter counter =
                add(AeronCounters.ARCHIVE_RECORDING_POSITION_TYPE_ID, key, Long.BYTES + Integer.BYTES, position);
        // The place of the session is Aeron's own.
        assertThat(RecordingPos.getRecordingId(counters, counter.id())).isEqualTo(id);
        assertThat(RecordingPos.findCounterIdBySession(counters, session, -1)).isEqualTo(counter.id());
        return counter;
    }

    private AtomicCounter add(int type, DirectBuffer key, int length, long position) {
        int id = counters.allocate(type + " of a test", type, buffer -> buffer.putBytes(0, key, 0, length));
        AtomicCounter counter = new AtomicCounter(counters.valuesBuffer(), id, counters);
        counter.set(position);
        return counter;
    }

    @Test
    void aLeaderHasWhatItHasPublished() {
        stream(AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, 11, 500);
        stream(AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, 12, 9_000);
        recording(3, 11, 400);
        assertThat(RecordingCounters.read(counters).recordings()).containsOnly(Map.entry(3L, new Progress(500, 400)));
    }

    @Test
    void aFollowerHasWhatHasComeWithoutAGap() {
        recording(4, 11, 400);
        stream(AeronCounters.DRIVER_RECEIVER_HWM_TYPE_ID, 11, 10_000);
        stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 11, 600);
        assertThat(RecordingCounters.read(counters).recordings()).containsOnly(Map.entry(4L, new Progress(600, 400)));
    }

    @Test
    void aRecordingWhoseStreamIsUnknownLacksNothing() {
        recording(4, 11, 400);
        stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 12, 600);
        assertThat(RecordingCounters.read(counters).recordings().get(4L).missing())
                .isZero();
    }

    @Test
    void aCounterThatWasGivenBackCountsNoMore() {
        AtomicCounter gone = recording(4, 11, 400);
        stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 11, 600);
        gone.close();
        assertThat(RecordingCounters.read(counters).recordings()).isEmpty();
        recording(5, 11, 600);
        assertThat(RecordingCounters.read(counters).recordings()).containsOnly(Map.entry(5L, new Progress(600, 600)));
    }

    @Test
    void whatTheArchiveHasWrittenInAll() {
        UnsafeBuffer key = new UnsafeBuffer(new byte[Long.BYTES]);
        add(AeronCounters.ARCHIVE_RECORDER_TOTAL_WRITE_BYTES_TYPE_ID, key, key.capacity(), 4_096);
        add(AeronCounters.ARCHIVE_RECORDER_TOTAL_WRITE_TIME_TYPE_ID, key, key.capacity(), 77);
        recording(4, 11, 400);
        stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 11, 600);
        RecordingCounters.Look look = RecordingCounters.read(counters);
        assertThat(look.writtenBytes()).isEqualTo(4_096);
        assertThat(look.writeNanos()).isEqualTo(77);
        assertThat(look.missing()).isEqualTo(200);
    }
}
