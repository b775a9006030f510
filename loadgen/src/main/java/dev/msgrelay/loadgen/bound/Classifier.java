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

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Says what a run was bound by. What binds has a full queue in front of it, an empty one behind it, and no time left; the
 * first rule that applies speaks:
 *
 * <pre>
 *  1  a rate, and it was kept                                       nothing; where messages left late, machine when
 *                                                                   publishers waited as long for a core; else unclear
 *  2  0.95 of the link's ceiling                                    link
 *  3  the relay's thread wants a core 0.9 of the time,
 *     and messages wait for it (or nobody can see)                  relay CPU, or machine when it waited for a core
 *  4  relay cannot send, subscriber has not read                    subscriber, or machine likewise
 *     the relay says that a subscriber held its log back            likewise
 *  5  relay cannot send, subscriber has read everything             link
 *  6  messages wait for a relay that is less busy                   ring when it held publishers back; relay CPU when
 *                                                                   it wanted a core 0.7 of the time; else unclear
 *  7  publisher cannot send, relay has read everything              link
 *  8  the publishers' threads want a core 0.9 of the time           publisher, or machine likewise
 *  9  no core is idle                                               machine
 * 10  anything else                                                 unclear
 * </pre>
 *
 * 4 and 5 speak only where publishers feel it, or cannot be seen. Full: something waits in 0.8 of the samples; empty:
 * in 0.5 at most, so that its reader catches up. See docs/bound-by.md. Pure; one object per run.
 */
public final class Classifier {
    private final Signals signals;
    private final Facts facts;

    private Classifier(Signals signals) {
        this.signals = signals;
        this.facts = new Facts(signals);
    }

    public static BoundBy classify(Signals signals) {
        Classifier classifier = new Classifier(signals);
        List<Supplier<BoundBy>> rules = List.of(
                classifier::rateKept,
                classifier::linkAtCeiling,
                classifier::relay,
                classifier::subscriber,
                classifier::linkOut,
                classifier::waitingForIdleRelay,
                classifier::linkIn,
                classifier::publisher,
                classifier::machine);
        for (Supplier<BoundBy> rule : rules) {
            BoundBy bound = rule.get();
            if (bound != null) {
                return bound;
            }
        }
        return classifier.unclear("no signal points anywhere");
    }

    private BoundBy rateKept() {
        Rates rates = signals.rates();
        if (!rates.kept()) {
            return null;
        }
        if (rates.late() <= Rates.MAX_LATE_SHARE) {
            return new Say().that("it kept the rate: " + Words.rates(rates)).bound(NOTHING, HIGH);
        }
        Say say = new Say()
                .that("it kept the rate, but not the schedule: " + Words.rates(rates))
                .that(Words.late(rates))
                .cpu(facts.busiestPublisher);
        if (facts.stolen(rates.late())) {
            say.that(Words.stolen(signals.sampled().machine()));
        }
        say.machine();
        boolean waited = facts.busiestPublisher != null && facts.busiestPublisher.waited() >= rates.late();
        return waited || facts.stolen(rates.late())
                ? say.bound(MACHINE, MEDIUM, PUBLISHER)
                : say.bound(UNCLEAR, LOW, MACHINE, PUBLISHER);
    }

    private BoundBy linkAtCeiling() {
        LinkShare link = signals.link();
        if (!link.isFullIn() && !link.isFullOut()) {
            return null;
        }
        Say say = new Say();
        if (link.isFullOut()) {
            say.that(Words.link("to the subscribers", link.out()))
                    .queue("not sent by the relay", facts.queues.relaySend());
        }
        if (link.isFullIn()) {
            say.that(Words.link("from the publishers", link.in()))
                    .queue("not sent by the publishers", facts.queues.publisherSend());
        }
        if (signals.sampled().segments().resent() > 0) {
            say.that(Words.resent(signals.sampled().segments()));
        }
        return facts.subscriberFull()
                ? say.queue("not read by the subscriber", facts.queues.subscriberReceive())
                        .bound(LINK, MEDIUM, SUBSCRIBER)
                : say.bound(LINK, HIGH);
    }

