package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Samples of one window.
 *
 * @param cpu the busiest thread of each process; empty where none was seen
 * @param waitsKnown false where the kernel does not tell how long a thread waited for a core
 * @param quota limit of the run's cgroup, with its figures of the window; null where there is none
 * @param resentSegments that TCP sent again, all connections of the network namespaces of the run; NaN: not seen
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
     * How the busiest thread of one process, among those of one role, spent the window.
     *
     * @param process whose thread it is, for people
     * @param thread its name as the kernel knows it, at most 15 characters
     * @param run share of the time in which it ran, 0..1
     * @param waited share of the time in which it could have run but had no core, 0..1; 0 where the kernel does not
     *     tell
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

        /** Whether it wanted a core nearly all the time: it is as fast as its core, or what it got of one. */
        public boolean wantsAll() {
            return wanted() >= ALL;
        }

        public boolean wantsMost() {
            return wanted() >= MOST;
        }

        /** "relay's busiest thread (relay-loop-0) ran 0.67 of the time and waited another 0.31 for a core". */
        String text(boolean waitsKnown) {
            String waits = waitsKnown ? format(" and waited another %.2f for a core", waited) : "";
            return format("%s's busiest thread (%s) ran %.2f of the time%s", process, thread, run, waits);
        }
    }

    /**
     * How the cores of a machine spent the window; shares of all cores together, 0..1.
     *
     * @param idle waiting for input or output included
     * @param softirq mostly the kernel's network stack
     * @param steal taken by the host of a virtual machine
     * @param own of the run's processes, the controller's included
     * @param others what other programs used
     * @param busiest the busiest of these programs, for people: "java (pid 712)"; empty where none stands out
     * @param clock of the cores at the window's end, as a part of what it was at its begin; NaN where it is not told
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
     * The queue at one end of a connection; of several connections the one whose queue was long most often.
     *
     * @param waiting share of the samples in which the queue had at least {@link #LONG_BYTES}, 0..1
     */
    public record Queue(int connections, int samples, double waiting, double meanBytes) {
        /** With less than this, a queue is as good as empty: half of a loopback segment. */
        public static final int LONG_BYTES = 32 << 10;

        static final Queue UNSEEN = new Queue(0, 0, Double.NaN, Double.NaN);

        private static final double FULL = 0.8;
        private static final double EMPTY = 0.5;

        boolean isSeen() {
            return samples > 0;
        }

        /** Whether nearly every sample found a long queue. */
        public boolean isFull() {
            return waiting >= FULL;
        }

        /** Whether the queue is often short: then its reader keeps up. */
        public boolean isEmpty() {
            return waiting <= EMPTY;
        }

        /** " (the longest of 4): at least 32 KiB in 0.97 of 20 samples, 1,764 KiB on average". */
        String text() {
            return (connections == 1 ? "" : " (the longest of " + connections + ")")
                    + format(
                            ": at least %d KiB in %.2f of %d samples, %,.0f KiB on average",
                            LONG_BYTES >> 10, waiting, samples, meanBytes / 1024.0);
        }
    }

    /**
     * The four places where bytes wait on their way. Unix sockets and processes on other hosts have no such figures.
     *
     * <pre>
     *  publisher [publisherSend] --link--> [relayReceive] relay [relaySend] --link--> [subscriberReceive] subscriber
     * </pre>
     */
    public record Queues(Queue publisherSend, Queue relayReceive, Queue relaySend, Queue subscriberReceive) {
        public static final Queues UNSEEN = new Queues(Queue.UNSEEN, Queue.UNSEEN, Queue.UNSEEN, Queue.UNSEEN);
    }
}
