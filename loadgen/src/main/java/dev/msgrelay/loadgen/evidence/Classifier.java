package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.LINK;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.MACHINE;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.NOTHING;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.PUBLISHER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.RELAY_HOST;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.SUBSCRIBER;
import static dev.msgrelay.loadgen.evidence.BoundBy.Kind.UNCLEAR;
import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.evidence.BoundBy.Kind;
import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queue;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Signals.Lateness;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides what limited a run, by the first rule of docs/measuring.md that applies. If the thread that a rule blames
 * waited for a core while no core was idle, the bottleneck is the machine. Each run needs a new object.
 */
public final class Classifier {
    /** A thread that waits for a core for this share of the time is not limited by its own speed. */
    private static final double STARVED = 0.25;
    /** The machine counts as busy if all cores together are idle for at most this part of the time. */
    private static final double NO_CORE_IDLE = 0.1;

    private static final double KERNEL_BUSY = 0.2;
    /** A state that the relay reports, such as backpressure, matters if it lasted for this share of the window. */
    private static final double MOSTLY = 0.5;
    /** A run at full speed counts as stopped if nothing was delivered for this share of its window. */
    private static final double STOOD_STILL = 0.25;
    /** A thread counts as idle if it ran, or waited for a core, for less than this share of the time. */
    private static final double IDLE = 0.5;

    private final Signals signals;
    private final Rates rates;
    private final Queues queues;
    private final Standstills still;
    private final MachineShare machine;
    private final RelayHolds holds;

    private final CpuShare relay;
    private final CpuShare publisher;
    /** The publisher process with the busiest thread. One process that gets no core is enough to miss a schedule. */
    private final CpuShare busiestPublisher;

    private final CpuShare subscriber;
    private final List<String> reasons = new ArrayList<>();

    private Classifier(Signals signals) {
        this.signals = signals;
        this.rates = signals.rates();
        this.queues = signals.sampled().queues();
        this.still = signals.still();
        this.machine = signals.sampled().machine();
        this.holds = signals.holds();
        this.relay = signals.sampled().busiest(Role.RELAY);
        this.publisher = signals.sampled().leastBusy(Role.PUBLISHER);
        this.busiestPublisher = signals.sampled().busiest(Role.PUBLISHER);
        this.subscriber = signals.sampled().busiest(Role.SUBSCRIBER);
    }

    public static BoundBy classify(Signals signals) {
        Classifier classifier = new Classifier(signals);
        Kind kind = classifier.kind();
        return new BoundBy(kind, classifier.reasons);
    }

    private Kind kind() {
        if (nothingCame()
                && (publishersIdle() || !backpressured() && !queues.relaySend().isFull() || stood().isPresent())) {
            return stoodStill();
        }
        if (rates.kept()) {
            return kept();
        }
        LinkShare link = signals.link();
        if (link.isFullIn() || link.isFullOut()) {
            link(link);
            return LINK;
        }
        Kind slow = relay();
        slow = slow == null && !queues.publisherSend().isEmpty() ? subscriber() : slow;
        slow = slow == null ? unseenRelay() : slow;
        slow = slow == null ? waitingRelay() : slow;
        slow = slow == null ? publisher() : slow;
        return slow == null ? machine() : slow;
    }

    /**
     * Returns what caused a time without deliveries: a process or machine whose own standstill explains that time, or
     * else publishers that were idle or send directly, or else the relay.
     */
    private Kind stoodStill() {
        say(still.withoutDeliveries());
        say(
                "the publishers' process stood still for at most %.0f ms, the subscribers' for %.0f, the machine for"
                        + " %.0f; the rest was in the relay and on the way",
                still.publishers().longestMillis(),
                still.subscribers().longestMillis(),
                still.machine().longestMillis());
        Kind kind = stood().orElse(publishersIdle() || isDirect() ? PUBLISHER : RELAY);
        if (kind == MACHINE) {
            return kind;
        }
        CpuShare thread = kind == PUBLISHER ? publisher : kind == SUBSCRIBER ? subscriber : relay;
        cpu(thread);
        return unlessStarved(kind, thread);
    }

