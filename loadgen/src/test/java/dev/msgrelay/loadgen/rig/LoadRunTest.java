package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Load.SlowReaders;
import dev.msgrelay.loadgen.plan.Load.Transport;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.RunRecord.Resources.ProcessUse;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.ThisMachine;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whole runs, short, with real processes and sockets, which stay where a test can do with that. Nothing here asserts a
 * speed.
 */
class LoadRunTest {
    private static final Timing SHORT = new Timing(Duration.ofMillis(100), Duration.ofMillis(300));

    private static final Contestant RELAY =
            new RelayContestant(List.of("--slow-subscriber", "backpressure"), RelayContestant.JAVA_OPTIONS);

    private static final Places PLACES = new Places();

    @AfterAll
    static void endAll() {
        PLACES.close();
    }

    /** Thorough, as it is one more run: the plain relay is the ceiling of each {@code loadgen run}. */
    @Tag("thorough")
    @ConcurrentTest
    void throughThePlainRelayNothingIsLost() throws Exception {
        String name = Epoll.isAvailable() ? "reno" : CongestionControl.SYSTEM;
        RunRecord result = run(
                Contestants.plain(65_483), Load.oneToOne(100).withCounts(1, 2).withLocalCongestion(name));
        expectClean(result);
        assertThat(result.resources().senders())
                .isEqualTo(new Senders(Congestion.ofChoice(name), Congestion.ofChoice(name)));
        assertThat(result.resources().relay())
                .as("the plain relay tells nothing about itself")
                .isNull();
    }

    /** And not, after a long time, that the subscriber has heard nothing. */
    @ConcurrentTest
    void aPublisherThatIsRefusedIsTheReasonThatIsTold() {
        RelayContestant narrow = new RelayContestant(List.of("--max-body=50"), RelayContestant.JAVA_OPTIONS);
        assertThatThrownBy(() -> alone(narrow, Load.oneToOne(100), SHORT))
                .isInstanceOf(RunException.class)
                .hasMessageStartingWith("publisher 0: ")
                .hasMessageContaining("50");
    }

    @ConcurrentTest
    void theLibraryLosesNothingAndWhatIsAcknowledgedIsThere() throws Exception {
        Clients acknowledged = new Clients(Clients.Kind.LIBRARY, Clients.Ack.STREAM, false);
        RunRecord result = run(RELAY, Load.oneToOne(100).withCounts(2, 2).withClients(acknowledged));
        expectClean(result);
        assertThat(result.correctness().acknowledged())
                .isPositive()
                .isEqualTo(result.correctness().sent());
        RunRecord paced = run(
                RELAY,
                Load.oneToOne(100)
                        .withBody(BodySizes.parse("16-70000"))
                        .withRate(500)
                        .withTransport(Transport.UNIX)
                        .withClients(Clients.RAW.ofLibrary()));
        expectClean(paced);
        assertThat(paced.correctness().acknowledged()).isZero();
    }

    /** The relay is of this run alone, since the subscriber must know all of its stream. */
    @ConcurrentTest
    void whoStartsWithTheStateHasTheWholeStreamAtEachPing() throws Exception {
        RunRecord result = alone(
                RELAY, Load.oneToOne(100).withTypes(2_000).withFromState(true).withRate(2_000), SHORT);
        expectClean(result);
        SubscriberResult.StateSeen state =
                result.correctness().subscribers().get(0).state();
        assertThat(state.wrong()).isZero();
        assertThat(state.compared()).isPositive();
    }

    @ConcurrentTest
    void whoAsksForAnIntervalHasTheWholeStreamAtEachTick() throws Exception {
        RunRecord result = alone(
                RELAY,
                Load.oneToOne(100)
                        .withTypes(200)
                        .withFromState(true)
                        .withInterval(100)
                        .withRate(20_000),
                SHORT);
        expectClean(result);
        SubscriberResult.StateSeen state =
                result.correctness().subscribers().get(0).state();
        assertThat(state.wrong()).isZero();
        assertThat(state.compared()).isPositive();
        assertThat(state.passedOver()).isPositive();
    }

    /** Thorough, as it is one more run. */
    @Tag("thorough")
    @ConcurrentTest
    void manyTypesComeAsTheyWereSent() throws Exception {
        expectClean(run(
                RELAY,
                new Load(
                        2,
                        2,
                        BodySizes.fixed(100),
                        1_000,
                        0,
                        Load.Transport.TCP,
                        Clients.RAW,
                        Check.FULL,
                        Policy.BACKPRESSURE,
                        SlowReaders.NONE,
                        CongestionControl.SYSTEM,
                        false,
                        0)));
    }

