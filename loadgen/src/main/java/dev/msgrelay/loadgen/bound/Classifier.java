package dev.msgrelay.loadgen.bound;

import static dev.msgrelay.loadgen.bound.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.bound.BoundBy.Confidence.LOW;
import static dev.msgrelay.loadgen.bound.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.LINK;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.NOTHING;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.RELAY_CPU;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.RELAY_PAUSES;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.RING;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.SUBSCRIBER;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.UNCLEAR;

import dev.msgrelay.loadgen.bound.BoundBy.Confidence;
import dev.msgrelay.loadgen.bound.Sampled.CpuShare;
import dev.msgrelay.loadgen.bound.Sampled.MachineShare;
import dev.msgrelay.loadgen.bound.Sampled.Queue;
import dev.msgrelay.loadgen.bound.Sampled.Queues;
import dev.msgrelay.loadgen.bound.Signals.LinkShare;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.bound.Watched.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Says what a run was bound by. What binds has a full queue in front of it, an empty one behind it, and no time left; the
 * first rule that applies speaks:
 *
 * <pre>
 *  0  nothing was delivered for long                                who says that he stood still: machine, publisher,
 *                                                                   subscriber; where nobody does, relay pauses
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
 *     no queue is full, and the publishers hardly want a core       publisher
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
                classifier::stoodStill,
                classifier::rateKept,
                classifier::linkAtCeiling,
                classifier::relay,
                classifier::subscriber,
                classifier::linkOut,
                classifier::waitingForIdleRelay,
                classifier::linkIn,
                classifier::publisher,
                classifier::idlePublisher,
                classifier::machine);
        for (Supplier<BoundBy> rule : rules) {
            BoundBy bound = rule.get();
            if (bound != null) {
                return bound;
            }
        }
        return classifier.unclear("no signal points anywhere");
    }

    /**
     * Nothing was delivered for long: at a rate, at least once; at full speed, for a good part of the window. Who stood still
     * says so; where nobody else did, and it had nobody to wait for, it was the relay.
     */
    private BoundBy stoodStill() {
        Standstills still = signals.still();
        boolean paced = signals.rates().wanted() > 0;
        long missing = paced ? still.slowestNanos() : still.deliveries().totalNanos();
        if (!facts.stoodStill()) {
            return null;
        }
        Say say = new Say().that(Words.withoutDeliveries(still));
        if (paced) {
            say.that(Words.slowest(still));
        }
        say.that(Words.standstills(still));
        if (still.machine().explains(missing, paced)) {
            return say.bound(MACHINE, HIGH);
        }
        if (still.publishers().explains(missing, paced)) {
            return say.cpu(facts.publisher).bound(PUBLISHER, HIGH);
        }
        if (still.subscribers().explains(missing, paced)) {
            return say.cpu(facts.subscriber).bound(SUBSCRIBER, HIGH);
        }
        if (facts.idlePublisher()) {
            return idlePublisher();
        }
        if (facts.backpressure() || facts.sendFull()) {
            return null; // the relay had somebody to wait for
        }
        say.cpu(facts.relay);
        boolean link = signals.link().throughIn() || signals.link().throughOut();
        return link ? say.bound(RELAY_PAUSES, MEDIUM, LINK) : say.bound(RELAY_PAUSES, HIGH);
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
        if (facts.queues.relayReceive() == null && facts.heldBack()) {
            say.that(Words.heldBack(signals.holds()));
        }
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

    /** Everybody waits for publishers that have time: they did not send. */
    private BoundBy idlePublisher() {
        if (!facts.idlePublisher()) {
            return null;
        }
        Say say = new Say()
                .that("no queue is full: whatever was sent went through at once")
                .cpu(facts.publisher)
                .queue("not sent by the publishers", facts.queues.publisherSend())
                .queue("not read by the relay", facts.queues.relayReceive())
                .cpu(facts.relay);
        return signals.still().publishers().count() > 0
                ? say.that(Words.standstills(signals.still())).bound(PUBLISHER, HIGH)
                : say.bound(PUBLISHER, MEDIUM);
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
        BoundBy cpuBound(BoundBy.Kind kind, CpuShare cpu, Confidence confidence) {
            if (facts.starved(cpu)) {
                return machine().bound(MACHINE, confidence, kind);
            }
            return facts.delayed(cpu) ? machine().bound(kind, MEDIUM, MACHINE) : bound(kind, confidence);
        }

        BoundBy bound(BoundBy.Kind kind, Confidence confidence, BoundBy.Kind... alternatives) {
            return new BoundBy(kind, confidence, reasons, List.of(alternatives), Words.unseen(signals));
        }
    }

    /** What follows from signals without weighing them against each other. Immutable. */
    static final class Facts {
        /** A thread that waits for a core for longer than this is not bound by its own speed. */
        private static final double STARVED = 0.25;

        /** With this much, it is not by that alone. */
        private static final double DELAYED = 0.1;

        /** Fewer idle cores than this are none. */
        private static final double NO_CORE_IDLE = 0.1;

        private static final double KERNEL_BUSY = 0.2;

        /** The relay says that something held for most of the time. */
        private static final double MOSTLY = 0.5;

        /** At full speed: the part of the window in which nothing was delivered. */
        private static final double STOOD_STILL = 0.25;

        /** A thread that wants a core for less than this waits for something else. */
        private static final double IDLE = 0.5;

        /** Longer than threads wait for their turn, see {@link Standstills.Still}. */
        private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

        private static final double SECOND_NANOS = 1e9;

        private final Signals signals;
        final CpuShare relay;
        final CpuShare publisher;
        final CpuShare busiestPublisher;
        final CpuShare subscriber;
        final Queues queues;

        Facts(Signals signals) {
            this.signals = signals;
            this.relay = signals.sampled().busiest(Role.RELAY);
            // If one of them still has time, it is not the publishers' speed that is missing.
            this.publisher = signals.sampled().leastBusy(Role.PUBLISHER);
            // But a schedule is missed as soon as one of them has no core.
            this.busiestPublisher = signals.sampled().busiest(Role.PUBLISHER);
            this.subscriber = signals.sampled().busiest(Role.SUBSCRIBER);
            this.queues = signals.sampled().queues();
        }

        /** The network takes a good part of all cores: on a virtual link, sending and receiving are mostly that. */
        boolean kernelBusy() {
            MachineShare machine = signals.sampled().machine();
            return machine != null && machine.softirq() >= KERNEL_BUSY;
        }

        /** Whether the host took at least so much of a core's time. */
        boolean stolen(double ofACore) {
            MachineShare machine = signals.sampled().machine();
            return machine != null && machine.steal() * machine.cores() >= ofACore;
        }

        boolean allCoresBusy() {
            MachineShare machine = signals.sampled().machine();
            return machine != null && machine.idle() <= NO_CORE_IDLE;
        }

        /** Wants a core nearly always, but does not get it for a good part of that, because all are busy. */
        boolean starved(CpuShare cpu) {
            return wantsAll(cpu) && cpu.waited() >= STARVED && allCoresBusy();
        }

        /** As {@link #starved}, for a smaller part. */
        boolean delayed(CpuShare cpu) {
            return wantsAll(cpu) && cpu.waited() >= DELAYED && allCoresBusy();
        }

        /** Whether the publishers could have sent more: a slow subscriber that holds nobody back binds nobody. */
        boolean publishersFree() {
            return queues.publisherSend() != null && queues.publisherSend().isEmpty();
        }

        static boolean wantsAll(CpuShare cpu) {
            return cpu != null && cpu.wantsAll();
        }

        /** Whether messages wait for the relay: in its sockets, or where those cannot be seen, in its ring. */
        boolean waitsForRelay() {
            return queues.relayReceive() == null
                    ? signals.holds() != null && signals.holds().ringUsed() >= MOSTLY
                    : queues.relayReceive().isFull();
        }

        /** Whether it is not known if messages wait for the relay. */
        boolean relayInputUnseen() {
            return queues.relayReceive() == null && !waitsForRelay();
        }

        boolean sendFull() {
            return queues.relaySend() != null && queues.relaySend().isFull();
        }

        /** The relay cannot send, because the subscriber's kernel has no room left. */
        boolean subscriberFull() {
            return queues.subscriberReceive() != null
                    && queues.subscriberReceive().isFull()
                    && (queues.relaySend() == null || queues.relaySend().isFull());
        }

        boolean backpressure() {
            return signals.holds() != null && signals.holds().backpressure() >= MOSTLY;
        }

        boolean heldBack() {
            return signals.holds() != null && signals.holds().heldBack() >= MOSTLY;
        }

        static boolean isLong(long nanos) {
            return nanos >= LONG_NANOS;
        }

        /** Nothing was delivered for long. A queue that grows at a rate makes messages late too, but they never stop coming. */
        boolean stoodStill() {
            Standstills still = signals.still();
            return signals.rates().wanted() > 0
                    ? still.deliveries().count() > 0
                            && isLong(still.slowestNanos())
                            && still.deliveries().explains(still.slowestNanos(), true)
                    : still.deliveries().totalNanos()
                            >= STOOD_STILL * signals.rates().seconds() * SECOND_NANOS;
        }

        /** At full speed, publishers that could send more and hardly want a core. */
        boolean idlePublisher() {
            return signals.rates().wanted() == 0
                    && publishersFree()
                    && (queues.relayReceive() == null || queues.relayReceive().isEmpty())
                    && !wantsAll(relay)
                    && busiestPublisher != null
                    && busiestPublisher.wanted() < IDLE;
        }
    }
}