    private Optional<Kind> stood() {
        boolean paced = rates.wanted() > 0;
        long missing = paced ? still.slowestNanos() : still.deliveries().totalNanos();
        if (still.machine().explains(missing, paced)) {
            return Optional.of(MACHINE);
        }
        if (still.publishers().explains(missing, paced)) {
            return Optional.of(PUBLISHER);
        }
        return still.subscribers().explains(missing, paced) ? Optional.of(SUBSCRIBER) : Optional.empty();
    }

    private Kind kept() {
        boolean late = rates.late() > Rates.MAX_LATE_SHARE;
        if (late) {
            say("%.2f %% of the messages left more than 1 ms late", rates.late() * 100);
        }
        say(
                "the rate was %s: of %,.0f msg/s %,.0f left the publishers, %,.0f reached each subscriber",
                rates.each() ? "delivered whole" : "kept", rates.wanted(), rates.in(), rates.out());
        if (!late) {
            return NOTHING;
        }
        if (signals.isLateByRelay()) {
            if (holds.heldBack() >= rates.late()) {
                reasons.add(holds.publishers());
            } else {
                queue("not read by the relay", queues.relayReceive());
            }
            boolean subscribers = holds.backpressure() >= rates.late();
            if (subscribers) {
                reasons.add(holds.subscribers());
            }
            cpu(relay);
            return subscribers ? unlessStarved(SUBSCRIBER, subscriber) : unlessStarved(RELAY, relay);
        }
        cpu(busiestPublisher);
        sayMachine();
        return signals.lateness() == Lateness.UNSEEN ? UNCLEAR : MACHINE;
    }

    private Kind relay() {
        boolean waits = waitsForRelay();
        boolean unseen = !queues.relayReceive().isSeen() && !waits;
        if (!relay.wantsAll() || !(waits || unseen)) {
            return null;
        }
        cpu(relay);
        queue("not read by the relay", queues.relayReceive());
        if (unseen && publisher.wantsAll()) {
            cpu(publisher);
            sayMachine();
            return allCoresBusy() ? MACHINE : UNCLEAR;
        }
        return unlessStarved(RELAY, relay);
    }

    private Kind subscriber() {
        boolean full = queues.subscriberReceive().isFull()
                && (!queues.relaySend().isSeen() || queues.relaySend().isFull());
        boolean unseen =
                !queues.subscriberReceive().isSeen() && !queues.relaySend().isFull();
        if (full || unseen && (backpressured() || subscriber.wantsAll())) {
            if (full) {
                queue("not read by the subscriber", queues.subscriberReceive());
            }
            if (backpressured()) {
                reasons.add(holds.subscribers());
            }
            cpu(subscriber);
            return unlessStarved(SUBSCRIBER, subscriber);
        }
        if (!queues.relaySend().isFull()) {
            return null;
        }
        queue("not sent by the relay", queues.relaySend());
        queue("not read by the subscriber", queues.subscriberReceive());
        boolean read = queues.subscriberReceive().isEmpty();
        if (signals.link().throughOut()) {
            link(signals.link());
            return read ? network() : UNCLEAR;
        }
        // Without a link in between, a relay that cannot send is waiting for its subscriber.
        cpu(subscriber);
        return read && allCoresBusy() ? machine() : unlessStarved(SUBSCRIBER, subscriber);
    }

    /**
     * Decides about a relay on another host if publishers could not send, although subscribers had read everything.
     * Otherwise returns null.
     */
    private Kind unseenRelay() {
        boolean between =
                queues.publisherSend().isFull() && queues.subscriberReceive().isEmpty();
        if (relay.isSeen() || queues.relayReceive().isSeen() || !between) {
            return null;
        }
        queue("not sent by the publishers", queues.publisherSend());
        queue("not read by the subscriber", queues.subscriberReceive());
        if (backpressured()) {
            reasons.add(holds.subscribers());
            return LINK;
        }
        LinkShare link = signals.link();
        link(link);
        if (holds.isKnown()) {
            reasons.add(holds.publishers());
        }
        return !link.throughIn() && !link.throughOut() && allCoresBusy() ? machine() : RELAY_HOST;
    }

    private Kind waitingRelay() {
        if (!waitsForRelay() && !heldBackMostly()) {
            return null;
        }
        queue("not read by the relay", queues.relayReceive());
        if (holds.isKnown()) {
            reasons.add(holds.publishers());
        }
        cpu(relay);
        if (backpressured()) {
            reasons.add(holds.subscribers());
            return UNCLEAR;
        }
        if (heldBackMostly() || relay.wantsMost() && !queues.relaySend().isFull()) {
            return unlessStarved(RELAY, relay);
        }
        return allCoresBusy() ? machine() : UNCLEAR;
    }