    private BoundBy relay() {
        boolean waits = facts.waitsForRelay();
        if (!Facts.wantsAll(facts.relay) || !(waits || facts.relayInputUnseen())) {
            return null;
        }
        Say say = new Say().cpu(facts.relay).queue("not read by the relay", facts.queues.relayReceive());
        if (facts.relayInputUnseen() && Facts.wantsAll(facts.publisher)) {
            say.cpu(facts.publisher).machine();
            return facts.allCoresBusy()
                    ? say.bound(MACHINE, MEDIUM, RELAY_CPU, PUBLISHER)
                    : say.bound(UNCLEAR, LOW, RELAY_CPU, PUBLISHER);
        }
        if (facts.subscriberFull() && !facts.starved(facts.relay)) {
            return say.queue("not read by the subscriber", facts.queues.subscriberReceive())
                    .cpu(facts.subscriber)
                    .bound(RELAY_CPU, MEDIUM, SUBSCRIBER);
        }
        return say.cpuBound(RELAY_CPU, facts.relay, waits ? HIGH : MEDIUM);
    }

    private BoundBy subscriber() {
        boolean noQueues = facts.queues.subscriberReceive() == null;
        boolean cpuAlone = noQueues && !facts.sendFull() && Facts.wantsAll(facts.subscriber);
        // Where the subscriber's queue is seen and is empty, it is the way to it that is slow.
        boolean told = facts.backpressure() && (noQueues && !facts.sendFull());
        if (facts.publishersFree() || !(facts.subscriberFull() || told || cpuAlone)) {
            return null;
        }
        Say say = new Say();
        if (facts.subscriberFull()) {
            say.queue("not read by the subscriber", facts.queues.subscriberReceive())
                    .queue("not sent by the relay", facts.queues.relaySend());
        }
        if (facts.backpressure()) {
            say.that(Words.backpressure(signals.holds()));
        }
        say.cpu(facts.subscriber);
        boolean two = facts.subscriberFull() && (facts.backpressure() || Facts.wantsAll(facts.subscriber));
        return say.cpuBound(SUBSCRIBER, facts.subscriber, two || (told && cpuAlone) ? HIGH : MEDIUM);
    }

    private BoundBy linkOut() {
        if (facts.publishersFree() || !facts.sendFull()) {
            return null;
        }
        Queue unread = facts.queues.subscriberReceive();
        Say say = new Say()
                .queue("not sent by the relay", facts.queues.relaySend())
                .queue("not read by the subscriber", unread);
        if (!signals.link().throughOut()) {
            return withoutLink(say);
        }
        knownLink(say, "to the subscribers", signals.link().out());
        if (unread == null || !unread.isEmpty()) {
            return say.cpu(facts.subscriber).bound(UNCLEAR, LOW, LINK, SUBSCRIBER);
        }
        return link(say);
    }

    /** The relay cannot send, and its subscriber is on the same host: who takes it too slowly is the subscriber. */
    private BoundBy withoutLink(Say say) {
        if (facts.backpressure()) {
            say.that(Words.backpressure(signals.holds()));
        }
        say.that("there is no link between them").cpu(facts.subscriber);
        Queue unread = facts.queues.subscriberReceive();
        return unread != null && unread.isEmpty() && facts.allCoresBusy()
                ? say.machine().bound(MACHINE, MEDIUM, SUBSCRIBER)
                : say.cpuBound(SUBSCRIBER, facts.subscriber, facts.backpressure() ? HIGH : MEDIUM);
    }

    private BoundBy linkIn() {
        Queue unsent = facts.queues.publisherSend();
        Queue unread = facts.queues.relayReceive();
        if (unsent == null || !unsent.isFull()) {
            return null;
        }
        Say say = new Say().queue("not sent by the publishers", unsent).queue("not read by the relay", unread);
        if (!signals.link().throughIn()) {
            say.that("there is no link between them").cpu(facts.relay).machine();
            return facts.allCoresBusy()
                    ? say.bound(MACHINE, MEDIUM, RELAY_CPU)
                    : say.bound(UNCLEAR, LOW, RELAY_CPU, PUBLISHER);
        }
        knownLink(say, "from the publishers", signals.link().in());
        if (unread == null || !unread.isEmpty()) {
            return say.cpu(facts.relay).bound(UNCLEAR, LOW, LINK, RELAY_CPU);
        }
        return link(say);
    }

