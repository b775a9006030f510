package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.cluster.DiskWatch.Progress;
import io.aeron.AeronCounters;
import java.util.Map;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.Test;

/** What the counters say of an archive's recordings. */
class RecordingCountersTest {
    private final CountersRig rig = new CountersRig();

    @Test
    void aLeaderHasWhatItHasPublished() {
        rig.stream(AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, 11, 500);
        rig.stream(AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, 12, 9_000);
        rig.recording(3, 11, 400);
        assertThat(RecordingCounters.read(rig.counters).recordings())
                .containsOnly(Map.entry(3L, new Progress(500, 400)));
    }

    @Test
    void aFollowerHasWhatHasComeWithoutAGap() {
        rig.recording(4, 11, 400);
        rig.stream(AeronCounters.DRIVER_RECEIVER_HWM_TYPE_ID, 11, 10_000);
        rig.stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 11, 600);
        assertThat(RecordingCounters.read(rig.counters).recordings())
                .containsOnly(Map.entry(4L, new Progress(600, 400)));
    }

    @Test
    void aRecordingWhoseStreamIsUnknownLacksNothing() {
        rig.recording(4, 11, 400);
        rig.stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 12, 600);
        assertThat(RecordingCounters.read(rig.counters).recordings().get(4L).missing())
                .isZero();
    }

    @Test
    void aCounterThatWasGivenBackCountsNoMore() {
        AtomicCounter gone = rig.recording(4, 11, 400);
        rig.stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 11, 600);
        gone.close();
        assertThat(RecordingCounters.read(rig.counters).recordings()).isEmpty();
        rig.recording(5, 11, 600);
        assertThat(RecordingCounters.read(rig.counters).recordings())
                .containsOnly(Map.entry(5L, new Progress(600, 600)));
    }

    @Test
    void whatTheArchiveHasWrittenInAll() {
        rig.written(4_096, 77);
        rig.recording(4, 11, 400);
        rig.stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 11, 600);
        RecordingCounters.Look look = RecordingCounters.read(rig.counters);
        assertThat(look.writtenBytes()).isEqualTo(4_096);
        assertThat(look.writeNanos()).isEqualTo(77);
        assertThat(look.missing()).isEqualTo(200);
    }
}
