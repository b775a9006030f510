package dev.msgrelay.loadgen.bound;

import static dev.msgrelay.loadgen.bound.BoundKind.LINK;
import static dev.msgrelay.loadgen.bound.BoundKind.MACHINE;
import static dev.msgrelay.loadgen.bound.BoundKind.NOTHING;
import static dev.msgrelay.loadgen.bound.BoundKind.PUBLISHER;
import static dev.msgrelay.loadgen.bound.BoundKind.RELAY_CPU;
import static dev.msgrelay.loadgen.bound.BoundKind.RING;
import static dev.msgrelay.loadgen.bound.BoundKind.SUBSCRIBER;
import static dev.msgrelay.loadgen.bound.BoundKind.UNCLEAR;
import static dev.msgrelay.loadgen.bound.Confidence.HIGH;
import static dev.msgrelay.loadgen.bound.Confidence.LOW;
import static dev.msgrelay.loadgen.bound.Confidence.MEDIUM;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Signals made by hand, and what follows from them: each rule, contradictions, and what is not known. */
class ClassifierTest {
    @Nested
    class Nothing {
        private final Rates kept = new Rates(2_000, 2_000, 1_999, 0.0002, 10);

        @Test
        void aRateThatWasKept() {
            BoundBy bound = Case.quiet()
                    .rates(kept)
                    .publisher(0.2, 0)
                    .relay(0.1, 0)
                    .subscriber(0.05, 0)
                    .classify();
            expect(bound, NOTHING, HIGH);
            assertThat(bound.reasons())
                    .containsExactly("it kept the rate: 2,000 msg/s were wanted, 2,000 left the publishers, 1,999"
                            + " reached each subscriber");
            assertThat(bound.unseen()).isEmpty();
        }

        @Test
        void aPublisherThatYieldsBetweenMessagesLooksBusyButIsNot() {
            expect(Case.quiet().rates(kept).publisher(1, 0).idle(0).classify(), NOTHING, HIGH);
        }

        @Test
        void aRateThatWasKeptWithDelaysIsToldWithThem() {
            BoundBy bound = Case.quiet()
                    .rates(new Rates(2_000, 2_000, 2_000, 0.0889, 10))
                    .classify();
            expect(bound, NOTHING, MEDIUM);
            assertThat(bound.reasons().get(1)).isEqualTo("8.89 % of the messages left more than 1 ms late");
        }

        @Test
        void aRateThatWasNotKeptHasABoundLikeAnyRun() {
            BoundBy bound = Case.quiet()
                    .rates(new Rates(2_000_000, 1_500_000, 1_500_000, 0.9, 10))
                    .publisher(0.2, 0)
                    .relay(0.98, 0.01)
                    .relayReceiveFull()
                    .classify();
            expect(bound, RELAY_CPU, HIGH);
        }
    }

    @Nested
    class Link {
        @Test
        void atItsCeiling() {
            BoundBy bound = Case.quiet()
                    .link(0.12, 0.981)
                    .relaySendFull()
                    .publisherSendFull()
                    .resent(1_000, 7)
                    .classify();
            expect(bound, LINK, HIGH);
            assertThat(bound.reasons())
                    .containsExactly(
                            "the link to the subscribers carried 0.981 of its ceiling",
                            "not sent by the relay: at least 32 KiB in 1.00 of 100 samples, 2,048 KiB on average",
                            "TCP sent 7 of 1,000 segments again");
        }

        @Test
        void atItsCeilingOnTheWayIn() {
            BoundBy bound = Case.quiet().link(0.96, Double.NaN).classify();
            expect(bound, LINK, HIGH);
            assertThat(bound.reasons().get(0)).isEqualTo("the link from the publishers carried 0.960 of its ceiling");
        }

        @Test
        void nearItsCeilingWithASubscriberThatDoesNotRead() {
            BoundBy bound = Case.quiet()
                    .link(Double.NaN, 0.96)
                    .publisherSendFull()
                    .relaySendFull()
                    .subscriberReceiveFull()
                    .classify();
            expect(bound, LINK, MEDIUM, SUBSCRIBER);
        }

