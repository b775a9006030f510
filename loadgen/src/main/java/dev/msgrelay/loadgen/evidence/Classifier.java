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

/**
 * The verdict on what bound a run: the first rule of docs/measuring.md that applies speaks. A thread that waited for a core
 * while none was idle makes it <em>machine</em>, whichever rule named the thread. Pure; one object per run.
 */
public final class Classifier {
    /** A thread that waits for a core for longer than this is not bound by its own speed. */
    private static final double STARVED = 0.25;
    /** Fewer idle cores than this are none. */
    private static final double NO_CORE_IDLE = 0.1;

    private static final double KERNEL_BUSY = 0.2;
    /** The relay says that something held for most of the time. */
    private static final double MOSTLY = 0.5;
    /** At full speed: the part of the window in which nothing was delivered. */
    private static final double STOOD_STILL = 0.25;
    /** A thread that wants a core for less than this waits for something else. */
    private static final double IDLE = 0.5;

    private final Signals signals;
    private final Rates rates;
    private final Queues queues;
    private final Standstills still;
    /** Null where it was not seen. */
    private final MachineShare machine;
    /** Null where the relay says nothing. */
    private final RelayHolds holds;

    private final CpuShare relay;
    /** The least busy one: where a publisher still has time, it is not the publishers' speed that is missing. */
    private final CpuShare publisher;
    /** A schedule is missed as soon as one of them has no core. */
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
        if (nothingCame() && (publishersIdle() || !backpressured() && !isFull(queues.relaySend()) || stood() != null)) {
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
        slow = slow == null && !isEmpty(queues.publisherSend()) ? subscriber() : slow;
        slow = slow == null ? unseenRelay() : slow;
        slow = slow == null ? waitingRelay() : slow;
        slow = slow == null ? publisher() : slow;
        return slow == null ? machine() : slow;
    }

    /** A process that stood still says so; where none does, it was the relay. */
    private Kind stoodStill() {
        say(still.withoutDeliveries());
        say(
                "the publishers' process stood still for at most %.0f ms, the subscribers' for %.0f, the machine for"
                        + " %.0f; the rest was in the relay and on the way",
                still.publishers().longestMillis(),
                still.subscribers().longestMillis(),
                still.machine().longestMillis());
        Kind stood = stood();
        Kind kind = stood != null ? stood : publishersIdle() || isDirect() ? PUBLISHER : RELAY;
        if (kind == MACHINE) {
            return kind;
        }
        CpuShare thread = kind == PUBLISHER ? publisher : kind == SUBSCRIBER ? subscriber : relay;
        cpu(thread);
        return own(kind, thread);
    }

    /** The one that says that it stood still for so long; null: nobody does. */
    private Kind stood() {
        boolean paced = rates.wanted() > 0;
        long missing = paced ? still.slowestNanos() : still.deliveries().totalNanos();
        if (still.machine().explains(missing, paced)) {
            return MACHINE;
        }
        if (still.publishers().explains(missing, paced)) {
            return PUBLISHER;
        }
        return still.subscribers().explains(missing, paced) ? SUBSCRIBER : null;
    }

    private Kind kept() {
        boolean late = rates.late() > Rates.MAX_LATE_SHARE;
        if (late) {
            say("%.2f %% of the messages left more than 1 ms late", rates.late() * 100);
        }
        say(
                "the rate was delivered whole: of %,.0f msg/s %,.0f left the publishers, %,.0f reached each subscriber",
                rates.wanted(), rates.in(), rates.out());
        if (!late) {
            return NOTHING;
        }
        if (signals.lateBehindRelay()) {
            boolean told = holds != null && holds.heldBack() >= rates.late();
            if (told) {
                reasons.add(holds.publishers());
            } else {
                queue("not read by the relay", queues.relayReceive());
            }
            boolean subscribers = holds != null && holds.backpressure() >= rates.late();
            if (subscribers) {
                reasons.add(holds.subscribers());
            }
            cpu(relay);
            return subscribers ? own(SUBSCRIBER, subscriber) : own(RELAY, relay);
        }
        cpu(busiestPublisher);
        sayMachine();
        return signals.lateness() == Lateness.UNSEEN ? UNCLEAR : MACHINE;
    }

    private Kind relay() {
        boolean waits = waitsForRelay();
        boolean unseen = queues.relayReceive() == null && !waits;
        if (!wantsAll(relay) || !(waits || unseen)) {
            return null;
        }
        cpu(relay);
        queue("not read by the relay", queues.relayReceive());
        if (unseen && wantsAll(publisher)) {
            cpu(publisher);
            sayMachine();
            return allCoresBusy() ? MACHINE : UNCLEAR;
        }
        return own(RELAY, relay);
    }

