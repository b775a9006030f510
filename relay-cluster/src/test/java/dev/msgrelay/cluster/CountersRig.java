package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.AeronCounters;
import io.aeron.archive.status.RecordingPos;
import io.aeron.driver.status.StreamCounter;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

/** Counters as Aeron's driver and archive lay them out, without either. */
final class CountersRig {
    private static final int COUNTERS = 16;

    final CountersManager counters = new CountersManager(
            new UnsafeBuffer(ByteBuffer.allocateDirect(COUNTERS * CountersReader.METADATA_LENGTH)),
            new UnsafeBuffer(ByteBuffer.allocateDirect(COUNTERS * CountersReader.COUNTER_LENGTH)));

    AtomicCounter stream(int type, int session, long position) {
        UnsafeBuffer key = new UnsafeBuffer(new byte[StreamCounter.CHANNEL_OFFSET]);
        key.putInt(StreamCounter.SESSION_ID_OFFSET, session);
        return add(type, key, key.capacity(), position);
    }

    AtomicCounter recording(long id, int session, long position) {
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

    /** What the archive has written in all, and the time that it took. */
    void written(long bytes, long nanos) {
        UnsafeBuffer key = new UnsafeBuffer(new byte[Long.BYTES]);
        add(AeronCounters.ARCHIVE_RECORDER_TOTAL_WRITE_BYTES_TYPE_ID, key, key.capacity(), bytes);
        add(AeronCounters.ARCHIVE_RECORDER_TOTAL_WRITE_TIME_TYPE_ID, key, key.capacity(), nanos);
    }
}
