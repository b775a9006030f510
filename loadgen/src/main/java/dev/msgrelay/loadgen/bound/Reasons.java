package dev.msgrelay.loadgen.bound;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.bound.BoundBy.Confidence;
import dev.msgrelay.loadgen.bound.Sampled.CpuShare;
import dev.msgrelay.loadgen.bound.Sampled.MachineShare;
import dev.msgrelay.loadgen.bound.Sampled.Queue;
import dev.msgrelay.loadgen.bound.Sampled.Queues;
import dev.msgrelay.loadgen.bound.Sampled.TcpSegments;
import dev.msgrelay.loadgen.bound.Signals.RelayHolds;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.bound.Watched.Role;
import java.util.ArrayList;
import java.util.List;

/** Gathers the reasons of a decision, as sentences with their numbers; what is not known is not said. One object each. */
final class Reasons {
    private static final double KIBI = 1 << 10;
    private static final double WORTH_TELLING = 0.01;

    /** Of other programs: less than this may as well be how the kernel keeps its books. */
    private static final double OTHERS = 0.05;

    private final Signals signals;
    private final Queues queues;
    private final Standstills still;
    private final MachineShare machine;
    private final RelayHolds holds;
    private final List<String> reasons = new ArrayList<>();

    Reasons(Signals signals) {
        this.signals = signals;
        this.queues = signals.sampled().queues();
        this.still = signals.still();
        this.machine = signals.sampled().machine();
        this.holds = signals.holds();
    }

    Reasons that(String pattern, Object... values) {
        reasons.add(format(pattern, values));
        return this;
    }

    Reasons thatIf(boolean known, String pattern, Object... values) {
        return known ? that(pattern, values) : this;
    }

    /** "relay's busiest thread (relay-loop-0) ran 0.67 of the time and waited another 0.31 for a core". */
    Reasons cpu(CpuShare cpu) {
        String waits = signals.sampled().waitsKnown() ? " and waited another %4$.2f for a core" : "";
        return cpu == null
                ? this
                : that(
                        "%1$s's busiest thread (%2$s) ran %3$.2f of the time" + waits,
                        cpu.process(),
                        cpu.thread(),
                        cpu.run(),
                        cpu.waited());
    }

    /** "not read by the relay (the longest of 4): at least 32 KiB in 0.97 of 20 samples, 1,764 KiB on average". */
    Reasons queue(String what, Queue queue) {
        return queue == null
                ? this
                : that(
                        "%s%s: at least %d KiB in %.2f of %d samples, %,.0f KiB on average",
                        what,
                        queue.connections() == 1 ? "" : " (the longest of " + queue.connections() + ")",
                        Queue.LONG_BYTES >> 10,
                        queue.waiting(),
                        queue.samples(),
                        queue.meanBytes() / KIBI);
    }

    Reasons publisherSend() {
        return queue("not sent by the publishers", queues.publisherSend());
    }

    Reasons relayReceive() {
        return queue("not read by the relay", queues.relayReceive());
    }

    Reasons relaySend() {
        return queue("not sent by the relay", queues.relaySend());
    }

    Reasons subscriberReceive() {
        return queue("not read by the subscriber", queues.subscriberReceive());
    }

    Reasons machine() {
        if (machine == null) {
            return this;
        }
        String busiest = machine.busiest().isEmpty() ? "" : ", most of all " + machine.busiest();
        return that(
                "the machine's %d cores were idle %.2f of the time, %.2f in network interrupts%s%s",
                machine.cores(),
                machine.idle(),
                machine.softirq(),
                machine.steal() >= WORTH_TELLING ? format(", %.2f taken by the host", machine.steal()) : "",
                machine.others() >= OTHERS ? format(", %.2f with other programs", machine.others()) + busiest : "");
    }

    Reasons heldBack() {
        return that(
                "publishers were held back %.2f of the time, the ring was %.2f full on average",
                holds.heldBack(), holds.ringUsed());
    }

    Reasons backpressure() {
        return that(
                "the slowest subscriber with the policy backpressure kept the log from growing %.2f of the time",
                holds.backpressure());
    }

    Reasons resent() {
        TcpSegments segments = signals.sampled().segments();
        return thatIf(segments.resent() > 0, "TCP sent %,d of %,d segments again", segments.resent(), segments.sent());
    }

    Reasons link(String direction, double share) {
        return thatIf(!Double.isNaN(share), "the link %s carried %.3f of its ceiling", direction, share);
    }

    Reasons standstills() {
        return that(
                "the publishers' process stood still for at most %.0f ms, the subscribers' for %.0f, the machine for"
                        + " %.0f; the rest was in the relay and on the way",
                still.publishers().longestMillis(),
                still.subscribers().longestMillis(),
                still.machine().longestMillis());
    }

    BoundBy bound(BoundBy.Kind kind, Confidence confidence, BoundBy.Kind... alternatives) {
        return new BoundBy(kind, confidence, reasons, List.of(alternatives), unseen());
    }

    /** What was not seen. */
    private List<String> unseen() {
        List<String> unseen = new ArrayList<>();
        Sampled sampled = signals.sampled();
        for (Role role : Role.values()) {
            add(unseen, sampled.busiest(role) == null, "CPU of the " + role);
        }
        add(unseen, !sampled.waitsKnown(), "how long threads waited for a core");
        add(unseen, machine == null, "CPU of the machine");
        add(unseen, queues.publisherSend() == null, "the publishers' send queues");
        add(unseen, queues.relayReceive() == null, "the relay's receive queues");
        add(unseen, queues.relaySend() == null, "the relay's send queues");
        add(unseen, queues.subscriberReceive() == null, "the subscribers' receive queues");
        add(unseen, holds == null, "the relay's own counts");
        return unseen;
    }

    private static void add(List<String> unseen, boolean missing, String what) {
        if (missing) {
            unseen.add(what);
        }
    }
}