    @Tag("thorough")
    @ConcurrentTest
    void whatIsWrittenAndForcedIsAcknowledgedAndItsTimeIsTold() throws Exception {
        List<String> args = List.of("--slow-subscriber", "backpressure", "--journal", "temp");
        Contestant durable = new RelayContestant(args, RelayContestant.JAVA_OPTIONS);
        for (Clients.Ack ack : List.of(Clients.Ack.WRITTEN, Clients.Ack.FORCED)) {
            Clients clients = new Clients(Clients.Kind.LIBRARY, ack, false);
            RunRecord result = run(durable, Load.oneToOne(100).withRate(2_000).withClients(clients));
            expectClean(result);
            assertThat(result.correctness().acknowledged())
                    .isEqualTo(result.correctness().sent());
            assertThat(result.delays().acknowledged().getTotalCount()).isPositive();
        }
    }

    @ConcurrentTest
    void throughTheRelayOverTcpNothingIsLost() throws Exception {
        RunRecord result = alone(RELAY, Load.oneToOne(100).withCounts(2, 2), SHORT);
        expectClean(result);
        assertThat(result.resources().relay()).isNotNull();
        assertThat(result.resources().processes()).extracting(ProcessUse::name).startsWith("relay");
    }

    /**
     * Its loop is busy for seconds, and there is no other core to hand its subscribers to. Thorough, as such moves are
     * to go.
     */
    @Tag("thorough")
    @ConcurrentTest
    void throughABusyRelayOnOneCoreNothingIsLost() throws Exception {
        List<String> oneCore = new ArrayList<>(RelayContestant.JAVA_OPTIONS);
        oneCore.add("-XX:ActiveProcessorCount=1");
        Timing busy = new Timing(Duration.ofSeconds(2), Duration.ofMillis(500));
        RunRecord result = alone(
                new RelayContestant(List.of("--slow-subscriber", "backpressure"), oneCore), Load.oneToOne(100), busy);
        expectClean(result);
    }

    @ConcurrentTest
    void throughTheRelayOverUnixSocketsAtAFixedRateEveryMessageIsMeasured() throws Exception {
        int rate = 1_000;
        RunRecord result = run(RELAY, Load.oneToOne(16).withRate(rate).withTransport(Transport.UNIX));
        // That there are no faults says that each was timed that was scheduled within the window.
        expectClean(result);
        assertThat(result.resources().senders()).isEqualTo(new Senders(Congestion.NONE, Congestion.NONE));
        assertThat(result.correctness().schedule().scheduled())
                .isEqualTo(rate * SHORT.measured().toMillis() / 1_000);
    }

    /** Thorough, as it is one more run; sizes that differ pass with the library above. */
    @Tag("thorough")
    @ConcurrentTest
    void differentSizesComeAsTheyWereSentToAllSubscribers() throws Exception {
        Load mixed = Load.oneToOne(100)
                .withCounts(2, 3)
                .withBody(BodySizes.parse("16-70000"))
                .withRate(500);
        RunRecord result = run(RELAY, mixed);
        expectClean(result);
        assertThat(result.correctness().sum(one -> one.faults().corrupted())).isZero();
        long scheduled = 2 * 500 * SHORT.measured().toMillis() / 1_000;
        assertThat(result.correctness().schedule().scheduled()).isEqualTo(scheduled);
    }

    /**
     * At full speed a small log is full in a moment: who reads two megabytes a second is skipped, or cut off. Each of
     * them is, and hears of it: over a Unix socket there is hardly anything on its way that it has to read before.
     * Thorough, as it is runs of seconds with four processes each.
     */
    @Tag("thorough")
    @ConcurrentTest.Parameterized
    @EnumSource(
            value = Policy.class,
            names = {"SKIP", "DISCONNECT"})
    void whoReadsTooSlowlyIsToldWhatItMissesAndTheRunIsValid(Policy policy) throws Exception {
        Timing second = new Timing(Duration.ofMillis(500), Duration.ofSeconds(1));
        Load load = Load.oneToOne(1_000)
                .withCounts(2, 2)
                .withTransport(Transport.UNIX)
                .withSlow(new SlowReaders(2, 2_000_000, policy));
        Contestant small = new RelayContestant(
                List.of("--slow-subscriber", "backpressure", "--log-size=4m", "--ring-size=1m", "--max-body=100k"),
                RelayContestant.JAVA_OPTIONS);
        RunRecord result = alone(small, load, second);
        expectClean(result);
        List<SubscriberResult> slow = result.correctness().slow();
        assertThat(slow).hasSize(2);
        if (policy == Policy.SKIP) {
            assertThat(slow)
                    .allMatch(one -> one.closed() == null)
                    .allMatch(one -> one.told().missed() > 0);
        } else {
            // It may not have read so far yet.
            assertThat(result.resources().relay().closes()).containsEntry(CloseReason.SLOW_SUBSCRIBER.name(), 2);
        }
    }

