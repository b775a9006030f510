package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.LINK;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.NOTHING;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY_CPU;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY_PAUSES;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.SUBSCRIBER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Signals.Rates;
import org.junit.jupiter.api.Test;

/** Nothing was delivered for a while: who stood still. */
class StandstillTest {
    private static final Rates KEPT = new Rates(1_000, 1_000, 1_000, 0, 10);

    private static Case messagesWait() {
        return Case.quiet().publisherSendFull().relayReceiveFull();
    }

    @Test
    void atARateWhereNobodyElseStoodStillItIsTheRelay() {
        BoundBy bound = Case.quiet()
                .withinHost()
                .rates(KEPT)
                .relay(0.1, 0)
                .stoodStill(3, 1, 2, 4, 299, 305)
                .classify();
        Case.expect(bound, RELAY_PAUSES, HIGH);
        assertThat(bound.reasons())
                .contains(
                        "deliveries stood still 3 times for 100 ms or longer, at most for 299 ms, 0.9 s in all",
                        "the slowest message took 305 ms from its intended time of sending");
        assertThat(bound.kind()).hasToString("relay pauses");
    }

    @Test
    void acrossALinkItMayBeTheLink() {
        Case.expect(Case.quiet().rates(KEPT).stoodStill(3, 1, 2, 4, 299, 305).classify(), RELAY_PAUSES, MEDIUM, LINK);
    }

    @Test
    void whoSaysThatHeStoodStillIsNamed() {
        Case.expect(
                Case.quiet().rates(KEPT).stoodStill(1, 290, 300, 300, 299, 305).classify(), MACHINE, HIGH);
        Case.expect(Case.quiet().rates(KEPT).stoodStill(1, 5, 280, 2, 299, 305).classify(), PUBLISHER, HIGH);
        Case.expect(Case.quiet().rates(KEPT).stoodStill(1, 5, 6, 300, 299, 305).classify(), SUBSCRIBER, HIGH);
    }

    @Test
    void messagesThatAreRareAndMessagesThatAreLateAreNoPause() {
        Case.expect(Case.quiet().rates(KEPT).stoodStill(5, 1, 1, 1, 400, 3).classify(), NOTHING, HIGH);
        Case.expect(Case.quiet().rates(KEPT).stoodStill(5, 1, 1, 1, 20, 400).classify(), NOTHING, HIGH);
    }

    @Test
    void atFullSpeedAPauseNowAndThenBindsNothing() {
        BoundBy bound = Case.quiet()
                .relayReceiveFull()
                .publisherSendFull()
                .relay(0.95, 0)
                .stoodStill(3, 1, 1, 1, 300, 0)
                .classify();
        Case.expect(bound, RELAY_CPU, HIGH);
    }

    @Test
    void aPublisherThatWasStoppedForMostOfTheTime() {
        BoundBy bound = Case.quiet()
                .withinHost()
                .publisher(0.2, 0.01)
                .relay(0.2, 0)
                .stoodStill(2, 5, 3_000, 6, 3_000, 0)
                .classify();
        Case.expect(bound, PUBLISHER, HIGH);
    }

    @Test
    void aPublisherThatWaitsForSomethingElseWhileAllQueuesAreEmpty() {
        BoundBy bound = Case.quiet().publisher(0.1, 0.01).relay(0.2, 0).classify();
        Case.expect(bound, PUBLISHER, MEDIUM);
        assertThat(bound.reasons().get(0)).startsWith("no queue is full");
    }

    @Test
    void aRelayThatWaitsForASubscriberDoesNotPause() {
        BoundBy bound = messagesWait()
                .withinHost()
                .relaySendFull()
                .subscriberReceiveFull()
                .relay(0.1, 0)
                .holds(0.9, 0.9, 0.9)
                .stoodStill(2, 5, 6, 6, 3_000, 0)
                .classify();
        Case.expect(bound, SUBSCRIBER, HIGH);
    }

    @Test
    void aQueueThatGrewAtARateIsNoPause() {
        BoundBy bound = messagesWait()
                .rates(new Rates(1_000, 900, 900, 1, 10))
                .relay(0.95, 0)
                .stoodStill(1, 5, 6, 6, 130, 2_000)
                .classify();
        Case.expect(bound, RELAY_CPU, HIGH);
    }

    @Test
    void aRelayThatStoodStillForMostOfTheTimeAtFullSpeed() {
        BoundBy bound = messagesWait()
                .withinHost()
                .relay(0.3, 0)
                .stoodStill(2, 5, 6, 6, 3_000, 0)
                .classify();
        Case.expect(bound, RELAY_PAUSES, HIGH);
    }
}