        @Test
        void slowerThanItsSpeedButInTheWay() {
            BoundBy bound = Case.quiet()
                    .link(Double.NaN, 0.6)
                    .publisherSendFull()
                    .relaySendFull()
                    .subscriberReceive(0.4)
                    .relay(0.3, 0.1)
                    .classify();
            expect(bound, LINK, MEDIUM);
            assertThat(bound.reasons()).contains("the link to the subscribers carried 0.600 of its ceiling");
        }

        @Test
        void fromThePublishers() {
            expect(Case.quiet().publisherSendFull().relay(0.3, 0).classify(), LINK, MEDIUM);
        }

        @Test
        void withoutAnIdleCoreItMayBeTheKernelThatWaits() {
            expect(Case.quiet().publisherSendFull().relaySendFull().idle(0.02).classify(), MACHINE, LOW, LINK);
        }

        @Test
        void whereSubscribersCannotBeSeenItMayBeThey() {
            expect(
                    Case.quiet()
                            .publisherSendFull()
                            .relaySendFull()
                            .subscribersElsewhere()
                            .classify(),
                    UNCLEAR,
                    LOW,
                    LINK,
                    SUBSCRIBER);
        }

        @Test
        void aSubscriberThatIsSometimesBehindLeavesItOpen() {
            expect(
                    Case.quiet()
                            .publisherSendFull()
                            .relaySendFull()
                            .subscriberReceive(0.7)
                            .classify(),
                    UNCLEAR,
                    LOW,
                    LINK,
                    SUBSCRIBER);
        }
    }

    @Nested
    class Relay {
        @Test
        void messagesWaitForItAndItHasNoTimeLeft() {
            BoundBy bound = Case.quiet()
                    .publisherSendFull()
                    .relayReceiveFull()
                    .relay(0.97, 0.02)
                    .publisher(0.3, 0)
                    .classify();
            expect(bound, RELAY_CPU, HIGH);
            assertThat(bound.reasons())
                    .containsExactly(
                            "relay's busiest thread (relay-loop-0) ran 0.97 of the time and waited another 0.02 for a core",
                            "not read by the relay: at least 32 KiB in 1.00 of 100 samples, 2,048 KiB on average");
        }

        @Test
        void withoutItsCoreItIsTheMachine() {
            BoundBy bound =
                    Case.quiet().relayReceiveFull().relay(0.59, 0.37).idle(0.04).classify();
            expect(bound, MACHINE, HIGH, RELAY_CPU);
            assertThat(bound.reasons())
                    .contains("the machine's 2 cores were idle 0.04 of the time, 0.10 in network interrupts, 0.02 taken"
                            + " by the host");
        }

        @Test
        void withMostOfItsCoreItIsStillTheRelay() {
            expect(Case.quiet().relayReceiveFull().relay(0.8, 0.15).idle(0.04).classify(), RELAY_CPU, MEDIUM, MACHINE);
        }

        @Test
        void aSubscriberThatDoesNotReadIsTheAlternative() {
            expect(
                    Case.quiet()
                            .publisherSendFull()
                            .relayReceiveFull()
                            .relaySendFull()
                            .subscriberReceiveFull()
                            .relay(0.95, 0)
                            .subscriber(0.5, 0)
                            .classify(),
                    RELAY_CPU,
                    MEDIUM,
                    SUBSCRIBER);
        }

        @Test
        void overUnixSocketsItsThreadAloneSpeaks() {
            BoundBy bound = Case.quiet().unixSockets().relay(0.97, 0).classify();
            expect(bound, RELAY_CPU, MEDIUM);
            assertThat(bound.unseen())
                    .contains(
                            "CPU of the publisher",
                            "CPU of the subscriber",
                            "the publishers' send queues",
                            "the relay's receive queues",
                            "the relay's send queues",
                            "the subscribers' receive queues");
        }

        @Test
        void overUnixSocketsAFullRingSaysThatMessagesWait() {
            expect(
                    Case.quiet()
                            .unixSockets()
                            .relay(0.97, 0)
                            .publisher(0.97, 0)
                            .holds(0, 0, 0.9)
                            .classify(),
                    RELAY_CPU,
                    HIGH);
        }

