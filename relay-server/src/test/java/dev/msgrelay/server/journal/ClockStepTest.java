package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.journal.recover.Recovery;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock on the wall that steps: nothing young is dropped for it, and a start by time finds its message. */
class ClockStepTest {
    private static final int SEGMENT = 8 << 10;
    private static final long KEEP = TimeUnit.HOURS.toMillis(12);
    private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);
    private static final long HOUR = TimeUnit.HOURS.toMillis(1);
    private static final long DAY = TimeUnit.DAYS.toMillis(1);

    private final SimDisk disk = new SimDisk(new Random(1));
    private final JournalRig rig =
            new JournalRig(disk, new JournalSettings(SEGMENT, 1L << 40, KEEP, 1_000_000), new Random(2));

    @AfterEach
    void close() throws IOException {
        if (rig.log != null) {
            rig.close();
        }
    }

    private void pass(long millis) {
        rig.millis += millis;
        rig.nanos += TimeUnit.MILLISECONDS.toNanos(millis);
        rig.step();
    }

    /** A message a second; answers the time of each. */
    private List<Long> write(int seconds) {
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            pass(1000);
            times.add(rig.millis);
            rig.write(1, 400);
        }
        return times;
    }

    private long oldest() {
        return rig.oldest().sequence();
    }

    private long from(long time) {
        BlockReader feed = rig.journal.newBlockReader(ByteBuffer.allocate(BlockReader.RECORD_BYTES));
        feed.seekTime(time);
        return feed.at().sequence();
    }

    private void assertFound(List<Long> times, long first) {
        for (int i = 0; i < times.size(); i++) {
            assertThat(from(times.get(i)))
                    .as("second %d, at %d", i, times.get(i))
                    .isEqualTo(first + i);
        }
    }

    private void restart() throws IOException {
        rig.close();
        rig.open();
    }

    /** A relay may end before its journal has done one step. */
    @Test
    void whatIsWrittenAtTheEndAloneHasTheTimeOfTheStart() throws IOException {
        for (int life = 1; life <= 2; life++) {
            rig.open();
            rig.journal.begin(rig.nanos, rig.millis);
            assertThat(rig.append(400)).isTrue();
            rig.close();
            Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
            assertThat(found.endSequence()).isEqualTo(1 + life);
            assertThat(found.parts().get(life - 1).timeMillis()).isGreaterThanOrEqualTo(rig.millis);
            assertThat(found.stepCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"P2D", "-P365D"})
    void aStepThatStaysDropsNothingThatIsYoung(Duration step) throws IOException {
        rig.open();
        write(300);
        rig.millis += step.toMillis();
        write(300);
        assertThat(oldest()).isEqualTo(1);
        pass(KEEP);
        pass(1000);
        pass(1000);
        assertThat(oldest())
                .as("once it is as old as that, by the clock that only goes forward")
                .isGreaterThan(290);
    }

    /** Each step has what is dropped wait for an hour, but not for ever: for two hours beyond its time. */
    @Test
    void aClockThatStepsAgainAndAgain() throws IOException {
        rig.open();
        write(100);
        for (long hours = 0; hours < 15; hours++) {
            rig.millis += (hours % 2 == 0 ? 1 : -1) * HOUR;
            pass(HOUR / 2);
            pass(HOUR / 2);
            assertThat(oldest() > 1).as("hour %d", hours).isEqualTo(hours >= 13);
        }
    }

    /** What another machine wrote, with a clock a year ahead, gets as old as anything else. */
    @Test
    void filesOfAClockThatWasAhead() throws IOException {
        rig.millis += 365 * DAY;
        rig.open();
        write(200);
        rig.millis -= 365 * DAY;
        for (int life = 0; life < 4; life++) {
            restart();
            assertThat(oldest()).isEqualTo(1);
            write(1);
            pass(KEEP / 4 - MINUTE);
        }
        pass(2 * MINUTE + HOUR);
        pass(HOUR);
        pass(HOUR);
        pass(1000);
        assertThat(oldest()).isGreaterThan(150);
    }

    @Test
    void aStepIsMarkedWithoutAMessage() throws IOException {
        rig.open();
        write(1);
        rig.millis += 3 * HOUR;
        rig.step();
        rig.step();
        Recovery found = JournalRig.inspect(disk);
        assertThat(found.steps()).hasSize(1);
        JournalClock.Step step = found.steps().get(0);
        assertThat(step.millis()).isBetween(3 * HOUR - 2, 3 * HOUR + 2);
        assertThat(step.sequence()).isEqualTo(2);
        assertThat(step.timeMillis()).isBetween(rig.millis - 2, rig.millis);
        assertThat(found.sound()).isTrue();
    }

    /** Nor is anything dropped for it. The machine may start with the wrong clock, and be told the time. */
    @ParameterizedTest
    @CsvSource({
        "P2D, false",
        "-P2D, false",
        "P365D, false",
        "P27000D, false",
        "P2900000D, false",
        "PT2H, true",
        "-P365D, true",
        "-P19675D, true"
    })
    void aStartByTimeBehindAStepForThreeSeconds(Duration step, boolean inALifeOfItsOwn) throws IOException {
        rig.open();
        List<Long> before = write(100);
        rig.millis += step.toMillis();
        if (inALifeOfItsOwn) {
            restart();
        }
        write(3);
        rig.millis -= step.toMillis();
        List<Long> after = write(100);
        assertFound(before, 1);
        assertFound(after, 104);
        restart();
        assertFound(before, 1);
        assertFound(after, 104);
        assertFound(write(100), 204);
        pass(HOUR + MINUTE);
        pass(MINUTE);
        assertThat(oldest()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P2D", "-P2D", "P365D", "PT61M", "-PT61M", "PT2M", "-PT2M"})
    void aStartByTimeBehindAStepThatStays(Duration step) throws IOException {
        rig.open();
        List<Long> before = write(100);
        rig.millis += step.toMillis();
        List<Long> after = write(100);
        assertFound(after, 101);
        if (step.abs().toMinutes() > 2) {
            assertFound(before, 1);
        }
        restart();
        assertFound(after, 101);
        assertFound(write(100), 201);
    }
}
