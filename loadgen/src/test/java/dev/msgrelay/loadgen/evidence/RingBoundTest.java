package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.LOW;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.LINK;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY_CPU;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RING;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.SUBSCRIBER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.UNCLEAR;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Signals of a relay that is not busy although messages wait for it. */
class RingBoundTest {
    @Test
    void publishersAreHeldBackByARelayThatIsNotBusy() {
        BoundBy bound = Case.quiet()
                .publisherSendFull()
                .relayReceiveFull()
                .relay(0.4, 0)
                .holds(0.8, 0, 0.7)
                .classify();
        Case.expect(bound, RING, HIGH);
        assertThat(bound.reasons())
                .contains("publishers were held back 0.80 of the time, the ring was 0.70 full on average");
    }

    @Test
    void whereASubscriberHeldTheLogBackButItsQueueIsShortNothingIsSure() {
        Case.expect(
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
        Case.expect(
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
