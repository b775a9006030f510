package dev.msgrelay.loadgen.bound;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Signals as sentences, each with its numbers. */
final class Words {
    private static final double KIBI = 1 << 10;
    private static final double PERCENT = 100;
    private static final double WORTH_TELLING = 0.01;

    /** Less than this may as well be how the kernel keeps its books. */
    private static final double OTHERS = 0.15;

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
                machine.others() >= OTHERS ? format(", %.2f with other programs", machine.others()) : "");
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
