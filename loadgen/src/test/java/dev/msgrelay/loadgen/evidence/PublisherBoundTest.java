package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.LOW;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY_CPU;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.UNCLEAR;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Signals of publishers that cannot send faster. */
class PublisherBoundTest {
    @Test
    void itHasNoTimeLeftAndNobodyIsInItsWay() {
        BoundBy bound = Case.quiet()
                .publisher(0.99, 0.01)
                .relay(0.6, 0)
                .subscriber(0.5, 0)
                .classify();
        Case.expect(bound, PUBLISHER, HIGH);
        assertThat(bound.reasons().get(0)).startsWith("publisher 0's busiest thread (publisher-0) ran 0.99");
    }

    @Test
    void oneOfThemThatHasTimeLeftMeansThatItIsNotThePublishers() {
        Case.expect(
                Case.quiet().publisher(0.99, 0).publisher(0.2, 0).relay(0.6, 0).classify(), UNCLEAR, LOW);
    }

    @Test
    void withoutItsCoreItIsTheMachine() {
        Case.expect(Case.quiet().publisher(0.6, 0.4).relay(0.5, 0).idle(0).classify(), MACHINE, HIGH, PUBLISHER);
    }

    @Test
    void withARelayThatIsAsBusyNothingIsSure() {
        Case.expect(Case.quiet().publisher(0.97, 0).relay(0.96, 0).classify(), UNCLEAR, LOW, PUBLISHER, RELAY_CPU);
    }

    @Test
    void toARelayElsewhere() {
        Case.expect(
                Case.quiet().unixSockets().relaySaysNothing().publisher(0.97, 0).classify(), PUBLISHER, MEDIUM);
    }
}
