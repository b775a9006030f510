package dev.msgrelay.loadgen.result;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Punctuality;
import dev.msgrelay.loadgen.plan.SubscriberResult;
import dev.msgrelay.loadgen.plan.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The result of one run, which is created when the run is over. The JSON has the same components.
 *
 * @param delays latencies; empty if messages were not checked
 */
public record RunRecord(
        Moment moment,
        Throughput throughput,
        Delays delays,
        Correctness correctness,
        Resources resources,
        Outcome outcome) {
    private static final int PERCENT = 100;
    private static final double ROUNDING = 1e-6;

    public static RunRecord partial(int round, String started, List<String> failures) {
        return unseen(
                new Moment(round, started, 0, 0),
                new Traffic(0, 0, 0),
                new Outcome(failures, List.of(), List.of(), true));
    }

    /** Returns a run that another program measured. It contains only the figures of that program. */
    public static RunRecord reported(Moment moment, Traffic said, List<String> environment) {
        return unseen(moment, said, new Outcome(List.of(), environment, List.of(), false));
    }

    private static RunRecord unseen(Moment moment, Traffic out, Outcome outcome) {
        return new RunRecord(
                moment,
                new Throughput(null, out, List.of()),
                Delays.NONE,
                Correctness.UNKNOWN,
                Resources.NONE,
                outcome);
    }

    /**
     * When a run was made.
     *
     * @param round number of the round, from 1; in a round each cell is run once
     * @param started time in ISO 8601, with the zone
     * @param measuredNanos length of the measured part; 0 if the run was not completed
     */
    public record Moment(int round, String started, long warmupNanos, long measuredNanos) {}

    /**
     * The messages and bytes that were sent and received.
     *
     * @param in sent by the publishers; null if the contestant itself sends
     */
    public record Throughput(Traffic in, Traffic out, List<Point> timeline) {
        /**
         * One step of the timeline.
         *
         * @param seconds time from the start of the window to the end of the step
         * @param in messages a second from all publishers; NaN if the contestant itself sends
         * @param lagBytes the largest lag of a subscriber in the relay's last report; -1 without a report
         */
        public record Point(
                double seconds,
                @JsonProperty("inMessagesPerSecond") double in,
                @JsonProperty("inBytesPerSecond") double bytesIn,
                @JsonProperty("outMessagesPerSecond") double out,
                @JsonProperty("outBytesPerSecond") double bytesOut,
                long lagBytes) {}
    }

    /**
     * Latencies of messages, in nanoseconds. A histogram is null if its times were not recorded, and does not change.
     *
     * @param latency at a fixed rate, times from the intended sending to the reception, for all subscribers together
     * @param oneMessageIn the sampling: the latency of one message in this many was recorded
     * @param timeInQueue at full speed, times from a message's write to its read
     * @param acknowledged times to the acknowledgement, from the intended sending; at full speed from the call of the
     *     publisher
     */
    public record Delays(Histogram latency, int oneMessageIn, Histogram timeInQueue, Histogram acknowledged) {
        public static final Delays NONE = new Delays(null, 1, null, null);

        /**
         * Decides what the recorded times mean: latencies at a fixed rate; times in queue at full speed, where a
         * message has no intended time.
         */
        public static Delays of(Load load, Histogram recorded, Histogram acknowledged) {
            Histogram checked = load.isChecked() ? recorded : null;
            return new Delays(
                    load.isPaced() ? checked : null,
                    load.sampling(),
                    load.isPaced() ? null : checked,
                    load.clients().acks().isAsked() ? acknowledged : null);
        }

        /**
         * Returns a percentile in nanoseconds; NaN if so few times were recorded that none is above it. The percentile
         * 100 is the maximum.
         */
        public static double at(Histogram recorded, double percentile) {
            boolean known = recorded != null
                    && recorded.getTotalCount() > 0
                    && (percentile == PERCENT
                            || recorded.getTotalCount() * (PERCENT - percentile) > PERCENT - ROUNDING);
            return known ? recorded.getValueAtPercentile(percentile) : Double.NaN;
        }

        public double latencyAt(double percentile) {
            return at(latency, percentile);
        }

        public double acknowledgedAt(double percentile) {
            return at(acknowledged, percentile);
        }
    }

    /**
     * Whether every message arrived once and in order, and was sent in time.
     *
     * @param acknowledged number of acknowledged messages in the whole run; 0 without acknowledgements
     */
    public record Correctness(
            boolean checked,
            List<SubscriberResult> subscribers,
            List<SubscriberResult> slow,
            Punctuality schedule,
            long sent,
            long acknowledged) {
        static final Correctness UNKNOWN = new Correctness(false, List.of(), List.of(), Punctuality.NONE, 0, 0);

        public long sum(ToLongFunction<SubscriberResult> count) {
            return subscribers.stream().mapToLong(count).sum();
        }
    }

    /**
     * The processes of a run, and what limited it.
     *
     * @param relay figures that the relay reported about itself; null without a report
     * @param senders congestion control of publishers and contestant; null if unknown
     * @param boundBy the bottleneck; null without samples
     * @param signals the evidence for the bottleneck; null without samples
     */
    public record Resources(
            List<ProcessUse> processes, Relay relay, Senders senders, BoundBy boundBy, Signals signals) {
        static final Resources NONE = new Resources(List.of(), null, null, null, null);

        /** Whether this run and another were sent by the same congestion control, as far as it is known. */
        public boolean isSentLike(Resources other) {
            return senders == null || other.senders == null || senders.isLike(other.senders);
        }

        public record ProcessUse(
                String name, double cpuSeconds, double kernelSeconds, long peakResidentBytes, String site) {}

        /**
         * The congestion control of the connections that carry messages. The receiving side has no influence.
         *
         * @param publishers congestion control of connections to the contestant
         * @param contestant congestion control of connections to subscribers
         */
        public record Senders(Congestion publishers, Congestion contestant) {
            /** Returns whether these and {@code other} are the same congestion control, as far as both are known. */
            public boolean isLike(Senders other) {
                return publishers.isLike(other.publishers) && contestant.isLike(other.contestant);
            }

            /** Returns "cubic of the publishers, cubic of the relay"; empty if nothing is sent over TCP. */
            public String text(String name) {
                return Stream.of(text(publishers, "publishers"), text(contestant, name))
                        .filter(side -> !side.isEmpty())
                        .collect(Collectors.joining(", "));
            }

            private static String text(Congestion side, String who) {
                return side.names().isEmpty() ? "" : side + " of the " + who;
            }
        }

        public record Relay(long gcCount, long gcMillis, long largestLagBytes, Map<String, Integer> closes) {}
    }

    /**
     * What is wrong or remarkable in a run. A run that other programs disturbed does not count. A pause of the
     * contestant never excludes a run.
     *
     * @param environment disturbances by other programs or the host; any of them makes the figures meaningless
     * @param observed events in the run, such as standstills, which are part of its result
     */
    public record Outcome(List<String> failures, List<String> environment, List<Observed> observed, boolean partial) {
        @JsonProperty
        public boolean passed() {
            return failures.isEmpty();
        }

        /** Whether the run was completed without faults, even if other programs disturbed it. */
        public boolean isValid() {
            return !partial && passed();
        }

        /**
         * Whether the run's figures may be used: it was completed without faults, and no other program disturbed it.
         */
        public boolean counts() {
            return isValid() && environment.isEmpty();
        }
    }

    /** An event in a run, which is reported and counted. It does not exclude the run. */
    public record Observed(Kind kind, String text) {
        public enum Kind {
            STOOD_STILL("stood still"),
            /** The rate was not reached, or too many messages were sent late. */
            SCHEDULE_MISSED("missed the schedule"),
            /** Other programs disturbed the run, and the user accepts such runs. */
            DISTURBED("were disturbed");

            private final String verb;

            Kind(String verb) {
                this.verb = verb;
            }

            public String verb() {
                return verb;
            }

            @Override
            public String toString() {
                return name().toLowerCase(Locale.ROOT);
            }
        }
    }

    public boolean counts() {
        return outcome.counts();
    }

    /** Returns this run as one that counts in spite of its disturbances, which become events. */
    public RunRecord accepted() {
        List<Observed> observed = new ArrayList<>(outcome.observed);
        outcome.environment.forEach(line -> observed.add(new Observed(Observed.Kind.DISTURBED, line)));
        Outcome accepted = new Outcome(outcome.failures, List.of(), observed, outcome.partial);
        return new RunRecord(moment, throughput, delays, correctness, resources, accepted);
    }

    /** Returns the number of TCP segments that were retransmitted within the window; NaN without samples. */
    public double resent() {
        Signals signals = resources.signals();
        return signals == null ? Double.NaN : signals.sampled().resentSegments();
    }

    /** Returns the messages a second that the publishers sent; NaN if the contestant itself sends. */
    public double in() {
        return throughput.in() == null ? Double.NaN : throughput.in().messagesPerSecond();
    }

    public double out() {
        return outcome.partial() ? Double.NaN : throughput.out().messagesPerSecond();
    }

    public double bytesOut() {
        return outcome.partial() ? Double.NaN : throughput.out().bytesPerSecond();
    }

    /**
     * Returns the longest time without a delivery to a subscriber, in nanoseconds. NaN at a fixed rate, since the time
     * then depends on the rate.
     */
    public double longestGap() {
        Signals signals = resources.signals();
        long nanos = signals == null || signals.rates().wanted() > 0
                ? 0
                : signals.still().deliveries().longestNanos();
        return nanos == 0 ? Double.NaN : nanos;
    }

    public Standstills still() {
        return resources.signals() == null
                ? Standstills.NONE
                : resources.signals().still();
    }

    public double late() {
        return correctness.schedule().scheduled() == 0
                ? Double.NaN
                : correctness.schedule().lateShare();
    }

    /** Whether this percentile of the latency includes delays that loadgen caused rather than the contestant. */
    public boolean isOwnLateness(double percentile) {
        Signals signals = resources.signals();
        boolean behindContestant = signals != null && signals.isLateByRelay();
        return correctness.schedule().lateShare() * PERCENT > PERCENT - percentile && !behindContestant;
    }

    /** Returns how many cores the processes whose names begin with {@code name} used; NaN if any use is unknown. */
    public double cores(String name) {
        return cores(name, Resources.ProcessUse::cpuSeconds);
    }

    public double kernelCores(String name) {
        return cores(name, Resources.ProcessUse::kernelSeconds);
    }

    private double cores(String name, ToDoubleFunction<Resources.ProcessUse> used) {
        double seconds = resources.processes().stream()
                .filter(process -> process.name().startsWith(name))
                .mapToDouble(used)
                .reduce((a, b) -> a + b)
                .orElse(Double.NaN);
        return moment.measuredNanos() == 0 ? Double.NaN : seconds * 1e9 / moment.measuredNanos();
    }
}
