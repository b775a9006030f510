package dev.msgrelay.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Disks that move, in virtual time: what is told of them. */
class DiskPaceTest {
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final DiskPace pace = new DiskPace();
    private final List<String> told = new ArrayList<>();
    private long now = -TimeUnit.HOURS.toNanos(2);
    private long bytes;
    private long inWrites;

    /** Lets time pass. Writes take so much of it, and end every {@code every} nanoseconds. */
    private void during(long nanos, long bytesASecond, int percentInWrites, long every, long missing) {
        long stands = 0;
        for (long passed = 0; passed < nanos; passed += LOOK) {
            stands += LOOK;
            if (stands >= every) {
                bytes += bytesASecond * stands / SECOND;
                inWrites += stands / 100 * percentInWrites;
                stands = 0;
            }
            now += LOOK;
            pace.look(stands, missing, bytes, inWrites, now).ifPresent(told::add);
        }
    }

    @Test
    void nothingIsToldOfADiskThatIsWell() {
        during(3600 * SECOND, 100_000_000, 80, LOOK, 2 << 20);
        assertThat(told).isEmpty();
    }

    @Test
    void nothingIsToldOfADiskThatRests() {
        during(3600 * SECOND, 0, 0, LOOK, 0);
        assertThat(told).isEmpty();
    }

    @Test
    void aWriteOfNineSecondsIsToldOnceAMinute() {
        during(180 * SECOND + LOOK, 1_000, 20, 9 * SECOND, 7_200);
        assertThat(told).hasSize(3);
        assertThat(told.get(1))
                .isEqualTo("is slow: in 60 s it took 63000 bytes of the log, 12.6 s of them in writes, and nothing for"
                        + " 8.8 s at worst, while up to 7200 bytes waited");
    }

    /** It never stands for long, and everything waits for it. */
    @Test
    void aMegabyteASecondIsToldOnceAMinute() {
        during(121 * SECOND, 1_000_000, 100, SECOND, 2 << 20);
        assertThat(told).hasSize(2);
        assertThat(told.get(0)).startsWith("is slow: in 60 s it took ").endsWith("while up to 2097152 bytes waited");
    }

    @Test
    void aDiskThatIsWellAgainIsNotTold() {
        during(60 * SECOND, 1_000, 20, 9 * SECOND, 7_200);
        during(600 * SECOND, 1_000, 20, LOOK, 7_200);
        assertThat(told).hasSizeLessThanOrEqualTo(1);
    }
}
