package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.LOW;
import static dev.msgrelay.loadgen.evidence.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.LINK;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY_CPU;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.SUBSCRIBER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.UNCLEAR;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Signals of a link that is in the way. */
class LinkBoundTest {
    @Test
    void atItsCeiling() {
        BoundBy bound = Case.quiet()
                .link(0.12, 0.981)
                .relaySendFull()
                .publisherSendFull()
                .resent(1_000, 7)
                .classify();
        Case.expect(bound, LINK, HIGH);
        assertThat(bound.reasons())
                .containsExactly(
                        "the link to the subscribers carried 0.981 of its ceiling",
                        "not sent by the relay: at least 32 KiB in 1.00 of 100 samples, 2,048 KiB on average",
                        "TCP sent 7 of 1,000 segments again");
    }

    @Test
    void atItsCeilingOnTheWayIn() {
        BoundBy bound = Case.quiet().link(0.96, Double.NaN).classify();
        Case.expect(bound, LINK, HIGH);
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
        Case.expect(bound, LINK, MEDIUM, SUBSCRIBER);
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
        Case.expect(bound, LINK, MEDIUM);
        assertThat(bound.reasons()).contains("the link to the subscribers carried 0.600 of its ceiling");
    }

    @Test
    void fromThePublishers() {
        Case.expect(Case.quiet().publisherSendFull().relay(0.3, 0).classify(), LINK, MEDIUM);
    }

    @Test
    void withoutAnIdleCoreItMayBeTheKernelThatWaits() {
        Case inTheWay = Case.quiet().publisherSendFull().relaySendFull();
        BoundBy kernel = inTheWay.machine(0.02, 0.3, 0.6).classify();
        Case.expect(kernel, MACHINE, LOW, LINK);
        BoundBy others = inTheWay.machine(0.02, 0.06, 0.5).classify();
        Case.expect(others, LINK, LOW, MACHINE);
        assertThat(others.reasons())
                .contains(
                        "the machine's 2 cores were idle 0.02 of the time, 0.06 in network interrupts, 0.42 with other"
                                + " programs");
    }

    @Test
    void whereSubscribersCannotBeSeenItMayBeThey() {
        Case.expect(
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
        Case.expect(
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

    @Test
    void publishersBesideTheRelayHaveNoLinkToBeSlow() {
        Case beside =
                Case.quiet().withinHost().publisherSendFull().relay(0.4, 0).publisher(0.3, 0);
        Case.expect(beside.classify(), UNCLEAR, LOW, RELAY_CPU, PUBLISHER);
        Case.expect(beside.idle(0.01).classify(), MACHINE, MEDIUM, RELAY_CPU);
    }
}
