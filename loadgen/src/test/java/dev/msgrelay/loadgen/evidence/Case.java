package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queue;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import java.util.ArrayList;
import java.util.List;

/** Signals made by hand: of a run at full speed through which nothing is in anyone's way, until a test says otherwise. */
final class Case {
    private static final Queue EMPTY = new Queue(1, 100, 0, 900);
    private static final Queue FULL = new Queue(1, 100, 1, 2 << 20);

    private final List<CpuShare> cpu = new ArrayList<>();
    private Rates rates = new Rates(0, 1e6, 1e6, 0, 10);
    private boolean waitsKnown = true;
    private MachineShare machine = new MachineShare(4, 0.4, 0.05, 0, 0.5, 0, "", 1);
    private Queue publisherSend = EMPTY;
    private Queue relayReceive = EMPTY;
    private Queue relaySend = EMPTY;
    private Queue subscriberReceive = EMPTY;
    private TcpSegments segments = TcpSegments.NONE;
    private RelayHolds holds = new RelayHolds(0, 0, 0);
    private LinkShare link = LinkShare.UNKNOWN;
    private Standstills still = Standstills.NONE;

    /** Nobody has been seen to use a core yet. */
    static Case quiet() {
        return new Case();
    }

    Case rates(Rates newRates) {
        rates = newRates;
        return this;
    }

    Case publisher(double run, double waited) {
        cpu.add(new CpuShare(Role.PUBLISHER, "publisher " + cpu.size(), "publisher-" + cpu.size(), run, waited));
        return this;
    }

    Case relay(double run, double waited) {
        cpu.add(new CpuShare(Role.RELAY, "relay", "relay-loop-0", run, waited));
        return this;
    }

    Case subscriber(double run, double waited) {
        cpu.add(new CpuShare(Role.SUBSCRIBER, "subscriber " + cpu.size(), "subscriber", run, waited));
        return this;
    }

    Case idle(double idle) {
        machine = new MachineShare(2, idle, 0.1, 0.02, 0.8, 0, "", 1);
        return this;
    }

    Case machine(double idle, double softirq, double own) {
        machine = new MachineShare(2, idle, softirq, 0, own, Math.max(0, 1 - idle - softirq - own), "", 1);
        return this;
    }

    Case publisherSendFull() {
        publisherSend = FULL;
        return this;
    }

    Case relayReceiveFull() {
        relayReceive = FULL;
        return this;
    }

    Case publisherSend(double waiting) {
        publisherSend = new Queue(1, 100, waiting, 100_000);
        return this;
    }

    Case relayReceive(double waiting) {
        relayReceive = new Queue(1, 100, waiting, 100_000);
        return this;
    }

    Case relaySendFull() {
        relaySend = FULL;
        return this;
    }

    Case subscriberReceiveFull() {
        subscriberReceive = FULL;
        return this;
    }

    Case subscriberReceive(double waiting) {
        subscriberReceive = new Queue(1, 100, waiting, 100_000);
        return this;
    }

    Case resent(long sent, long resent) {
        segments = new TcpSegments(sent, resent);
        return this;
    }

    Case holds(double heldBack, double backpressure, double ringUsed) {
        holds = new RelayHolds(heldBack, backpressure, ringUsed);
        return this;
    }

    Case link(double in, double out) {
        link = link.of(in, out);
        return this;
    }

    Case withinHost() {
        link = new LinkShare(Double.NaN, Double.NaN, false, false);
        return this;
    }

    /**
     * Longest standstills in milliseconds; each came so often.
     *
     * @param slowest the longest latency
     */
    Case stoodStill(int times, long machine, long publishers, long subscribers, long deliveries, long slowest) {
        still = new Standstills(
                still(times, machine),
                still(times, publishers),
                still(times, subscribers),
                still(times, deliveries),
                slowest * 1_000_000);
        return this;
    }

    private static Standstills.Still still(int times, long millis) {
        long nanos = millis * 1_000_000;
        return millis < 100 ? new Standstills.Still(nanos, 0, 0) : new Standstills.Still(nanos, times, times * nanos);
    }

    Case machine(MachineShare share) {
        machine = share;
        return this;
    }

    Case unixSockets() {
        publisherSend = null;
        relayReceive = null;
        relaySend = null;
        subscriberReceive = null;
        return this;
    }

    Case subscribersElsewhere() {
        subscriberReceive = null;
        return this;
    }

    Case publishersElsewhere() {
        publisherSend = null;
        return this;
    }

    Case relaySaysNothing() {
        holds = null;
        return this;
    }

    Case waitsUnknown() {
        waitsKnown = false;
        return this;
    }

    Case machineUnknown() {
        machine = null;
        return this;
    }

    static void expect(BoundBy bound, BoundBy.Kind kind, Confidence confidence, BoundBy.Kind... alternatives) {
        assertThat(bound.kind()).as(bound.toString()).isEqualTo(kind);
        assertThat(bound.confidence()).as(bound.toString()).isEqualTo(confidence);
        assertThat(bound.alternatives()).as(bound.toString()).containsExactly(alternatives);
        assertThat(bound.reasons()).isNotEmpty();
    }

    BoundBy classify() {
        return Classifier.classify(signals());
    }

    Signals signals() {
        Queues queues = new Queues(publisherSend, relayReceive, relaySend, subscriberReceive);
        Sampled sampled = new Sampled(100, cpu, waitsKnown, machine, queues, segments);
        return new Signals(rates, sampled, holds, link, still);
    }
}