    private Kind subscriber() {
        boolean full = isFull(queues.subscriberReceive()) && (queues.relaySend() == null || isFull(queues.relaySend()));
        boolean unseen = queues.subscriberReceive() == null && !isFull(queues.relaySend());
        if (full || unseen && (backpressured() || wantsAll(subscriber))) {
            if (full) {
                queue("not read by the subscriber", queues.subscriberReceive());
            }
            if (backpressured()) {
                reasons.add(holds.subscribers());
            }
            cpu(subscriber);
            return own(SUBSCRIBER, subscriber);
        }
        if (!isFull(queues.relaySend())) {
            return null;
        }
        queue("not sent by the relay", queues.relaySend());
        queue("not read by the subscriber", queues.subscriberReceive());
        boolean read = isEmpty(queues.subscriberReceive());
        if (signals.link().throughOut()) {
            link(signals.link());
            return read ? network() : UNCLEAR;
        }
        // On the same host a relay that cannot send waits for its subscriber.
        cpu(subscriber);
        return read && allCoresBusy() ? machine() : own(SUBSCRIBER, subscriber);
    }

    /** The relay runs elsewhere: it lies between those who cannot send and those who have read everything. */
    private Kind unseenRelay() {
        boolean between = isFull(queues.publisherSend()) && isEmpty(queues.subscriberReceive());
        if (relay != null || queues.relayReceive() != null || !between) {
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
        if (holds != null) {
            reasons.add(holds.publishers());
        }
        return !link.throughIn() && !link.throughOut() && allCoresBusy() ? machine() : RELAY_HOST;
    }

    private Kind waitingRelay() {
        if (!waitsForRelay() && !heldBackMostly()) {
            return null;
        }
        queue("not read by the relay", queues.relayReceive());
        if (holds != null) {
            reasons.add(holds.publishers());
        }
        cpu(relay);
        if (backpressured()) {
            reasons.add(holds.subscribers());
            return UNCLEAR;
        }
        if (heldBackMostly() || relay != null && relay.wantsMost() && !isFull(queues.relaySend())) {
            return own(RELAY, relay);
        }
        return allCoresBusy() ? machine() : UNCLEAR;
    }

    private Kind publisher() {
        if (isFull(queues.publisherSend())) {
            queue("not sent by the publishers", queues.publisherSend());
            queue("not read by the relay", queues.relayReceive());
            if (!signals.link().throughIn()) {
                return allCoresBusy() ? machine() : UNCLEAR;
            }
            link(signals.link());
            return isEmpty(queues.relayReceive()) ? network() : UNCLEAR;
        }
        if (wantsAll(publisher)) {
            cpu(publisher);
            queue("not read by the relay", queues.relayReceive());
            return own(PUBLISHER, publisher);
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

    /** The network is slow; where the kernel is busy with it and no core is idle, for want of a core. */
    private Kind network() {
        if (!allCoresBusy() || machine.softirq() < KERNEL_BUSY) {
            return LINK;
        }
        sayMachine();
        return MACHINE;
    }

    /** A kind that means a thread's own speed, as far as that thread got the core that it wanted. */
    private Kind own(Kind kind, CpuShare cpu) {
        if (cpu == null || cpu.waited() < STARVED || !allCoresBusy()) {
            return kind;
        }
        sayMachine();
        return MACHINE;
    }

    /** A sender without a relay behind it: nobody counts what comes in. */
    private boolean isDirect() {
        return Double.isNaN(rates.in());
    }

    private boolean allCoresBusy() {
        return machine != null && machine.idle() <= NO_CORE_IDLE;
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

    /** Whether messages wait in the relay's sockets, or where those cannot be seen, since it held publishers back. */
    private boolean waitsForRelay() {
        return queues.relayReceive() == null ? heldBackMostly() : isFull(queues.relayReceive());
    }

    private boolean backpressured() {
        return holds != null && holds.backpressure() >= MOSTLY;
    }

    private boolean heldBackMostly() {
        return holds != null && holds.heldBack() >= MOSTLY;
    }

    /** Nothing was delivered for long. A queue that grows at a rate makes messages late too, but they never stop coming. */
    private boolean nothingCame() {
        return rates.wanted() > 0
                ? still.deliveries().count() > 0
                        && still.isSlow()
                        && still.deliveries().explains(still.slowestNanos(), true)
                : still.deliveries().totalNanos() >= STOOD_STILL * rates.seconds() * 1e9;
    }

    /** At full speed, publishers that could send more and hardly want a core. */
    private boolean publishersIdle() {
        return rates.wanted() == 0
                && isEmpty(queues.publisherSend())
                && (queues.relayReceive() == null || queues.relayReceive().isEmpty())
                && !wantsAll(relay)
                && busiestPublisher != null
                && busiestPublisher.wanted() < IDLE;
    }

    private void say(String pattern, Object... values) {
        reasons.add(format(pattern, values));
    }

    private void cpu(CpuShare cpu) {
        if (cpu != null) {
            reasons.add(cpu.text(signals.sampled().waitsKnown()));
        }
    }

    private void queue(String what, Queue queue) {
        if (queue != null) {
            reasons.add(what + queue.text());
        }
    }

    private void sayMachine() {
        if (machine != null) {
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
