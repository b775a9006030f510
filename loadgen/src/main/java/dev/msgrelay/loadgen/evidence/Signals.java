package dev.msgrelay.loadgen.evidence;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.plan.Still;
import java.util.concurrent.TimeUnit;

/** All observations from which the bottleneck of a run is derived. */
public record Signals(Rates rates, Sampled sampled, RelayHolds holds, LinkShare link, Standstills still) {
    /**
     * Whether deliveries stopped for long. At a fixed rate, a message must have been late as well, since rare messages
     * leave gaps anyway. With an interval this is not known, since nothing comes between two ticks.
     */
    public boolean stoodStill() {
        return rates.each() && still.deliveries().count() > 0 && (rates.wanted() == 0 || still.isSlow());
    }

    /**
     * Whether messages were sent late because the relay did not accept them. That is so if the share of the time in
     * which the relay did not read, or in which bytes waited at both ends, is at least the share of late messages.
     */
    public boolean isLateByRelay() {
        double late = rates.late();
        Queues queues = sampled.queues();
        boolean held = holds.heldBack() >= late;
        boolean waited =
                Math.min(queues.publisherSend().waiting(), queues.relayReceive().waiting()) >= late;
        return late > Rates.MAX_LATE_SHARE && (held || waited);
    }

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
        if (isLateByRelay()) {
            return Lateness.RELAY;
        }
        if (publisher.waited() >= rates.late()) {
            return Lateness.SCHEDULER;
        }
        // The thread that keeps the schedule needs one core, so the stolen time is converted to cores.
        boolean stolen = machine.steal() * machine.cores() >= rates.late();
        return stolen ? Lateness.HOST : Lateness.UNSEEN;
    }

    /**
     * Rates within the window, and the rate that was asked for.
     *
     * @param wanted messages a second of all publishers together; 0: full speed
     * @param out messages a second that each subscriber received, on average
     * @param late share of the messages that were sent more than a millisecond after their scheduled time, 0..1
     * @param edge error of both rates, in messages a second: that of one message more or less from each publisher
     * @param each whether every message is to reach each subscriber
     */
    public record Rates(double wanted, double in, double out, double late, double seconds, double edge, boolean each) {
        /** The share of messages at a fixed rate that may be sent more than a millisecond late. */
        public static final double MAX_LATE_SHARE = 0.001;

        private static final double TOLERANCE = 0.01;

        /** A thread may wait this long for its core, so that messages due within the window are sent after it. */
        private static final double EDGE_SECONDS = 0.02;

        public boolean kept() {
            double enough = wanted * (1 - Math.max(TOLERANCE, EDGE_SECONDS / seconds)) - edge;
            return wanted > 0 && in >= enough && (!each || out >= enough);
        }
    }

    /**
     * How long the relay waited, as shares of the time between two of its reports, 0..1. These are the reports nearest
     * to the window's begin and end.
     *
     * @param heldBack share of the time in which the relay did not read a publisher, because its ring was full or
     *     because of backpressure
     * @param backpressure share of the time in which the slowest subscriber with policy backpressure stopped the
     *     relay's log from growing
     * @param ringUsed share of the ring's cells that were in use, as the mean of the reports
     */
    public record RelayHolds(double heldBack, double backpressure, double ringUsed) {
        public static final RelayHolds UNKNOWN = new RelayHolds(Double.NaN, Double.NaN, Double.NaN);

        boolean isKnown() {
            return !Double.isNaN(heldBack);
        }

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
     * The part of the link's highest throughput that a run used, 0..1; NaN without a link, or if its speed is unknown.
     *
     * @param out from the relay to all subscribers across that link
     * @param throughIn whether there may be a link between publishers and relay; false for loopback and Unix sockets
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
     * Standstills within the window. Each process reports its own: a thread that only sleeps notes when it wakes late.
     * If no such report explains a time without deliveries, the relay or the network caused it.
     *
     * @param deliveries times without a delivery, for the subscriber with the longest such time
     * @param slowestNanos the longest latency of a message at a fixed rate; 0 at full speed
     */
    public record Standstills(Still machine, Still publishers, Still subscribers, Still deliveries, long slowestNanos) {

        /** A time that is longer than threads usually wait for a core, see {@link Still}. */
        private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

        public static final Standstills NONE = new Standstills(Still.NONE, Still.NONE, Still.NONE, Still.NONE, 0);

        /** Whether a message at a fixed rate was later than a wait for a core can explain. */
        boolean isSlow() {
            return slowestNanos >= LONG_NANOS;
        }

        /** Example: "deliveries stood still 3 times for 100 ms or longer, at most for 301 ms, 0.9 s in all". */
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