        @Test
        void overUnixSocketsItAndAPublisherAtTheSameTimeAreNotToldApart() {
            Case both = Case.quiet().unixSockets().relay(0.97, 0).publisher(0.95, 0);
            expect(both.classify(), UNCLEAR, LOW, RELAY_CPU, PUBLISHER);
            expect(both.idle(0).classify(), MACHINE, MEDIUM, RELAY_CPU, PUBLISHER);
        }

        @Test
        void oneThatWaitsForItsSocketsNowAndThen() {
            expect(Case.quiet().relayReceiveFull().relay(0.64, 0.2).classify(), RELAY_CPU, LOW);
        }

        @Test
        void whatItWaitedIsNotToldWhereNobodyKnows() {
            BoundBy bound = Case.quiet()
                    .relayReceiveFull()
                    .relay(0.97, 0)
                    .waitsUnknown()
                    .classify();
            expect(bound, RELAY_CPU, HIGH);
            assertThat(bound.reasons().get(0)).isEqualTo("relay's busiest thread (relay-loop-0) ran 0.97 of the time");
            assertThat(bound.unseen()).contains("how long threads waited for a core");
        }
    }

    @Nested
    class Subscriber {
        private Case doesNotRead() {
            return Case.quiet()
                    .publisherSendFull()
                    .relayReceiveFull()
                    .relaySendFull()
                    .subscriberReceiveFull()
                    .relay(0.1, 0);
        }

        @Test
        void itHasNoTimeLeft() {
            BoundBy bound = doesNotRead().subscriber(0.99, 0).classify();
            expect(bound, SUBSCRIBER, HIGH);
            assertThat(bound.reasons().get(0)).startsWith("not read by the subscriber: at least 32 KiB in 1.00");
        }

        @Test
        void itReadsSlowlyByItself() {
            BoundBy bound =
                    doesNotRead().subscriber(0.02, 0).holds(0.98, 0.99, 0.1).classify();
            expect(bound, SUBSCRIBER, HIGH);
            assertThat(bound.reasons())
                    .contains(
                            "the slowest subscriber with the policy backpressure kept the log from growing 0.99 of the"
                                    + " time");
        }

        @Test
        void withoutItsCoreItIsTheMachine() {
            expect(doesNotRead().subscriber(0.5, 0.46).idle(0.01).classify(), MACHINE, HIGH, SUBSCRIBER);
        }

        @Test
        void onAnotherHostOnlyItsQueueTells() {
            Case elsewhere = Case.quiet().publisherSendFull().relaySendFull().subscriberReceiveFull();
            expect(elsewhere.classify(), SUBSCRIBER, MEDIUM);
        }

        @Test
        void overUnixSocketsTheRelayTells() {
            expect(
                    Case.quiet()
                            .unixSockets()
                            .relay(0.1, 0)
                            .subscriber(0.05, 0)
                            .holds(0.9, 0.9, 1)
                            .classify(),
                    SUBSCRIBER,
                    MEDIUM);
        }

        @Test
        void aSlowOneThatHoldsNobodyBackBindsNobody() {
            BoundBy bound = Case.quiet()
                    .relaySendFull()
                    .subscriberReceiveFull()
                    .relay(0.5, 0)
                    .publisher(0.98, 0)
                    .subscriber(0.01, 0)
                    .classify();
            expect(bound, PUBLISHER, HIGH);
        }
    }

    @Nested
    class Ring {
        @Test
        void publishersAreHeldBackByARelayThatIsNotBusy() {
            BoundBy bound = Case.quiet()
                    .publisherSendFull()
                    .relayReceiveFull()
                    .relay(0.4, 0)
                    .holds(0.8, 0, 0.7)
                    .classify();
            expect(bound, RING, HIGH);
            assertThat(bound.reasons())
                    .contains("publishers were held back 0.80 of the time, the ring was 0.70 full on average");
        }

