package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.SUBSCRIBER;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Signals of a subscriber that does not read as fast as it could be sent to. */
class SubscriberBoundTest {
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
        Case.expect(bound, SUBSCRIBER, HIGH);
        assertThat(bound.reasons().get(0)).startsWith("not read by the subscriber: at least 32 KiB in 1.00");
    }

    @Test
    void aThreadWithTimeLeftIsNoSecondSignal() {
        Case.expect(doesNotRead().subscriber(0.02, 0).classify(), SUBSCRIBER, MEDIUM);
    }

    @Test
    void itReadsSlowlyByItself() {
        BoundBy bound = doesNotRead().subscriber(0.02, 0).holds(0.98, 0.99, 0.1).classify();
        Case.expect(bound, SUBSCRIBER, HIGH);
        assertThat(bound.reasons())
                .contains("the slowest subscriber with the policy backpressure kept the log from growing 0.99 of the"
                        + " time");
    }

    @Test
    void onTheSameHostNothingElseIsBehindTheRelay() {
        // As with a congestion control that paces: the sender waits, and what the subscriber has not read is little.
        Case paced = Case.quiet()
                .withinHost()
                .publisherSendFull()
                .relaySendFull()
                .subscriberReceive(0.1)
                .relay(0.1, 0)
                .subscriber(0.02, 0);
        BoundBy bound = paced.classify();
        Case.expect(bound, SUBSCRIBER, MEDIUM);
        assertThat(bound.reasons()).contains("there is no link between them");
        Case.expect(paced.holds(0.98, 0.99, 0.1).classify(), SUBSCRIBER, HIGH);
        Case.expect(paced.idle(0.01).classify(), MACHINE, MEDIUM, SUBSCRIBER);
    }

    @Test
    void withoutItsCoreItIsTheMachine() {
        Case.expect(doesNotRead().subscriber(0.5, 0.46).idle(0.01).classify(), MACHINE, HIGH, SUBSCRIBER);
    }

    @Test
    void onAnotherHostOnlyItsQueueTells() {
        Case elsewhere = Case.quiet().publisherSendFull().relaySendFull().subscriberReceiveFull();
        Case.expect(elsewhere.classify(), SUBSCRIBER, MEDIUM);
    }

    @Test
    void overUnixSocketsTheRelayTells() {
        Case.expect(
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
        Case.expect(bound, PUBLISHER, HIGH);
    }
}
