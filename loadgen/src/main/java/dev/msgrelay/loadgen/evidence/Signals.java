package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.plan.Still;
import java.util.concurrent.TimeUnit;

/** All that a run is classified from. */
public record Signals(Rates rates, Sampled sampled, RelayHolds holds, LinkShare link, Standstills still) {
    /** Whether deliveries stopped for long; at a rate a message was late, too, as rare messages leave gaps anyway. */
    public boolean stoodStill() {
        return still.deliveries().count() > 0 && (rates.wanted() == 0 || still.isSlow());
    }

    /**
     * Whether messages left late because the relay did not take them: the relay held publishers back for as long, or
     * bytes waited at both ends of the connection.
     */
    public boolean lateBehindRelay() {
        double late = rates.late();
        Queues queues = sampled.queues();
        boolean held = holds.heldBack() >= late;
        boolean waited =
                Math.min(queues.publisherSend().waiting(), queues.relayReceive().waiting()) >= late;
        return late > Rates.MAX_LATE_SHARE && (held || waited);
    }

    /** The cause of messages that left late, as far as it was seen. */
    public enum Lateness {
        RELAY("the relay did not take them in time"),
        SCHEDULER("cause: the scheduler, for which the generator's thread waited as long"),
        HOST("cause: the host of this virtual machine, which took as much of a core"),
        UNSEEN("cause not seen");

        private final String text;

        Lateness(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    public Lateness lateness() {
        CpuShare publisher = sampled.busiest(Role.PUBLISHER);
        MachineShare machine = sampled.machine();
        if (lateBehindRelay()) {
            return Lateness.RELAY;
        }
        if (publisher.waited() >= rates.late()) {
            return Lateness.SCHEDULER;
        }
        // A schedule waits for one core.
        boolean stolen = machine.steal() * machine.cores() >= rates.late();
        return stolen ? Lateness.HOST : Lateness.UNSEEN;
    }

    /**
     * Rates within the window, against the one that was wanted.
     *
     * @param wanted messages a second of all publishers together; 0: as fast as it goes
     * @param in messages a second that left the publishers; NaN where nobody counts them
     * @param out messages a second that the subscribers got, on average
     * @param late share of the messages that left more than a millisecond after their time, 0..1
     * @param edge messages a second that may fall to either side of the window's edges, as messages that are due
     *     together leave together
     */
    public record Rates(double wanted, double in, double out, double late, double seconds, double edge) {
        /** The share of messages of a fixed rate that may leave more than a millisecond late. */
        public static final double MAX_LATE_SHARE = 0.001;

        /** Part of the wanted messages that may be missing. */
        private static final double TOLERANCE = 0.01;

        /** Time by which a thread gets its core late: messages of that time cross the window's edges. */
        private static final double EDGE_SECONDS = 0.02;

        /** Whether the publishers had a schedule, and all of it left and arrived. */
        public boolean kept() {
            double enough = wanted * (1 - Math.max(TOLERANCE, EDGE_SECONDS / seconds)) - edge;
            return wanted > 0 && in >= enough && out >= enough;
        }
    }

    /**
     * The relay's report on its own waiting: shares of the time between its two reports nearest around the window,
     * 0..1.
     *
     * @param heldBack share in which a publisher was not read, for want of room in the ring or because of backpressure
     * @param backpressure share in which the slowest subscriber with the policy backpressure kept the log from growing
     * @param ringUsed share of the ring's cells that were in use, on average of the reports
     */
    public record RelayHolds(double heldBack, double backpressure, double ringUsed) {
        /** The relay reports nothing. */
        public static final RelayHolds UNKNOWN = new RelayHolds(Double.NaN, Double.NaN, Double.NaN);

        boolean isKnown() {
            return !Double.isNaN(heldBack);
        }

        /** The shares that these times are of {@code seconds}; unknown where a time is NaN. */
        public static RelayHolds of(double seconds, double heldBack, double backpressure, double ringUsed) {
            return seconds <= 0 || Double.isNaN(heldBack + backpressure)
                    ? UNKNOWN
                    : new RelayHolds(
                            Math.min(1, heldBack / seconds),
                            Math.min(1, backpressure / seconds),
                            Double.isNaN(ringUsed) ? 0 : ringUsed);
        }

        String publishers() {
            return format(
                    "publishers were held back %.2f of the time, the ring was %.2f full on average",
                    heldBack, ringUsed);
        }

        String subscribers() {
            return format(
                    "the slowest subscriber with the policy backpressure kept the log from growing %.2f of the time",
                    backpressure);
        }
    }

    /**
     * The part of the link's ceiling that a run used, 0..1; NaN without a link, or without its speed.
     *
     * @param in from the publishers to the relay
     * @param out from the relay to the subscribers, all of them behind that link together
     * @param throughIn whether a link may lie between publishers and relay: not on loopback, nor over Unix sockets
     * @param throughOut whether a link may lie between relay and subscribers
     */
    public record LinkShare(double in, double out, boolean throughIn, boolean throughOut) {
        private static final double ALL = 0.95;

        boolean isFullIn() {
            return in >= ALL;
        }

        boolean isFullOut() {
            return out >= ALL;
        }
    }

    /**
     * Stand-stills within the window. Each process reports its own, by a thread that only sleeps. Time without
     * deliveries that no process explains was spent in the relay and on the way.
     *
     * @param machine of the controller's process, which has nothing to do
     * @param publishers of the publisher process that stood still longest
     * @param subscribers likewise
     * @param deliveries gaps between two deliveries to one subscriber, the one with the longest gap
     * @param slowestNanos the longest latency of a message of a schedule; 0 without one
     */
    public record Standstills(Still machine, Still publishers, Still subscribers, Still deliveries, long slowestNanos) {

        /** Longer than threads wait for a core, see {@link Still}. */
        private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

        public static final Standstills NONE = new Standstills(Still.NONE, Still.NONE, Still.NONE, Still.NONE, 0);

        /** Whether a message of a schedule was later than a wait for a core explains. */
        boolean isSlow() {
            return slowestNanos >= LONG_NANOS;
        }

        /** "deliveries stood still 3 times for 100 ms or longer, at most for 301 ms, 0.9 s in all". */
        public String withoutDeliveries() {
            return format(
                    "deliveries stood still %,d time%s for 100 ms or longer, at most for %.0f ms, %.1f s in all",
                    deliveries.count(),
                    deliveries.count() == 1 ? "" : "s",
                    deliveries.longestMillis(),
                    deliveries.totalNanos() / 1e9);
        }
    }
}