        @Test
        void whereASubscriberHeldTheLogBackButItsQueueIsShortNothingIsSure() {
            expect(
                    Case.quiet()
                            .publisherSendFull()
                            .relayReceiveFull()
                            .relay(0.4, 0)
                            .holds(0.8, 0.8, 0.7)
                            .classify(),
                    UNCLEAR,
                    LOW,
                    SUBSCRIBER,
                    LINK);
        }

        @Test
        void messagesThatWaitForAnIdleRelayAreAContradiction() {
            expect(
                    Case.quiet()
                            .publisherSendFull()
                            .relayReceiveFull()
                            .relay(0.3, 0)
                            .classify(),
                    UNCLEAR,
                    LOW,
                    RELAY_CPU,
                    RING);
        }
    }

    @Nested
    class Publisher {
        @Test
        void itHasNoTimeLeftAndNobodyIsInItsWay() {
            BoundBy bound = Case.quiet()
                    .publisher(0.99, 0.01)
                    .relay(0.6, 0)
                    .subscriber(0.5, 0)
                    .classify();
            expect(bound, PUBLISHER, HIGH);
            assertThat(bound.reasons().get(0)).startsWith("publisher 0's busiest thread (publisher-0) ran 0.99");
        }

        @Test
        void oneOfThemThatHasTimeLeftMeansThatItIsNotThePublishers() {
            expect(
                    Case.quiet()
                            .publisher(0.99, 0)
                            .publisher(0.2, 0)
                            .relay(0.6, 0)
                            .classify(),
                    UNCLEAR,
                    LOW);
        }

        @Test
        void withoutItsCoreItIsTheMachine() {
            expect(Case.quiet().publisher(0.6, 0.4).relay(0.5, 0).idle(0).classify(), MACHINE, HIGH, PUBLISHER);
        }

        @Test
        void withARelayThatIsAsBusyNothingIsSure() {
            expect(Case.quiet().publisher(0.97, 0).relay(0.96, 0).classify(), UNCLEAR, LOW, PUBLISHER, RELAY_CPU);
        }

        @Test
        void toARelayElsewhere() {
            expect(
                    Case.quiet()
                            .unixSockets()
                            .relaySaysNothing()
                            .publisher(0.97, 0)
                            .classify(),
                    PUBLISHER,
                    MEDIUM);
        }
    }

    @Nested
    class MachineOrUnclear {
        @Test
        void allCoresAreBusyAndNobodyStandsOut() {
            BoundBy bound = Case.quiet()
                    .publisher(0.5, 0.2)
                    .relay(0.6, 0.2)
                    .subscriber(0.5, 0.3)
                    .idle(0.01)
                    .classify();
            expect(bound, MACHINE, MEDIUM);
            assertThat(bound.reasons()).hasSize(4);
        }

        @Test
        void nothingPointsAnywhere() {
            BoundBy bound = Case.quiet()
                    .publisher(0.5, 0)
                    .relay(0.6, 0)
                    .subscriber(0.5, 0)
                    .classify();
            expect(bound, UNCLEAR, LOW);
            assertThat(bound.reasons())
                    .as("with all numbers")
                    .hasSize(9)
                    .first()
                    .isEqualTo("no signal points anywhere");
        }

        @Test
        void nothingIsKnown() {
            BoundBy bound = Case.quiet()
                    .unixSockets()
                    .relaySaysNothing()
                    .machineUnknown()
                    .classify();
            expect(bound, UNCLEAR, LOW);
            assertThat(bound.unseen()).hasSize(9);
        }

        @Test
        void publishersElsewhereDoNotHideASlowSubscriber() {
            expect(
                    Case.quiet()
                            .publishersElsewhere()
                            .relaySendFull()
                            .subscriberReceiveFull()
                            .subscriber(0.1, 0)
                            .classify(),
                    SUBSCRIBER,
                    HIGH);
        }
    }

    private static void expect(BoundBy bound, BoundKind kind, Confidence confidence, BoundKind... alternatives) {
        assertThat(bound.kind()).as(bound.toString()).isEqualTo(kind);
        assertThat(bound.confidence()).as(bound.toString()).isEqualTo(confidence);
        assertThat(bound.alternatives()).as(bound.toString()).containsExactly(alternatives);
        assertThat(bound.reasons()).isNotEmpty();
    }
}
