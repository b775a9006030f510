package dev.msgrelay.loadgen.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Published;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.Received;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Traffic;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SampleTest {
    private static final Timing TIMING = new Timing(Duration.ZERO, Duration.ofSeconds(3));

    @Test
    void aScheduleOfWhichHalfWasSentIsNoSample() {
        Load paced = Load.oneToOne(100).withCounts(64, 4).withRate(2_000);
        assertThat(Sample.unsent(sent(paced, 383_900))).isEmpty();
        assertThat(Sample.unsent(sent(paced, 200_000)))
                .containsExactly("200,000 of 384,000 messages left in time: the machine is too busy");
    }

    @Test
    void fullSpeedIsWhateverItIs() {
        assertThat(Sample.unsent(sent(Load.oneToOne(100), 0))).isEmpty();
    }

    private static RunResult sent(Load load, long messages) {
        Traffic traffic = new Traffic(messages, 0, TIMING.measured().toNanos());
        return new RunResult(
                "relay",
                load,
                TIMING,
                new Published(traffic, messages, Punctuality.NONE),
                new Received(traffic, List.of(), new Histogram(3), 0, Arrivals.Skew.NONE),
                List.of(),
                List.of(),
                null,
                null);
    }
}
