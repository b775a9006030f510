package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.AeronCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.Test;

/** From the counters of a node to what its disk does, in virtual time. */
class WatchmanTest {
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(250);

    private final CountersRig rig = new CountersRig();
    private final List<String> hangs = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final Watchman watchman = new Watchman(rig.counters, hangs::add, failures::add);
    private long now;

    /** Looks so often; returns whether all looks but the last, and the last one, were no end. */
    private boolean looks(int times) {
        boolean goesOn = true;
        for (int i = 0; i < times && goesOn; i++) {
            goesOn = watchman.look(now += LOOK);
        }
        return goesOn;
    }

    @Test
    void aFollowerWhoseDiskTakesNothing() {
        rig.recording(4, 11, 400);
        rig.stream(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, 11, 600);
        assertThat(looks(40)).isTrue();
        assertThat(hangs).isEmpty();
        assertThat(looks(1)).isFalse();
        assertThat(hangs).containsExactly("has taken nothing of the cluster's log for 10 s, and 200 bytes wait");
    }

    /** The leader waits for the other one: whatever is offered to it, it publishes nothing. */
    @Test
    void aSoundLeaderWhoseFollowerHangsStays() {
        rig.recording(4, 11, 600);
        rig.stream(AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, 11, 600);
        assertThat(looks(4_000)).isTrue();
        assertThat(hangs).isEmpty();
    }

    @Test
    void aSlowDiskIsTakenOnceAMinute() {
        rig.written(4_096, 0);
        AtomicCounter recorded = rig.recording(4, 11, 400);
        AtomicCounter present = rig.stream(AeronCounters.DRIVER_PUBLISHER_POS_TYPE_ID, 11, 600);
        for (int i = 0; i < 8; i++) {
            // Nine seconds for each write.
            assertThat(looks(36)).isTrue();
            recorded.set(present.get());
            present.set(present.get() + 100);
        }
        assertThat(watchman.takeSlow().orElseThrow()).startsWith("is slow: in 60 s it took 0 bytes of the log, ");
        assertThat(watchman.takeSlow()).isEmpty();
        assertThat(hangs).isEmpty();
    }

    @Test
    void itsOwnEndIsThatOfTheNode() throws Exception {
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        Watchman blind = new Watchman(null, hangs::add, failed::complete);
        blind.start();
        assertThat(failed.get(1, TimeUnit.MINUTES)).isInstanceOf(NullPointerException.class);
        blind.close();
    }
}
