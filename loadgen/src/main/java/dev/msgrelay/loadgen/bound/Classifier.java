package dev.msgrelay.loadgen.bound;

import static dev.msgrelay.loadgen.bound.BoundBy.Confidence.HIGH;
import static dev.msgrelay.loadgen.bound.BoundBy.Confidence.LOW;
import static dev.msgrelay.loadgen.bound.BoundBy.Confidence.MEDIUM;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.LINK;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.NOTHING;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.RELAY_CPU;
import static dev.msgrelay.loadgen.bound.BoundBy.Kind.RELAY_HOST;
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
import dev.msgrelay.loadgen.bound.Signals.RelayHolds;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.bound.Watched.Role;
import java.util.List;
import java.util.function.Supplier;

/**
 * Says what a run was bound by. What binds has a full queue in front of it, an empty one behind it, and no time left; the
 * first rule that applies speaks:
 *
 * <pre>
 *  0  nothing was delivered for long                                who says that he stood still: machine, publisher,
 *                                                                   subscriber; where nobody does, relay pauses
 *  1  a rate, and it was kept                                       nothing; where messages left late, whoever the relay
 *                                                                   waited for, relay CPU or ring when it held publishers
 *                                                                   back as long; machine when publishers waited as long for
 *                                                                   a core; else unclear
 *  2  0.95 of the link's ceiling                                    link
 *  3  the relay's thread wants a core 0.9 of the time,
 *     and messages wait for it (or nobody can see)                  relay CPU, or machine when it waited for a core
 *  4  relay cannot send, subscriber has not read                    subscriber, or machine likewise
 *     the relay says that a subscriber held its log back            likewise
 *  5  relay cannot send, subscriber has read everything             link
 *     publisher cannot send, subscriber has read everything,
 *     and nothing of the relay can be seen                          relay or its host
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
 * in 0.5 at most, so that its reader catches up. See docs/measuring.md. Pure; one object per run.
 */
public final class Classifier {
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

    private static final double PERCENT = 100;
    private static final double SECOND_NANOS = 1e9;

    private final Signals signals;
    private final Queues queues;
    private final Standstills still;
    /** Null where it was not seen. */
    private final MachineShare machine;
    /** Null where the relay says nothing. */
    private final RelayHolds holds;

    private final CpuShare relay;
    private final CpuShare publisher;
    private final CpuShare busiestPublisher;
    private final CpuShare subscriber;

    private Classifier(Signals signals) {
        this.signals = signals;
        this.queues = signals.sampled().queues();
        this.still = signals.still();
        this.machine = signals.sampled().machine();
        this.holds = signals.holds();
        this.relay = signals.sampled().busiest(Role.RELAY);
        // If one of them still has time, it is not the publishers' speed that is missing.
        this.publisher = signals.sampled().leastBusy(Role.PUBLISHER);
        // But a schedule is missed as soon as one of them has no core.
        this.busiestPublisher = signals.sampled().busiest(Role.PUBLISHER);
        this.subscriber = signals.sampled().busiest(Role.SUBSCRIBER);
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
                classifier::unseenRelay,
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
        return classifier.unclear();
    }

    /**
     * Nothing was delivered for long: at a rate, at least once; at full speed, for a good part of the window. Who stood still
     * says so; where nobody else did, and it had nobody to wait for, it was the relay.
     */
    private BoundBy stoodStill() {
        if (!nothingCame()) {
            return null;
        }
        boolean paced = signals.rates().wanted() > 0;
        long missing = paced ? still.slowestNanos() : still.deliveries().totalNanos();
        Reasons say = new Reasons(signals)
                .that(still.withoutDeliveries())
                .thatIf(
                        paced,
                        "the slowest message took %.0f ms from its intended time of sending",
                        still.slowestNanos() / Standstills.MILLI_NANOS)
                .standstills();
        if (still.machine().explains(missing, paced)) {
            return say.bound(MACHINE, HIGH);
        }
        if (still.publishers().explains(missing, paced)) {
            return say.cpu(publisher).bound(PUBLISHER, HIGH);
        }
        if (still.subscribers().explains(missing, paced)) {
            return say.cpu(subscriber).bound(SUBSCRIBER, HIGH);
        }
        if (publishersIdle()) {
            return idlePublisher();
        }
        if (backpressured() || sendFull()) {
            return null; // the relay had somebody to wait for
        }
        say.cpu(relay);
        boolean link = signals.link().throughIn() || signals.link().throughOut();
        return link ? say.bound(RELAY_PAUSES, MEDIUM, LINK) : say.bound(RELAY_PAUSES, HIGH);
    }

