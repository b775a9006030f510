package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.LOW;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.SUBSCRIBER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.UNCLEAR;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Signals that single out nobody. */
class MachineBoundTest {
    @Test
    void allCoresAreBusyAndNobodyStandsOut() {
        BoundBy bound = Case.quiet()
                .publisher(0.5, 0.2)
                .relay(0.6, 0.2)
                .subscriber(0.5, 0.3)
                .idle(0.01)
                .classify();
        Case.expect(bound, MACHINE, MEDIUM);
        assertThat(bound.reasons()).hasSize(4);
    }

    @Test
    void nothingPointsAnywhere() {
        BoundBy bound =
                Case.quiet().publisher(0.5, 0).relay(0.6, 0).subscriber(0.5, 0).classify();
        Case.expect(bound, UNCLEAR, LOW);
        assertThat(bound.reasons()).as("with all numbers").hasSize(9).first().isEqualTo("no signal points anywhere");
    }

    @Test
    void nothingIsKnown() {
        BoundBy bound =
                Case.quiet().unixSockets().relaySaysNothing().machineUnknown().classify();
        Case.expect(bound, UNCLEAR, LOW);
        assertThat(bound.unseen()).hasSize(9);
    }

    @Test
    void publishersElsewhereDoNotHideASlowSubscriber() {
        Case.expect(
                Case.quiet()
                        .publishersElsewhere()
                        .relaySendFull()
                        .subscriberReceiveFull()
                        .subscriber(0.1, 0)
                        .classify(),
                SUBSCRIBER,
                MEDIUM);
    }
}
