package dev.msgrelay.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
    void throughTheRelayInCNothingIsLostOfSeveralPublishers() throws Exception {
        assumeTrue(CPrograms.obstacle().isEmpty(), CPrograms.obstacle());
        RunResult result = run(Middles.c(65_483), Load.oneToOne(100).withCounts(3, 3));
        expectClean(result);
        assertThat(result.relay()).as("it tells nothing about itself").isNull();
        expectClean(run(Middles.c(1_000), Load.oneToOne(100).withCounts(3, 3).withUnix(true)));
    }

    @Test
    void clientsInCCountWhatTheySendAndGet() throws Exception {
        assumeTrue(CPrograms.obstacle().isEmpty(), CPrograms.obstacle());
        Load inC = Load.oneToOne(100).withCheck(Check.NONE).withClients(Clients.of(Clients.Kind.C));
        for (Middle middle : List.of(RELAY, Middles.c(65_483))) {
            RunResult result = run(middle, inC.withCounts(6, 20));
            assertThat(Verdict.failures(result)).isEmpty();
            assertThat(result.received().subscribers()).hasSize(20);
            assertThat(result.published().traffic().messages()).isPositive();
            assertThat(result.received().traffic().messages())
                    .isGreaterThan(result.published().traffic().messages());
        }
    }

    @Test
    void theLibraryLosesNothingAndWhatIsAcknowledgedIsThere() throws Exception {
        Clients acknowledged = new Clients(Clients.Kind.LIBRARY, true, TypeRanges.ALL, 0);
        RunResult result = run(RELAY, Load.oneToOne(100).withCounts(2, 2).withClients(acknowledged));
        expectClean(result);
        assertThat(result.published().acknowledged())
                .isPositive()
                .isEqualTo(result.published().total());
        RunResult paced = run(
                RELAY,
                Load.oneToOne(100)
                        .withBody(BodySizes.parse("sizes:16x50,70000x1"))
                        .withRate(500)
                        .withUnix(true)
                        .withClients(Clients.of(Clients.Kind.LIBRARY)));
        expectClean(paced);
        assertThat(paced.published().acknowledged()).isZero();
    }

    @Test
    void subscribersGetExactlyTheTypesThatTheyChoose() throws Exception {
        Clients choosy = new Clients(Clients.Kind.LIBRARY, false, TypeRanges.parse("2-3,7"), 0);
        Load load = Load.oneToOne(100).withCounts(2, 2);
        RunResult result = run(
                RELAY,
                load.withContent(new Load.Content(BodySizes.fixed(100), 1, 10)).withClients(choosy));
        expectClean(result);
        long chosen = result.received().subscribers().get(0).messages();
        assertThat(chosen).isLessThan(result.published().total());
        expectClean(run(RELAY, load.withContent(new Load.Content(BodySizes.fixed(100), 1, 1_000))));
    }

    @Test
    void nothingOfThoseWhoComeAndGoIsLost() throws Exception {
        Load load = Load.oneToOne(100).withCounts(1, 2).withRate(1_000);
        for (Clients clients : List.of(
                new Clients(Clients.Kind.RAW, false, TypeRanges.ALL, 100),
                new Clients(Clients.Kind.LIBRARY, true, TypeRanges.ALL, 50))) {
            RunResult result = run(RELAY, load.withClients(clients));
            expectClean(result);
            assertThat(result.published().visits().count()).isPositive();
        }
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
        assertThat(Verdict.failures(result))
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

    /** At full speed the log is full in a moment: who reads twelve megabytes a second is skipped, or cut off. */
    @ParameterizedTest
    @EnumSource(
            value = Policy.class,
            names = {"SKIP", "DISCONNECT"})
    void whoReadsTooSlowlyIsToldWhatItMissesAndTheRunIsValid(Policy policy) throws Exception {
        Timing second = new Timing(Duration.ofMillis(500), Duration.ofSeconds(1));
        Load load = Load.oneToOne(100).withCounts(2, 2).withSlow(new SlowReaders(2, 12_000_000, policy));
        RunResult result = run(RELAY, load, second);
        expectClean(result);
        List<SubscriberResult> slow = result.received().slow();
        assertThat(slow).hasSize(2);
        if (policy == Policy.SKIP) {
            assertThat(slow).allMatch(one -> one.closed() == null);
            // The other one may have more in its buffers.
            assertThat(slow).anyMatch(one -> one.told().missed() > 0);
        } else {
            // It may not have read so far yet.
            assertThat(result.relay().closes()).containsEntry(CloseReason.SLOW_SUBSCRIBER.name(), 2);
        }
    }

    /** Subscribers that say HELLO are checked like those that do not. */
    @ParameterizedTest
    @EnumSource(
            value = Policy.class,
            names = {"SKIP", "DISCONNECT"})
    void throughARelayThatMaySkipOrCutOffSubscribersAreTold(Policy policy) throws Exception {
        Middle relay = new RelayMiddle(List.of("--slow-subscriber", policy.flag()), RelayMiddle.JAVA_OPTIONS);
        RunResult result = run(relay, Load.oneToOne(100).withCounts(2, 2).withPolicy(policy));
        assertThat(Verdict.faults(result)).isEmpty();
        RunResult paced = run(
                relay, Load.oneToOne(100).withCounts(2, 2).withPolicy(policy).withRate(1_000));
        expectClean(paced);
        assertThat(paced.received().sum(one -> one.told().missed() + one.lost()))
                .isZero();
    }

    @Test
    void whoChecksNothingCountsWhatPasses() throws Exception {
        Load mixed =
                Load.oneToOne(100).withBody(BodySizes.parse("uniform:16-1000")).withCheck(Check.NONE);
        RunResult result = run(RELAY, mixed);
        double mean = (double) result.received().traffic().bytes()
                / result.received().traffic().messages();
        assertThat(mean).isBetween(515.0, 517.0);
        assertThat(result.received().checkNanos()).isNaN();
        assertThat(Verdict.faults(result)).isEmpty();
    }

    @Test
    void preparedFramesGoStraightToASubscriberThatCounts() throws Exception {
        RunResult result = run(Middles.direct(65_483), Load.oneToOne(100).withCheck(Check.NONE));
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
        assertThatThrownBy(() -> LoadRun.end(relay))
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
        assertThat(Verdict.faults(result)).isEmpty();
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
