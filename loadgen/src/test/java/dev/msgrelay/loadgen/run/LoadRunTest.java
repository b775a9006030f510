package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
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

    /** Its loop is busy for seconds, and there is no other core to hand its subscribers to. */
    @Test
    void throughABusyRelayOnOneCoreNothingIsLost() throws Exception {
        List<String> oneCore = new ArrayList<>(RelayMiddle.JAVA_OPTIONS);
        oneCore.add("-XX:ActiveProcessorCount=1");
        Timing busy = new Timing(Duration.ofSeconds(2), Duration.ofSeconds(1));
        RunResult result =
                run(new RelayMiddle(List.of("--slow-subscriber", "backpressure"), oneCore), Load.oneToOne(100), busy);
        expectClean(result);
        assertThat(result.relay().loopsInUse()).isLessThan(2);
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
    void differentSizesComeAsTheyWereSentToAllSubscribersAndTheirSkewIsMeasured() throws Exception {
        Load mixed = Load.oneToOne(100)
                .withCounts(2, 3)
                .withContent(new Load.Content(BodySizes.parse("sizes:16x50,300x20,70000x1"), 9))
                .withPace(new Load.Pace(500, 10, true));
        RunResult result = run(RELAY, mixed);
        expectClean(result);
        assertThat(result.received().sum(SubscriberResult::corrupted)).isZero();
        long scheduled = 2 * 500 * SHORT.measured().toMillis() / 1_000;
        assertThat(result.published().punctuality().scheduled()).isEqualTo(scheduled);
        Arrivals.Skew skew = result.received().skew();
        // On a busy machine a subscriber may hear of the window when it has begun; it notes nothing before.
        assertThat(skew.nanos().getTotalCount()).isBetween(scheduled / 2, scheduled);
        assertThat(skew.nanos().getTotalCount() + skew.incomplete()).isLessThanOrEqualTo(scheduled);
    }

    @Test
    void bodiesOfAnotherOrderOfSizesAreFoundAndFailTheRun() throws Exception {
        BodySizes sizes = BodySizes.parse("uniform:100-1000");
        Load expected = Load.oneToOne(100).withContent(new Load.Content(sizes, 1));
        Load sent = expected.withContent(new Load.Content(sizes, 2));
        RunResult result = run(new SendsOther(Middles.none(), sent), expected);
        assertThat(result.received().sum(SubscriberResult::lost)).isZero();
        assertThat(Verdict.failures(result, Policy.BACKPRESSURE))
                .singleElement()
                .asString()
                .startsWith("subscriber 0: ")
                .endsWith(" messages corrupted");
    }

    @Test
    void thePublisherAloneSendsStraightToTheSubscriber() throws Exception {
        RunResult result = run(Middles.none(), Load.oneToOne(100));
        expectClean(result);
        assertThat(result.published().total()).isPositive();
        RunResult batches = run(
                Middles.none(),
                Load.oneToOne(100)
                        .withBody(BodySizes.parse("uniform:16-1000"))
                        .withWrites(new Load.Writes(0, 7))
                        .withUnix(true));
        expectClean(batches);
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

    @Test
    void aRelayThatDoesNotEndIsKilledAndFailsTheRun() {
        FakeProcess deaf = new FakeProcess("", false);
        Child relay = new Child("relay", Site.HERE, deaf);
        assertThatThrownBy(() -> LoadRun.stop(relay, SHORT.windowFrom(0)))
                .isInstanceOf(RunException.class)
                .hasMessage("relay did not end within 10 s after SIGTERM and was killed");
        assertThat(deaf.isKilled()).isTrue();
    }

    private static RunResult run(Middle middle, Load load) throws Exception {
        return run(middle, load, SHORT);
    }

    private static RunResult run(Middle middle, Load load, Timing timing) throws Exception {
        return new LoadRun(middle, load, timing, RunObserver.NONE).run();
    }

    private static void expectClean(RunResult result) {
        assertThat(Verdict.failures(result.received(), result.load(), Policy.BACKPRESSURE))
                .isEmpty();
        assertThat(result.received().traffic().messages()).isPositive();
    }

    /** A middle that sends something else than it is told to. */
    private record SendsOther(Middle middle, Load other) implements Middle {
        @Override
        public String name() {
            return middle.name();
        }

        @Override
        public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
            return middle.start(children, other);
        }
    }
}