    private BoundBy rateKept() {
        Rates rates = signals.rates();
        if (!rates.kept()) {
            return null;
        }
        boolean late = rates.late() > Rates.MAX_LATE_SHARE;
        Reasons say = new Reasons(signals)
                .that(
                        "it kept the rate%s: %,.0f msg/s were wanted, %,.0f left the publishers, %,.0f reached each"
                                + " subscriber",
                        late ? ", but not the schedule" : "", rates.wanted(), rates.in(), rates.out());
        if (!late) {
            return say.bound(NOTHING, HIGH);
        }
        boolean stolen = stolen(rates.late());
        say.that("%.2f %% of the messages left more than 1 ms late", rates.late() * PERCENT);
        if (signals.lateBehindRelay()) {
            return lateBehindRelay(say);
        }
        say.cpu(busiestPublisher);
        if (stolen) {
            // A schedule waits for one core.
            say.that("the host took %.2f %% of a core's time", machine.steal() * machine.cores() * PERCENT);
        }
        say.machine();
        boolean waited = busiestPublisher != null && busiestPublisher.waited() >= rates.late();
        return waited || stolen ? say.bound(MACHINE, MEDIUM, PUBLISHER) : say.bound(UNCLEAR, LOW, MACHINE, PUBLISHER);
    }

    /** A write that blocks because nobody reads is late by whoever does not read. */
    private BoundBy lateBehindRelay(Reasons say) {
        boolean told = holds != null && holds.heldBack() >= signals.rates().late();
        if (told) {
            say.heldBack();
        } else {
            say.publisherSend().relayReceive();
        }
        say.cpu(relay);
        if (holds != null && holds.backpressure() >= signals.rates().late()) {
            return say.backpressure().bound(SUBSCRIBER, MEDIUM);
        }
        if (!told) {
            return say.bound(RELAY_CPU, MEDIUM, MACHINE);
        }
        return relay != null && relay.wantsMost()
                ? say.bound(RELAY_CPU, MEDIUM, RING)
                : say.bound(RING, MEDIUM, RELAY_CPU);
    }

    private BoundBy linkAtCeiling() {
        LinkShare link = signals.link();
        if (!link.isFullIn() && !link.isFullOut()) {
            return null;
        }
        Reasons say = new Reasons(signals);
        if (link.isFullOut()) {
            say.link("to the subscribers", link.out()).relaySend();
        }
        if (link.isFullIn()) {
            say.link("from the publishers", link.in()).publisherSend();
        }
        say.resent();
        return subscriberFull() ? say.subscriberReceive().bound(LINK, MEDIUM, SUBSCRIBER) : say.bound(LINK, HIGH);
    }

    private BoundBy relay() {
        boolean waits = waitsForRelay();
        if (!wantsAll(relay) || !(waits || relayInputUnseen())) {
            return null;
        }
        Reasons say = new Reasons(signals).cpu(relay).relayReceive();
        if (queues.relayReceive() == null && heldBack()) {
            say.heldBack();
        }
        if (relayInputUnseen() && wantsAll(publisher)) {
            say.cpu(publisher).machine();
            return allCoresBusy()
                    ? say.bound(MACHINE, MEDIUM, RELAY_CPU, PUBLISHER)
                    : say.bound(UNCLEAR, LOW, RELAY_CPU, PUBLISHER);
        }
        return subscriberFull() && !waitsForACore(relay, STARVED)
                ? say.subscriberReceive().cpu(subscriber).bound(RELAY_CPU, MEDIUM, SUBSCRIBER)
                : cpuBound(say, RELAY_CPU, relay, waits ? HIGH : MEDIUM);
    }

    private BoundBy subscriber() {
        boolean noQueues = queues.subscriberReceive() == null && !sendFull();
        boolean cpuAlone = noQueues && wantsAll(subscriber);
        // Where the subscriber's queue is seen and is empty, it is the way to it that is slow.
        boolean told = noQueues && backpressured();
        if (publishersFree() || !(subscriberFull() || told || cpuAlone)) {
            return null;
        }
        Reasons say = new Reasons(signals);
        if (subscriberFull()) {
            say.subscriberReceive().relaySend();
        }
        if (backpressured()) {
            say.backpressure();
        }
        say.cpu(subscriber);
        boolean two = subscriberFull() && (backpressured() || wantsAll(subscriber));
        return cpuBound(say, SUBSCRIBER, subscriber, two || (told && cpuAlone) ? HIGH : MEDIUM);
    }