    /** Subscribers that say HELLO are checked like those that do not. Thorough, as it is four more runs. */
    @Tag("thorough")
    @ConcurrentTest.Parameterized
    @EnumSource(
            value = Policy.class,
            names = {"SKIP", "DISCONNECT"})
    void throughARelayThatMaySkipOrCutOffSubscribersAreTold(Policy policy) throws Exception {
        Contestant relay =
                new RelayContestant(List.of("--slow-subscriber", policy.flag()), RelayContestant.JAVA_OPTIONS);
        RunRecord result = run(relay, Load.oneToOne(100).withCounts(2, 2).withPolicy(policy));
        assertThat(Places.faults(result)).isEmpty();
        RunRecord paced = run(
                relay, Load.oneToOne(100).withCounts(2, 2).withPolicy(policy).withRate(1_000));
        expectClean(paced);
        assertThat(paced.correctness().sum(one -> one.told().missed() + one.lost()))
                .isZero();
    }

    /** Thorough, as it is one more run. */
    @Tag("thorough")
    @ConcurrentTest
    void whoChecksNothingCountsWhatPasses() throws Exception {
        Load mixed = Load.oneToOne(100).withBody(BodySizes.parse("16-1000")).withCheck(Check.NONE);
        RunRecord result = run(RELAY, mixed);
        if (result.throughput().out().messages() > 10_000) {
            double mean = (double) result.throughput().out().bytes()
                    / result.throughput().out().messages();
            assertThat(mean).as("bytes of a message").isCloseTo(516, within(1.0));
        }
        assertThat(Places.faults(result)).isEmpty();
    }

    @ConcurrentTest
    void preparedFramesGoStraightToASubscriberThatCounts() throws Exception {
        RunRecord result = run(Contestants.direct(65_483), Load.oneToOne(100).withCheck(Check.NONE));
        assertThat(Places.faults(result)).isEmpty();
    }

    @ConcurrentTest
    void senderAndRelayAndPublishersSendByTheNameThatIsAsked() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        Load reno = Load.oneToOne(100).withLocalCongestion("reno");
        assertThat(run(Contestants.direct(65_483), reno.withCheck(Check.NONE))
                        .resources()
                        .senders())
                .isEqualTo(new Senders(Congestion.NONE, Congestion.of("reno")));
        Contestant relay = new RelayContestant(
                List.of("--slow-subscriber", "backpressure", "--local-congestion", "reno"),
                RelayContestant.JAVA_OPTIONS);
        assertThat(run(relay, reno).resources().senders())
                .isEqualTo(new Senders(Congestion.of("reno"), Congestion.of("reno")));
        assertThat(run(relay, reno.withClients(Clients.RAW.ofLibrary()))
                        .resources()
                        .senders()
                        .publishers()
                        .why())
                .isEqualTo("relay-client cannot choose");
    }

    @ConcurrentTest
    void aRelayThatCannotStartIsNamed() {
        Contestant wrong = new RelayContestant(List.of("--mtu", "nonsense"), RelayContestant.JAVA_OPTIONS);
        assertThatThrownBy(() -> alone(wrong, Load.oneToOne(100), SHORT))
                .isInstanceOf(RunException.class)
                .hasMessageStartingWith("relay")
                .hasMessageContaining("nonsense");
    }

    @ConcurrentTest
    void aRelayThatDoesNotEndIsKilledAndFailsTheRun() {
        FakeProcess deaf = new FakeProcess("", false);
        Child relay = new Child("relay", Site.HERE, deaf);
        assertThatThrownBy(() -> LoadRun.stop(relay))
                .isInstanceOf(RunException.class)
                .hasMessage("relay did not end within 60 s after SIGTERM and was killed");
        assertThat(deaf.isKilled()).isTrue();
    }

    private static RunRecord run(Contestant contestant, Load load) throws Exception {
        return run(contestant, load, SHORT);
    }

    private static RunRecord run(Contestant contestant, Load load, Timing timing) throws Exception {
        return PLACES.run(contestant, load, timing);
    }

    /** With processes of its own for everything; what the relay says at its end is in the result. */
    private static RunRecord alone(Contestant contestant, Load load, Timing timing) throws Exception {
        return LoadRun.alone(Plan.here("", contestant, load, timing, Rig.OWN), 1, RunObserver.NONE);
    }

    private static void expectClean(RunRecord result) {
        Places.expectClean(result);
    }
}
