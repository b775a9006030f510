package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The samples of one measured window.
 *
 * @param cpu the busiest thread of each process; empty if none was seen
 * @param waitsKnown false if the kernel does not report how long a thread waited for a core
 * @param quota CPU limit of the run's cgroup, with its effect within the window; null: no limit
 * @param resentSegments TCP segments that were retransmitted, by all connections in the run's network namespaces; NaN:
 *     unknown
 */
public record Sampled(
        int samples,
        List<CpuShare> cpu,
        boolean waitsKnown,
        MachineShare machine,
        Quota quota,
        Queues queues,
        double resentSegments) {

    public static final Sampled NOTHING =
            new Sampled(0, List.of(), true, MachineShare.UNSEEN, null, Queues.UNSEEN, Double.NaN);

    public CpuShare busiest(Role role) {
        return of(role).max(Comparator.comparingDouble(CpuShare::wanted)).orElse(CpuShare.UNSEEN);
    }

    public CpuShare leastBusy(Role role) {
        return of(role).min(Comparator.comparingDouble(CpuShare::wanted)).orElse(CpuShare.UNSEEN);
    }

    private Stream<CpuShare> of(Role role) {
        return cpu.stream().filter(share -> share.role() == role);
    }

    /**
     * How the busiest thread of a process spent the window.
     *
     * @param thread name of the thread in the kernel, at most 15 characters
     * @param waited share of the time in which the thread was ready to run but had no core, 0..1; 0 if the kernel does
     *     not report it
     */
    public record CpuShare(Role role, String process, String thread, double run, double waited) {
        static final CpuShare UNSEEN = new CpuShare(Role.RELAY, "", "", Double.NaN, Double.NaN);

        private static final double ALL = 0.9;
        private static final double MOST = 0.7;

        boolean isSeen() {
            return !Double.isNaN(run);
        }

        public double wanted() {
            return run + waited;
        }

        /** Whether the thread ran, or waited for a core, nearly all the time, so that a faster core would help. */
        public boolean wantsAll() {
            return wanted() >= ALL;
        }

        public boolean wantsMost() {
            return wanted() >= MOST;
        }

        /** Example: "relay's busiest thread (relay-loop-0) ran 0.67 of the time and waited another 0.31 for a core". */
        String text(boolean waitsKnown) {
            String waits = waitsKnown ? format(" and waited another %.2f for a core", waited) : "";
            return format("%s's busiest thread (%s) ran %.2f of the time%s", process, thread, run, waits);
        }
    }

    /**
     * How the cores of a machine spent the window, as shares of all cores together, 0..1.
     *
     * @param idle idle time, including waits for input and output
     * @param softirq time in soft interrupts, mostly the kernel's network stack
     * @param busiest the busiest of the other programs, for people: "java (pid 712)"; empty if none is busy
     * @param clock clock frequency of the cores at the window's end, relative to that at its begin; NaN: unknown
     */
    public record MachineShare(
            int cores,
            double idle,
            double softirq,
            double steal,
            double own,
            double others,
            String busiest,
            double clock) {
        public static final MachineShare UNSEEN =
                new MachineShare(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, "", Double.NaN);

        private static final double WORTH_TELLING = 0.01;

        public boolean isSeen() {
            return !Double.isNaN(idle);
        }

        String text() {
            String most = busiest.isEmpty() ? "" : ", most of all " + busiest;
            return format(
                    "the machine's %d cores were idle %.2f of the time, %.2f in network interrupts%s%s",
                    cores,
                    idle,
                    softirq,
                    steal < WORTH_TELLING ? "" : format(", %.2f taken by the host", steal),
                    others < WORTH_TELLING ? "" : format(", %.2f with other programs", others) + most);
        }
    }

    /**
     * The send or receive queue of a socket. For several connections, it is the queue that was long most often.
     *
     * @param waiting share of the samples in which the queue had at least {@link #LONG_BYTES}, 0..1
     */
    public record Queue(int connections, int samples, double waiting, double meanBytes) {
        public static final int LONG_BYTES = 32 << 10;

        static final Queue UNSEEN = new Queue(0, 0, Double.NaN, Double.NaN);

        private static final double FULL = 0.8;
        private static final double EMPTY = 0.5;

        boolean isSeen() {
            return samples > 0;
        }

        public boolean isFull() {
            return waiting >= FULL;
        }

        /** Whether the queue was short in at least half of the samples, so that its reader keeps up. */
        public boolean isEmpty() {
            return waiting <= EMPTY;
        }

        /** Example: " (the longest of 4): at least 32 KiB in 0.97 of 20 samples, 1,764 KiB on average". */
        String text() {
            return (connections == 1 ? "" : " (the longest of " + connections + ")")
                    + format(
                            ": at least %d KiB in %.2f of %d samples, %,.0f KiB on average",
                            LONG_BYTES >> 10, waiting, samples, meanBytes / 1024.0);
        }
    }

    /**
     * The four queues in which bytes wait. The system does not report the queues of Unix sockets, or of other hosts.
     *
     * <pre>
     *  publisher [publisherSend] --link--> [relayReceive] relay [relaySend] --link--> [subscriberReceive] subscriber
     * </pre>
     */
    public record Queues(Queue publisherSend, Queue relayReceive, Queue relaySend, Queue subscriberReceive) {
        public static final Queues UNSEEN = new Queues(Queue.UNSEEN, Queue.UNSEEN, Queue.UNSEEN, Queue.UNSEEN);
    }
}