    private BoundBy linkOut() {
        if (publishersFree() || !sendFull()) {
            return null;
        }
        Reasons say = new Reasons(signals).relaySend().subscriberReceive();
        if (!signals.link().throughOut()) {
            return withoutLink(say);
        }
        say.link("to the subscribers", signals.link().out());
        return isEmpty(queues.subscriberReceive())
                ? link(say)
                : say.cpu(subscriber).bound(UNCLEAR, LOW, LINK, SUBSCRIBER);
    }

    /** The relay cannot send, and its subscriber is on the same host: who takes it too slowly is the subscriber. */
    private BoundBy withoutLink(Reasons say) {
        if (backpressured()) {
            say.backpressure();
        }
        say.that("there is no link between them").cpu(subscriber);
        return isEmpty(queues.subscriberReceive()) && allCoresBusy()
                ? say.machine().bound(MACHINE, MEDIUM, SUBSCRIBER)
                : cpuBound(say, SUBSCRIBER, subscriber, backpressured() ? HIGH : MEDIUM);
    }

    private BoundBy linkIn() {
        if (!isFull(queues.publisherSend())) {
            return null;
        }
        Reasons say = new Reasons(signals).publisherSend().relayReceive();
        if (!signals.link().throughIn()) {
            say.that("there is no link between them").cpu(relay).machine();
            return allCoresBusy()
                    ? say.bound(MACHINE, MEDIUM, RELAY_CPU)
                    : say.bound(UNCLEAR, LOW, RELAY_CPU, PUBLISHER);
        }
        say.link("from the publishers", signals.link().in());
        return isEmpty(queues.relayReceive()) ? link(say) : say.cpu(relay).bound(UNCLEAR, LOW, LINK, RELAY_CPU);
    }

    /** The network is slow; where the kernel is busy with it and no core is idle, for want of a core. */
    private BoundBy link(Reasons say) {
        say.resent();
        if (!allCoresBusy()) {
            return say.bound(LINK, MEDIUM);
        }
        say.machine();
        return kernelBusy() ? say.bound(MACHINE, LOW, LINK) : say.bound(LINK, LOW, MACHINE);
    }

    /** The relay runs elsewhere: what lies between those who cannot send and those who have read everything. */
    private BoundBy unseenRelay() {
        boolean between = isFull(queues.publisherSend()) && isEmpty(queues.subscriberReceive());
        if (relay != null || queues.relayReceive() != null || !between) {
            return null;
        }
        Reasons say = new Reasons(signals).publisherSend().subscriberReceive();
        if (backpressured()) {
            return say.backpressure().bound(LINK, MEDIUM, RELAY_HOST);
        }
        LinkShare link = signals.link();
        say.link("from the publishers", link.in()).link("to the subscribers", link.out());
        if (holds != null) {
            say.heldBack();
        }
        if (!link.throughIn() && !link.throughOut()) {
            // All of it is on this host.
            return allCoresBusy() ? say.machine().bound(MACHINE, MEDIUM, RELAY_HOST) : say.bound(RELAY_HOST, MEDIUM);
        }
        return Double.isNaN(link.in()) && Double.isNaN(link.out())
                ? say.bound(RELAY_HOST, LOW, LINK)
                : say.bound(RELAY_HOST, MEDIUM);
    }

    private BoundBy waitingForIdleRelay() {
        if (!waitsForRelay() && !heldBack()) {
            return null;
        }
        Reasons say = new Reasons(signals).relayReceive();
        if (holds != null) {
            say.heldBack();
        }
        say.cpu(relay);
        if (backpressured()) {
            return say.backpressure().bound(UNCLEAR, LOW, SUBSCRIBER, LINK);
        }
        if (heldBack()) {
            return say.bound(RING, relay == null ? MEDIUM : HIGH);
        }
        if (relay != null && relay.wantsMost() && !sendFull()) {
            say.relaySend();
            return allCoresBusy() ? say.machine().bound(RELAY_CPU, LOW, MACHINE) : say.bound(RELAY_CPU, LOW);
        }
        return allCoresBusy() ? say.machine().bound(MACHINE, LOW, RELAY_CPU) : say.bound(UNCLEAR, LOW, RELAY_CPU, RING);
    }

    private BoundBy publisher() {
        if (!wantsAll(publisher)) {
            return null;
        }
        Reasons say = new Reasons(signals).cpu(publisher).publisherSend().relayReceive();
        return wantsAll(relay) && !waitsForACore(publisher, STARVED)
                ? say.cpu(relay).bound(UNCLEAR, LOW, PUBLISHER, RELAY_CPU)
                : cpuBound(say, PUBLISHER, publisher, isEmpty(queues.relayReceive()) ? HIGH : MEDIUM);
    }