    /** The network is slow; where the kernel is busy with it and no core is idle, for want of a core. */
    private BoundBy link(Say say) {
        if (signals.sampled().segments().resent() > 0) {
            say.that(Words.resent(signals.sampled().segments()));
        }
        if (!facts.allCoresBusy()) {
            return say.bound(LINK, MEDIUM);
        }
        return facts.kernelBusy()
                ? say.machine().bound(MACHINE, LOW, LINK)
                : say.machine().bound(LINK, LOW, MACHINE);
    }

    private BoundBy waitingForIdleRelay() {
        if (!facts.waitsForRelay() && !facts.heldBack()) {
            return null;
        }
        Say say = new Say().queue("not read by the relay", facts.queues.relayReceive());
        if (signals.holds() != null) {
            say.that(Words.heldBack(signals.holds()));
        }
        say.cpu(facts.relay);
        if (facts.backpressure()) {
            return say.that(Words.backpressure(signals.holds())).bound(UNCLEAR, LOW, SUBSCRIBER, LINK);
        }
        if (facts.heldBack()) {
            return say.bound(RING, facts.relay == null ? MEDIUM : HIGH);
        }
        if (facts.relay != null && facts.relay.wantsMost() && !facts.sendFull()) {
            say.queue("not sent by the relay", facts.queues.relaySend());
            return facts.allCoresBusy() ? say.machine().bound(RELAY_CPU, LOW, MACHINE) : say.bound(RELAY_CPU, LOW);
        }
        return facts.allCoresBusy()
                ? say.machine().bound(MACHINE, LOW, RELAY_CPU)
                : say.bound(UNCLEAR, LOW, RELAY_CPU, RING);
    }

    private BoundBy publisher() {
        if (!Facts.wantsAll(facts.publisher)) {
            return null;
        }
        Say say = new Say()
                .cpu(facts.publisher)
                .queue("not sent by the publishers", facts.queues.publisherSend())
                .queue("not read by the relay", facts.queues.relayReceive());
        if (Facts.wantsAll(facts.relay) && !facts.starved(facts.publisher)) {
            return say.cpu(facts.relay).bound(UNCLEAR, LOW, PUBLISHER, RELAY_CPU);
        }
        Queue unread = facts.queues.relayReceive();
        return say.cpuBound(PUBLISHER, facts.publisher, unread != null && unread.isEmpty() ? HIGH : MEDIUM);
    }

    private BoundBy machine() {
        if (!facts.allCoresBusy()) {
            return null;
        }
        return new Say()
                .machine()
                .cpu(facts.relay)
                .cpu(facts.publisher)
                .cpu(facts.subscriber)
                .bound(MACHINE, MEDIUM);
    }

    private BoundBy unclear(String why) {
        Say say = new Say()
                .that(why)
                .cpu(facts.relay)
                .cpu(facts.publisher)
                .cpu(facts.subscriber)
                .machine()
                .queue("not sent by the publishers", facts.queues.publisherSend())
                .queue("not read by the relay", facts.queues.relayReceive())
                .queue("not sent by the relay", facts.queues.relaySend())
                .queue("not read by the subscriber", facts.queues.subscriberReceive());
        return say.bound(UNCLEAR, LOW);
    }

    private static void knownLink(Say say, String direction, double share) {
        if (!Double.isNaN(share)) {
            say.that(Words.link(direction, share));
        }
    }

    /** Gathers the reasons; what is not known is not said. */
    private final class Say {
        private final List<String> reasons = new ArrayList<>();

        Say that(String reason) {
            reasons.add(reason);
            return this;
        }

        Say cpu(CpuShare cpu) {
            return cpu == null ? this : that(Words.cpu(cpu, signals.sampled().waitsKnown()));
        }

        Say queue(String what, Queue queue) {
            return queue == null ? this : that(Words.queue(what, queue));
        }

        Say machine() {
            MachineShare machine = signals.sampled().machine();
            return machine == null ? this : that(Words.machine(machine));
        }

        /** Of a kind that means a thread's own speed, as far as that thread got the core that it wanted. */
        BoundBy cpuBound(BoundKind kind, CpuShare cpu, Confidence confidence) {
            if (facts.starved(cpu)) {
                return machine().bound(MACHINE, confidence, kind);
            }
            return facts.delayed(cpu) ? machine().bound(kind, MEDIUM, MACHINE) : bound(kind, confidence);
        }

        BoundBy bound(BoundKind kind, Confidence confidence, BoundKind... alternatives) {
            return new BoundBy(kind, confidence, reasons, List.of(alternatives), Words.unseen(signals));
        }
    }
}
