package dev.msgrelay.loadgen.bound;

/** What follows from signals without weighing them against each other. Immutable. */
final class Facts {
    /** A thread that waits for a core for longer than this is not bound by its own speed. */
    private static final double STARVED = 0.25;

    /** With this much, it is not by that alone. */
    private static final double DELAYED = 0.1;

    /** Fewer idle cores than this are none. */
    private static final double NO_CORE_IDLE = 0.1;

    private static final double KERNEL_BUSY = 0.2;

    /** The relay says that something held for most of the time. */
    private static final double MOSTLY = 0.5;

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
}