    /** Everybody waits for publishers that have time: they did not send. */
    private BoundBy idlePublisher() {
        if (!publishersIdle()) {
            return null;
        }
        Reasons say = new Reasons(signals)
                .that("no queue is full: whatever was sent went through at once")
                .cpu(publisher)
                .publisherSend()
                .relayReceive()
                .cpu(relay);
        return still.publishers().count() > 0 ? say.standstills().bound(PUBLISHER, HIGH) : say.bound(PUBLISHER, MEDIUM);
    }

    private BoundBy machine() {
        return allCoresBusy()
                ? new Reasons(signals)
                        .machine()
                        .cpu(relay)
                        .cpu(publisher)
                        .cpu(subscriber)
                        .bound(MACHINE, MEDIUM)
                : null;
    }

    private BoundBy unclear() {
        return new Reasons(signals)
                .that("no signal points anywhere")
                .cpu(relay)
                .cpu(publisher)
                .cpu(subscriber)
                .machine()
                .publisherSend()
                .relayReceive()
                .relaySend()
                .subscriberReceive()
                .bound(UNCLEAR, LOW);
    }

    /** The network takes a good part of all cores: on a virtual link, sending and receiving are mostly that. */
    private boolean kernelBusy() {
        return machine != null && machine.softirq() >= KERNEL_BUSY;
    }

    /** Whether the host took at least so much of a core's time. */
    private boolean stolen(double ofACore) {
        return machine != null && machine.steal() * machine.cores() >= ofACore;
    }

    private boolean allCoresBusy() {
        return machine != null && machine.idle() <= NO_CORE_IDLE;
    }

    /** Wants a core nearly always, but does not get it for this part of the time, because all are busy. */
    private boolean waitsForACore(CpuShare cpu, double part) {
        return wantsAll(cpu) && cpu.waited() >= part && allCoresBusy();
    }

    /** Whether the publishers could have sent more: a slow subscriber that holds nobody back binds nobody. */
    private boolean publishersFree() {
        return queues.publisherSend() != null && queues.publisherSend().isEmpty();
    }

    private static boolean wantsAll(CpuShare cpu) {
        return cpu != null && cpu.wantsAll();
    }

    private static boolean isFull(Queue queue) {
        return queue != null && queue.isFull();
    }

    private static boolean isEmpty(Queue queue) {
        return queue != null && queue.isEmpty();
    }

    /**
     * Whether messages wait for the relay: in its sockets, or where those cannot be seen, since it held publishers back.
     * How full its ring was at a few moments says less: a hold ends when half of it is free, and a loop takes all at once.
     */
    private boolean waitsForRelay() {
        return queues.relayReceive() == null
                ? heldBack()
                : queues.relayReceive().isFull();
    }

    /** Whether it is not known if messages wait for the relay. */
    private boolean relayInputUnseen() {
        return queues.relayReceive() == null && !waitsForRelay();
    }

    private boolean sendFull() {
        return isFull(queues.relaySend());
    }

    /** The relay cannot send, because the subscriber's kernel has no room left. */
    private boolean subscriberFull() {
        return isFull(queues.subscriberReceive()) && (queues.relaySend() == null || sendFull());
    }

    private boolean backpressured() {
        return holds != null && holds.backpressure() >= MOSTLY;
    }

    private boolean heldBack() {
        return holds != null && holds.heldBack() >= MOSTLY;
    }

    /** Nothing was delivered for long. A queue that grows at a rate makes messages late too, but they never stop coming. */
    private boolean nothingCame() {
        return signals.rates().wanted() > 0
                ? still.deliveries().count() > 0
                        && still.isSlow()
                        && still.deliveries().explains(still.slowestNanos(), true)
                : still.deliveries().totalNanos()
                        >= STOOD_STILL * signals.rates().seconds() * SECOND_NANOS;
    }

    /** At full speed, publishers that could send more and hardly want a core. */
    private boolean publishersIdle() {
        return signals.rates().wanted() == 0
                && publishersFree()
                && (queues.relayReceive() == null || queues.relayReceive().isEmpty())
                && !wantsAll(relay)
                && busiestPublisher != null
                && busiestPublisher.wanted() < IDLE;
    }

    /** A verdict of a kind that means a thread's own speed, as far as that thread got the core that it wanted. */
    private BoundBy cpuBound(Reasons say, BoundBy.Kind kind, CpuShare cpu, Confidence confidence) {
        if (waitsForACore(cpu, STARVED)) {
            return say.machine().bound(MACHINE, confidence, kind);
        }
        return waitsForACore(cpu, DELAYED) ? say.machine().bound(kind, MEDIUM, MACHINE) : say.bound(kind, confidence);
    }
}