    private Kind publisher() {
        if (queues.publisherSend().isFull()) {
            queue("not sent by the publishers", queues.publisherSend());
            queue("not read by the relay", queues.relayReceive());
            if (!signals.link().throughIn()) {
                return allCoresBusy() ? machine() : UNCLEAR;
            }
            link(signals.link());
            return queues.relayReceive().isEmpty() ? network() : UNCLEAR;
        }
        if (publisher.wantsAll()) {
            cpu(publisher);
            queue("not read by the relay", queues.relayReceive());
            return unlessStarved(PUBLISHER, publisher);
        }
        if (publishersIdle()) {
            say("no queue is full: everything that was sent went through at once");
            cpu(publisher);
            return PUBLISHER;
        }
        return null;
    }

    private Kind machine() {
        if (!allCoresBusy()) {
            say("no signal points anywhere");
        }
        sayMachine();
        cpu(relay);
        cpu(publisher);
        cpu(subscriber);
        return allCoresBusy() ? MACHINE : UNCLEAR;
    }

    /** Returns the link, or the machine if no core is idle and the kernel is busy with network packets. */
    private Kind network() {
        if (!allCoresBusy() || machine.softirq() < KERNEL_BUSY) {
            return LINK;
        }
        sayMachine();
        return MACHINE;
    }

    /** Returns {@code kind}, or the machine if the thread {@code cpu} waited for a core while no core was idle. */
    private Kind unlessStarved(Kind kind, CpuShare cpu) {
        if (!(cpu.waited() >= STARVED) || !allCoresBusy()) {
            return kind;
        }
        sayMachine();
        return MACHINE;
    }

    /** Whether the contestant itself sends to subscribers. The rate of sent messages is then unknown. */
    private boolean isDirect() {
        return Double.isNaN(rates.in());
    }

    private boolean allCoresBusy() {
        return machine.idle() <= NO_CORE_IDLE;
    }

    /**
     * Whether messages wait in the relay's sockets, or, if these sockets cannot be seen, whether the relay mostly
     * stopped reading from publishers.
     */
    private boolean waitsForRelay() {
        return queues.relayReceive().isSeen() ? queues.relayReceive().isFull() : heldBackMostly();
    }

    private boolean backpressured() {
        return holds.backpressure() >= MOSTLY;
    }

    private boolean heldBackMostly() {
        return holds.heldBack() >= MOSTLY;
    }

    /** Whether deliveries stopped for long. Late messages are no proof, as a growing queue also delays messages. */
    private boolean nothingCame() {
        if (!rates.each()) {
            return false;
        }
        return rates.wanted() > 0
                ? still.deliveries().count() > 0
                        && still.isSlow()
                        && still.deliveries().explains(still.slowestNanos(), true)
                : still.deliveries().totalNanos() >= STOOD_STILL * rates.seconds() * 1e9;
    }

    /** Whether publishers at full speed were mostly idle, although the relay could have taken more. */
    private boolean publishersIdle() {
        return rates.wanted() == 0
                && queues.publisherSend().isEmpty()
                && (!queues.relayReceive().isSeen() || queues.relayReceive().isEmpty())
                && !relay.wantsAll()
                && busiestPublisher.wanted() < IDLE;
    }

    private void say(String pattern, Object... values) {
        reasons.add(format(pattern, values));
    }

    private void cpu(CpuShare cpu) {
        if (cpu.isSeen()) {
            reasons.add(cpu.text(signals.sampled().waitsKnown()));
        }
    }

    private void queue(String what, Queue queue) {
        if (queue.isSeen()) {
            reasons.add(what + queue.text());
        }
    }

    private void sayMachine() {
        if (machine.isSeen()) {
            reasons.add(machine.text());
        }
    }

    private void link(LinkShare link) {
        link("to the subscribers", link.out());
        link("from the publishers", link.in());
    }

    private void link(String direction, double share) {
        if (!Double.isNaN(share)) {
            say("the link %s carried %.3f of its ceiling", direction, share);
        }
    }
}
