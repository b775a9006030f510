package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.LOW;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.NOTHING;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY_CPU;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RING;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.SUBSCRIBER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.UNCLEAR;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Signals.Rates;
import org.junit.jupiter.api.Test;

/** A schedule that is kept leaves nothing to be bound by. */
class KeptRateTest {
    private final Rates kept = new Rates(2_000, 2_000, 1_999, 0.0002, 10);

    @Test
    void aRateThatWasKept() {
        BoundBy bound = Case.quiet()
                .rates(kept)
                .publisher(0.2, 0)
                .relay(0.1, 0)
                .subscriber(0.05, 0)
                .classify();
        Case.expect(bound, NOTHING, HIGH);
        assertThat(bound.reasons())
                .containsExactly("it kept the rate: 2,000 msg/s were wanted, 2,000 left the publishers, 1,999"
                        + " reached each subscriber");
        assertThat(bound.unseen()).isEmpty();
    }

    @Test
    void aPublisherThatYieldsBetweenMessagesLooksBusyButIsNot() {
        Case.expect(Case.quiet().rates(kept).publisher(1, 0).idle(0).classify(), NOTHING, HIGH);
    }

    @Test
    void aRateThatWasKeptWithDelaysIsToldWithThem() {
        BoundBy bound = Case.quiet()
                .rates(new Rates(2_000, 2_000, 2_000, 0.0889, 10))
                .publisher(0.2, 0.01)
                .classify();
        Case.expect(bound, UNCLEAR, LOW, MACHINE, PUBLISHER);
        assertThat(bound.reasons().get(1)).isEqualTo("8.89 % of the messages left more than 1 ms late");
    }

    @Test
    void aPublisherThatWaitedForACoreAsLongAsItWasLateHadTooSmallAMachine() {
        BoundBy bound = Case.quiet()
                .rates(new Rates(2_000, 2_000, 2_000, 0.0889, 10))
                .publisher(0.2, 0.09)
                .classify();
        Case.expect(bound, MACHINE, MEDIUM, PUBLISHER);
    }

    @Test
    void whereTheHostTookTheCoresAsLongItWasTheMachineToo() {
        BoundBy bound = Case.quiet()
                .rates(new Rates(2_000, 2_000, 2_000, 0.0389, 10))
                .publisher(0.2, 0.01)
                .idle(0.4)
                .classify();
        Case.expect(bound, MACHINE, MEDIUM, PUBLISHER);
        assertThat(bound.reasons()).contains("the host took 4.00 % of a core's time");
    }

    /** A write that blocks because the relay does not read is the relay's lateness, not the machine's or the publisher's. */
    @Test
    void lateBehindARelayThatHeldPublishersBackIsTheRelays() {
        Rates late = new Rates(2_000, 2_000, 2_000, 0.0889, 10);
        BoundBy ring = Case.quiet()
                .rates(late)
                .publisher(0.2, 0.01)
                .relay(0.3, 0)
                .holds(0.1, 0, 0.6)
                .classify();
        Case.expect(ring, RING, MEDIUM, RELAY_CPU);
        assertThat(ring.reasons())
                .contains("publishers were held back 0.10 of the time, the ring was 0.60 full on average");
        BoundBy busy = Case.quiet()
                .rates(late)
                .publisher(0.2, 0.01)
                .relay(0.8, 0)
                .holds(0.1, 0, 0.6)
                .classify();
        Case.expect(busy, RELAY_CPU, MEDIUM, RING);
        BoundBy slowReader = Case.quiet()
                .rates(late)
                .publisher(0.2, 0.01)
                .relay(0.3, 0)
                .holds(0.1, 0.1, 0.6)
                .classify();
        Case.expect(slowReader, SUBSCRIBER, MEDIUM);
    }

    /** It does not say so itself, but its sockets do: the publishers' bytes wait, and it has not read what has come. */
    @Test
    void lateWhileBytesWaitBeforeTheRelayIsTheRelaysToo() {
        BoundBy bound = Case.quiet()
                .rates(new Rates(2_000, 2_000, 2_000, 0.0889, 10))
                .publisher(0.2, 0.01)
                .relay(0.3, 0)
                .publisherSend(0.1)
                .relayReceive(0.1)
                .classify();
        Case.expect(bound, RELAY_CPU, MEDIUM, MACHINE);
    }

    @Test
    void ofSeveralPublishersTheBusiestTellsWhyTheyWereLate() {
        BoundBy bound = Case.quiet()
                .rates(new Rates(2_000, 2_000, 2_000, 0.0889, 10))
                .publisher(0.1, 0)
                .publisher(0.2, 0.09)
                .publisher(0.15, 0.01)
                .classify();
        Case.expect(bound, MACHINE, MEDIUM, PUBLISHER);
        assertThat(bound.reasons()).anyMatch(reason -> reason.contains("waited another 0.09"));
    }

    @Test
    void aRateThatWasNotKeptHasABoundLikeAnyRun() {
        BoundBy bound = Case.quiet()
                .rates(new Rates(2_000_000, 1_500_000, 1_500_000, 0.9, 10))
                .publisher(0.2, 0)
                .relay(0.98, 0.01)
                .relayReceiveFull()
                .classify();
        Case.expect(bound, RELAY_CPU, HIGH);
    }
}
