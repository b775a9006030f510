package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.LOW;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY_CPU;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.SUBSCRIBER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.UNCLEAR;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Signals of a relay whose thread has no time left. */
class RelayBoundTest {
    @Test
    void messagesWaitForItAndItHasNoTimeLeft() {
        BoundBy bound = Case.quiet()
                .publisherSendFull()
                .relayReceiveFull()
                .relay(0.97, 0.02)
                .publisher(0.3, 0)
                .classify();
        Case.expect(bound, RELAY_CPU, HIGH);
        assertThat(bound.reasons())
                .containsExactly(
                        "relay's busiest thread (relay-loop-0) ran 0.97 of the time and waited another 0.02 for a core",
                        "not read by the relay: at least 32 KiB in 1.00 of 100 samples, 2,048 KiB on average");
    }

    @Test
    void withoutItsCoreItIsTheMachine() {
        BoundBy bound =
                Case.quiet().relayReceiveFull().relay(0.59, 0.37).idle(0.04).classify();
        Case.expect(bound, MACHINE, HIGH, RELAY_CPU);
        assertThat(bound.reasons())
                .contains("the machine's 2 cores were idle 0.04 of the time, 0.10 in network interrupts, 0.02 taken"
                        + " by the host");
    }

    @Test
    void withMostOfItsCoreItIsStillTheRelay() {
        Case.expect(Case.quiet().relayReceiveFull().relay(0.8, 0.15).idle(0.04).classify(), RELAY_CPU, MEDIUM, MACHINE);
    }

    @Test
    void aSubscriberThatDoesNotReadIsTheAlternative() {
        Case.expect(
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
        Case.expect(bound, RELAY_CPU, MEDIUM);
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
    void overUnixSocketsPublishersThatItHeldBackSayThatMessagesWait() {
        Case both = Case.quiet().unixSockets().relay(0.97, 0).publisher(0.97, 0);
        Case.expect(both.holds(0.9, 0, 0.3).classify(), RELAY_CPU, HIGH);
        // A ring that was found full now and then held nobody back.
        Case.expect(both.holds(0.1, 0, 0.9).classify(), UNCLEAR, LOW, RELAY_CPU, PUBLISHER);
    }

    @Test
    void overUnixSocketsItAndAPublisherAtTheSameTimeAreNotToldApart() {
        Case both = Case.quiet().unixSockets().relay(0.97, 0).publisher(0.95, 0);
        Case.expect(both.classify(), UNCLEAR, LOW, RELAY_CPU, PUBLISHER);
        Case.expect(both.idle(0).classify(), MACHINE, MEDIUM, RELAY_CPU, PUBLISHER);
    }

    @Test
    void oneThatWaitsForItsSocketsNowAndThen() {
        Case.expect(Case.quiet().relayReceiveFull().relay(0.64, 0.2).classify(), RELAY_CPU, LOW);
    }

    @Test
    void whatItWaitedIsNotToldWhereNobodyKnows() {
        BoundBy bound =
                Case.quiet().relayReceiveFull().relay(0.97, 0).waitsUnknown().classify();
        Case.expect(bound, RELAY_CPU, HIGH);
        assertThat(bound.reasons().get(0)).isEqualTo("relay's busiest thread (relay-loop-0) ran 0.97 of the time");
        assertThat(bound.unseen()).contains("how long threads waited for a core");
    }
}
