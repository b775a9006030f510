package dev.msgrelay.loadgen.result;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.evidence.BoundBy;
import dev.msgrelay.loadgen.evidence.Signals;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
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
import org.HdrHistogram.Histogram;

/**
 * One run of a cell, made once when it is over. Its components are those of the results' JSON.
 *
 * @param delays empty where messages are not checked
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

    /** A run that another program measured: its figure is taken as it is, without evidence. */
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
     * The time of a run.
     *
     * @param round from 1; the runs of a round, of all cells, follow each other
     * @param started ISO 8601, with the zone
     * @param warmupNanos before the measured part
     * @param measuredNanos 0 where the run is partial
     */
    public record Moment(int round, String started, long warmupNanos, long measuredNanos) {}

    /**
     * Messages and bytes that passed.
     *
     * @param in sent by the publishers; null where the contestant sends by itself
     * @param out got by all subscribers together
     * @param timeline the measured part in steps; may be empty
     */
    public record Throughput(Traffic in, Traffic out, List<Point> timeline) {
        /**
         * One step.
         *
         * @param seconds from the window's begin to the end of the step
         * @param in messages a second of all publishers; NaN where the contestant sends by itself
         * @param bytesIn bytes a second likewise
         * @param out messages a second that all subscribers got
         * @param bytesOut bytes a second likewise
         * @param lagBytes the largest lag of a subscriber by the relay's last report, or -1 without one
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
     * Times of messages on their way, in nanoseconds. The histograms are not changed any more.
     *
     * @param latency from the intended time of sending, all subscribers together; null when not recorded, and at full
     *     speed
     * @param oneMessageIn the latency of one message in this many was recorded
     * @param timeInQueue at full speed, from a message's write to its read; null when not recorded, and at a rate
     * @param acknowledged from the intended time of sending, at full speed from when the publisher had it, to the
     *     acknowledgement; null when nobody asks for that
     */
    public record Delays(Histogram latency, int oneMessageIn, Histogram timeInQueue, Histogram acknowledged) {
        public static final Delays NONE = new Delays(null, 1, null, null);

        /** A latency needs a time at which a message was to be sent; at full speed it is time in queue. */
        public static Delays of(Load load, Histogram recorded, Histogram acknowledged) {
            Histogram checked = load.isChecked() ? recorded : null;
            return new Delays(
                    load.isPaced() ? checked : null,
                    load.sampling(),
                    load.isPaced() ? null : checked,
                    load.clients().acks().isAsked() ? acknowledged : null);
        }

        /** A percentile in nanoseconds, 100 the longest; NaN where so few were recorded that none lies above it. */
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
     * Whether every message came, once, in order, and left in time.
     *
     * @param checked subscribers looked at every message; otherwise they only counted
     * @param slow results of the subscribers that read too slowly on purpose
     * @param schedule how well the publishers kept their times; nothing scheduled at full speed
     * @param sent messages of the whole run
     * @param acknowledged acknowledged messages of the whole run; 0 without acknowledgements
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
     * The processes of a run, and its bottleneck.
     *
     * @param processes the contestant first
     * @param relay the relay's report about itself, or null
     * @param boundBy the bottleneck; null without samples
     * @param signals the evidence of the bottleneck; null without samples
     */
    public record Resources(List<ProcessUse> processes, Relay relay, BoundBy boundBy, Signals signals) {
        static final Resources NONE = new Resources(List.of(), null, null, null);

        /**
         * One process.
         *
         * @param cpuSeconds within the window, in steps of 10 ms; NaN where the system does not tell
         * @param kernelSeconds the part of it within the kernel, likewise
         * @param peakResidentBytes peak since the start of the process, or -1 where the system does not tell
         * @param site the end of the lane that the process was at
         */
        public record ProcessUse(
                String name, double cpuSeconds, double kernelSeconds, long peakResidentBytes, String site) {}

        /**
         * The relay's report about itself.
         *
         * @param gcCount garbage collections from the last report before the window to the first one after it
         * @param largestLagBytes the largest lag of a subscriber, of all reports
         * @param closes connections that the relay ended, by reason
         */
        public record Relay(long gcCount, long gcMillis, long largestLagBytes, Map<String, Integer> closes) {}
    }

    /**
     * The remarks on a run. A run that the machine disturbed does not count; pauses of the contestant never exclude a
     * run.
     *
     * @param failures faults that make the run invalid, one line each
     * @param environment disturbances by the machine, which make the figures meaningless, one line each
     * @param observed events of the run, which are results
     * @param partial the run did not come to its end
     */
    public record Outcome(List<String> failures, List<String> environment, List<Observed> observed, boolean partial) {
        @JsonProperty
        public boolean passed() {
            return failures.isEmpty();
        }

        /** Whole and valid, whatever the machine did. */
        public boolean isValid() {
            return !partial && passed();
        }

        /** Whether its figures may stand for the cell: whole, valid, on a machine that did nothing else. */
        public boolean counts() {
            return isValid() && environment.isEmpty();
        }
    }

    /** An event beside the figures, which is reported and counted. A run with an event counts like any other. */
    public record Observed(Kind kind, String text) {
        public enum Kind {
            /** Nothing was delivered for 100 ms or longer. */
            STOOD_STILL("stood still"),
            /** The rate was not reached, or too many messages left late. */
            SCHEDULE_MISSED("missed the schedule"),
            /** The machine was disturbed, and the user accepts that. */
            DISTURBED("were disturbed");

            private final String verb;

            Kind(String verb) {
                this.verb = verb;
            }

            /** What a run did: "stood still". */
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

    /** This run as one that counts: its disturbances become events. */
    public RunRecord accepted() {
        List<Observed> observed = new ArrayList<>(outcome.observed);
        outcome.environment.forEach(line -> observed.add(new Observed(Observed.Kind.DISTURBED, line)));
        Outcome accepted = new Outcome(outcome.failures, List.of(), observed, outcome.partial);
        return new RunRecord(moment, throughput, delays, correctness, resources, accepted);
    }

    /** Segments that TCP sent again within the window; NaN without samples. */
    public double resent() {
        Signals signals = resources.signals();
        return signals == null ? Double.NaN : signals.sampled().resentSegments();
    }

    /** Messages a second that the publishers sent; NaN where the contestant sends by itself. */
    public double in() {
        return throughput.in() == null ? Double.NaN : throughput.in().messagesPerSecond();
    }

    /** Messages a second that the subscribers got, all together; NaN of a run that did not come to its end. */
    public double out() {
        return outcome.partial() ? Double.NaN : throughput.out().messagesPerSecond();
    }

    public double bytesOut() {
        return outcome.partial() ? Double.NaN : throughput.out().bytesPerSecond();
    }

    /** The longest time without a delivery to a subscriber, in nanoseconds. NaN at a rate, from which it follows. */
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

    /** The share of the messages of a schedule that left more than a millisecond late; NaN at full speed. */
    public double late() {
        return correctness.schedule().scheduled() == 0
                ? Double.NaN
                : correctness.schedule().lateShare();
    }

    /** CPU of the processes whose names begin with {@code name}, in cores; NaN where one is not known. */
    public double cores(String name) {
        return cores(name, Resources.ProcessUse::cpuSeconds);
    }

    /** The kernel's part of {@link #cores(String)}. */
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
