package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole runs, short, with real processes and sockets. Nothing here asserts a speed. */
class LoadRunTest {
    private static final Timing SHORT = new Timing(Duration.ofMillis(200), Duration.ofMillis(400));
    private static final Middle RELAY =
            new RelayMiddle(List.of("--slow-subscriber", "backpressure"), RelayMiddle.JAVA_OPTIONS);

    @Test
    void throughThePlainRelayNothingIsLost() throws Exception {
        RunResult result = run(Middles.plain(65_483), Load.oneToOne(100).withCounts(1, 2));
        expectClean(result);
        assertThat(result.relay())
                .as("the plain relay tells nothing about itself")
                .isNull();
    }

    @Test
    void throughTheRelayOverTcpNothingIsLost() throws Exception {
        RunResult result = run(RELAY, Load.oneToOne(100).withCounts(2, 2));
        expectClean(result);
        assertThat(result.relay()).isNotNull();
        assertThat(result.processes()).extracting(ProcessUse::name).startsWith("relay");
    }

    @Test
    void throughTheRelayOverUnixSocketsAtAFixedRateEveryMessageIsMeasured() throws Exception {
        int rate = 1_000;
        RunResult result = run(RELAY, Load.oneToOne(16).withRate(rate).withUnix(true));
        expectClean(result);
        long expected = rate * SHORT.measured().toMillis() / 1_000;
        // The schedule is exact, the moment of leaving is not: on a busy machine some cross the window's edges.
        assertThat(result.published().traffic().messages()).isBetween(expected / 2, expected * 2);
        assertThat(result.received().latency().getTotalCount()).isBetween(expected / 2, expected * 2);
    }

    @Test
    void fromPublishersInTheRelaysProcessNothingIsLost() throws Exception {
        RunResult result = run(
                new InProcessMiddle(12, List.of(), RelayMiddle.JAVA_OPTIONS),
                Load.oneToOne(100).withCounts(2, 1));
        expectClean(result);
        assertThat(result.published().total()).isPositive();
    }

    @Test
    void preparedFramesGoStraightToASubscriberThatCounts() throws Exception {
        RunResult result = run(Middles.direct(65_483), Load.oneToOne(100).withVerify(false));
        assertThat(result.received().traffic().messages()).isPositive();
        assertThat(result.received().traffic().bytes()).isPositive();
    }

    @Test
    void aRelayThatCannotStartIsNamed() {
        Middle wrong = new RelayMiddle(List.of("--mtu", "nonsense"), RelayMiddle.JAVA_OPTIONS);
        assertThatThrownBy(() -> run(wrong, Load.oneToOne(100)))
                .isInstanceOf(RunException.class)
                .hasMessageStartingWith("relay ended with exit code 2")
                .hasMessageContaining("nonsense");
    }

    private static RunResult run(Middle middle, Load load) throws Exception {
        return new LoadRun(middle, load, SHORT, RunObserver.NONE).run();
    }

    private static void expectClean(RunResult result) {
        assertThat(Verdict.failures(result.received(), result.load(), SlowPolicy.BACKPRESSURE))
                .isEmpty();
        assertThat(result.received().traffic().messages()).isPositive();
    }
}
