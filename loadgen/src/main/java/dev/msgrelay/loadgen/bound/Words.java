package dev.msgrelay.loadgen.bound;

import dev.msgrelay.loadgen.bound.Sampled.CpuShare;
import dev.msgrelay.loadgen.bound.Sampled.MachineShare;
import dev.msgrelay.loadgen.bound.Sampled.Queue;
import dev.msgrelay.loadgen.bound.Sampled.Queues;
import dev.msgrelay.loadgen.bound.Sampled.TcpSegments;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.bound.Signals.RelayHolds;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import dev.msgrelay.loadgen.bound.Watched.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Signals as sentences, each with its numbers. */
final class Words {
    private static final double KIBI = 1 << 10;
    private static final double PERCENT = 100;
    private static final double MILLI_NANOS = 1e6;
    private static final double SECOND_NANOS = 1e9;
    private static final double WORTH_TELLING = 0.01;

    /** Less than this may as well be how the kernel keeps its books. */
    private static final double OTHERS = 0.05;

    private Words() {}

    /** "relay's busiest thread (relay-loop-0) ran 0.67 of the time and waited another 0.31 for a core". */
    static String cpu(CpuShare cpu, boolean waitsKnown) {
        return format("%s's busiest thread (%s) ran %.2f of the time", cpu.process(), cpu.thread(), cpu.run())
                + (waitsKnown ? format(" and waited another %.2f for a core", cpu.waited()) : "");
    }

    /** "what the relay had not read stood full in 0.97 of 20 samples, 1,764 KiB on average". */
    static String queue(String what, Queue queue) {
        String which = queue.connections() == 1 ? "" : format(" (the longest of %d)", queue.connections());
        return format(
                "%s%s: at least %d KiB in %.2f of %d samples, %,.0f KiB on average",
                what, which, Queue.LONG_BYTES >> 10, queue.waiting(), queue.samples(), queue.meanBytes() / KIBI);
    }

    static String machine(MachineShare machine) {
        return format(
                "the machine's %d cores were idle %.2f of the time, %.2f in network interrupts%s%s",
                machine.cores(),
                machine.idle(),
                machine.softirq(),
                machine.steal() >= WORTH_TELLING ? format(", %.2f taken by the host", machine.steal()) : "",
                machine.others() >= OTHERS ? ", " + others(machine) : "");
    }

    /** "0.41 with other programs, most of all yes (pid 4711)". */
    static String others(MachineShare machine) {
        return format("%.2f with other programs", machine.others())
                + (machine.busiest().isEmpty() ? "" : ", most of all " + machine.busiest());
    }

    static String rates(Rates rates) {
        return format(
                "%,.0f msg/s were wanted, %,.0f left the publishers, %,.0f reached each subscriber",
                rates.wanted(), rates.in(), rates.out());
    }

    static String late(Rates rates) {
        return format("%.2f %% of the messages left more than 1 ms late", rates.late() * PERCENT);
    }

    /** Of one core: a schedule waits for one. */
    static String stolen(MachineShare machine) {
        return format("the host took %.2f %% of a core's time", machine.steal() * machine.cores() * PERCENT);
    }

    static String withoutDeliveries(Standstills still) {
        Standstills.Still gaps = still.deliveries();
        return format(
                "deliveries stood still %,d time%s for 100 ms or longer, at most for %.0f ms, %.1f s in all",
                gaps.count(),
                gaps.count() == 1 ? "" : "s",
                gaps.longestNanos() / MILLI_NANOS,
                gaps.totalNanos() / SECOND_NANOS);
    }

    /** Hop by hop: what nobody else took was spent in the relay, or on the way. */
    static String slowest(Standstills still) {
        return format(
                "the slowest message took %.0f ms from its intended time of sending",
                still.slowestNanos() / MILLI_NANOS);
    }

    static String standstills(Standstills still) {
        return format(
                "the publishers' process stood still for at most %.0f ms, the subscribers' for %.0f, the machine for %.0f;"
                        + " the rest was in the relay and on the way",
                still.publishers().longestNanos() / MILLI_NANOS,
                still.subscribers().longestNanos() / MILLI_NANOS,
                still.machine().longestNanos() / MILLI_NANOS);
    }

    static String link(String direction, double share) {
        return format("the link %s carried %.3f of its ceiling", direction, share);
    }

    static String resent(TcpSegments segments) {
        return format("TCP sent %,d of %,d segments again", segments.resent(), segments.sent());
    }

    static String heldBack(RelayHolds holds) {
        return format(
                "publishers were held back %.2f of the time, the ring was %.2f full on average",
                holds.heldBack(), holds.ringUsed());
    }

    static String backpressure(RelayHolds holds) {
        return format(
                "the slowest subscriber with the policy backpressure kept the log from growing %.2f of the time",
                holds.backpressure());
    }

    /** What was not seen. */
    static List<String> unseen(Signals signals) {
        Sampled sampled = signals.sampled();
        Queues queues = sampled.queues();
        List<String> unseen = new ArrayList<>();
        for (Role role : Role.values()) {
            if (sampled.busiest(role) == null) {
                unseen.add("CPU of the " + role.name().toLowerCase(Locale.ROOT));
            }
        }
        if (!sampled.waitsKnown()) {
            unseen.add("how long threads waited for a core");
        }
        if (sampled.machine() == null) {
            unseen.add("CPU of the machine");
        }
        addQueue(unseen, queues.publisherSend(), "the publishers' send queues");
        addQueue(unseen, queues.relayReceive(), "the relay's receive queues");
        addQueue(unseen, queues.relaySend(), "the relay's send queues");
        addQueue(unseen, queues.subscriberReceive(), "the subscribers' receive queues");
        if (signals.holds() == null) {
            unseen.add("the relay's own counts");
        }
        return unseen;
    }

    private static void addQueue(List<String> unseen, Queue queue, String name) {
        if (queue == null) {
            unseen.add(name);
        }
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
