package dev.msgrelay.loadgen.result;

import static dev.msgrelay.loadgen.render.Unit.format;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.OptBoolean;
import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.result.Cell.Ceilings;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.run.ProcessUse;
import dev.msgrelay.loadgen.run.Published.Visits;
import dev.msgrelay.loadgen.run.Punctuality;
import dev.msgrelay.loadgen.run.RelayFigures;
import dev.msgrelay.loadgen.run.SubscriberResult;
import dev.msgrelay.loadgen.run.Timeline;
import dev.msgrelay.loadgen.run.Traffic;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * One run of a cell. What the rig measured is in here as the rig has it.
 *
 * @param delays nothing recorded in a run whose messages were not checked
 */
public record RunRecord(
        Moment moment,
        Hops hops,
        Throughput throughput,
        Delays delays,
        Correctness correctness,
        Resources resources,
        Outcome outcome) {

    /**
     * When it was.
     *
     * @param round from 1; runs of the same round, of whatever cell, were taken right after each other
     * @param started ISO 8601, with the zone
     * @param warmupNanos before the measured part
     * @param measuredNanos what of the measured part there was: less than asked for where the run is partial
     */
    public record Moment(int round, String started, long warmupNanos, long measuredNanos) {
        /**
         * @throws java.time.format.DateTimeParseException {@code started} is no such time
         */
        public Moment {
            Instant.parse(started);
        }
    }

    /** The core-to-core hop right before and right after it, in nanoseconds; NaN when not measured. */
    public record Hops(double beforeNanos, double afterNanos) {
        /** Not measured. */
        public static final Hops NONE = new Hops(Double.NaN, Double.NaN);

        @JsonProperty
        public Regime regime() {
            return Regime.of(beforeNanos, afterNanos);
        }

        /** What is to be said of the cores where they were not the same, or not free: one line, or none. */
        public List<String> marks() {
            String took = format("from core to core took %,.0f ns before and %,.0f ns after", beforeNanos, afterNanos);
            return switch (regime()) {
                case CHANGED -> List.of("the cores were moved: " + took);
                case DISTURBED -> List.of("somebody else wanted the cores: " + took);
                default -> List.of();
            };
        }
    }

    /**
     * How much passed.
     *
     * @param in what the publishers sent; null where nobody counts it
     * @param out what all subscribers got together
     * @param ingressFraction of the ceiling, 0..1; NaN where none is known or the publishers are not across the link
     * @param egressFraction the same of what the subscribers got
     * @param timeline the measured part in steps; may be empty
     */
    public record Throughput(
            Traffic in, Traffic out, double ingressFraction, double egressFraction, List<Timeline.Point> timeline) {
        public Throughput {
            timeline = List.copyOf(timeline);
        }

        /**
         * Traffic against the ceiling of the lane. Over a link, a side counts that is across it, and both directions have the
         * link's full speed. Without a link both sides count, and the ceiling is what a contestant delivered: so much went
         * out, and an <em>n</em>th of it came in.
         *
         * @param in null where it is not known
         * @param subscribers who each got what came in
         * @param ceilings null where none is known
         */
        public static Throughput of(
                Traffic in,
                Traffic out,
                int subscribers,
                List<Timeline.Point> timeline,
                Places places,
                Ceilings ceilings) {
            boolean link = ceilings != null && ceilings.isLink();
            double ingress = fraction(ceilings, in, link && places.publishers() != Place.FAR);
            double egress = fraction(ceilings, out, link && places.subscribers() != Place.FAR);
            return new Throughput(in, out, link ? ingress : ingress * subscribers, egress, timeline);
        }

        private static double fraction(Ceilings ceilings, Traffic traffic, boolean besideTheLink) {
            return ceilings == null || traffic == null || besideTheLink ? Double.NaN : ceilings.fraction(traffic);
        }
    }

    /**
     * How long messages took, in nanoseconds. The histograms are not changed any more.
     *
     * @param latency from the intended time of sending, all subscribers together; null when not recorded, and at full
     *     speed
     * @param oneMessageIn one message in so many was recorded
     * @param skew from the first subscriber that got a message to the last one; null when not recorded
     * @param timeInQueue at full speed, from a message's write to its read; null when not recorded, and at a rate
     * @param acknowledged from the intended time of sending, at full speed from when the publisher had it, to the
     *     acknowledgement; null when nobody asks for that; older results do not tell
     */
    public record Delays(
            Histogram latency,
            int oneMessageIn,
            Arrivals.Skew skew,
            Histogram timeInQueue,

            @JacksonInject(value = "acknowledged", useInput = OptBoolean.TRUE, optional = OptBoolean.TRUE)
            Histogram acknowledged) {
        /** Nothing recorded. */
        public static final Delays NONE = new Delays(null, 1, null, null, null);

        /** Null when not recorded. */
        public Histogram of(Delay which) {
            return switch (which) {
                case LATENCY -> latency;
                case TIME_IN_QUEUE -> timeInQueue;
                case SKEW -> skew == null ? null : skew.nanos();
                case ACKNOWLEDGED -> acknowledged;
            };
        }

        /** Whether there is anything in it. */
        public boolean has(Delay which) {
            return of(which) != null && of(which).getTotalCount() > 0;
        }

        /** A percentile in nanoseconds; NaN where nothing was recorded. */
        public double at(Delay which, double percentile) {
            return has(which) ? of(which).getValueAtPercentile(percentile) : Double.NaN;
        }
    }

    /** What of a message's way is timed. */
    public enum Delay {
        LATENCY,
        TIME_IN_QUEUE,
        SKEW,
        ACKNOWLEDGED;

        /** As files name it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Whether every message came, once, in order, and left in time.
     *
     * @param checked subscribers looked at every message; otherwise they only counted
     * @param checkNanos what it costs one of them to check a message, measured after the run; NaN where they do not
     * @param slow what became of those that read too slowly on purpose
     * @param schedule how well the publishers kept their times; nothing scheduled at full speed
     * @param acknowledged messages of the whole run that publishers know the relay has; 0 where they do not ask
     * @param visits the connections that came and went beside the others
     */
    public record Correctness(
            boolean checked,
            double checkNanos,
            List<SubscriberResult> subscribers,
            List<SubscriberResult> slow,
            Punctuality schedule,
            long acknowledged,
            Visits visits) {
        public Correctness {
            subscribers = List.copyOf(subscribers);
            slow = List.copyOf(slow);
        }

        /** Of a run that was checked or not, at an unknown cost; without acknowledgements, and nobody came and went. */
        public Correctness(
                boolean checked,
                List<SubscriberResult> subscribers,
                List<SubscriberResult> slow,
                Punctuality schedule) {
            this(checked, Double.NaN, subscribers, slow, schedule, 0, Visits.NONE);
        }

        /** The sum of one count over all subscribers. */
        public long sum(ToLongFunction<SubscriberResult> count) {
            return subscribers.stream().mapToLong(count).sum();
        }
    }

    /**
     * What it took, and what it was bound by.
     *
     * @param processes the contestant first
     * @param relay what the relay says about itself; null where it does not
     * @param boundBy null when nothing was looked at
     * @param signals from which that follows; null when nothing was looked at
     */
    public record Resources(List<ProcessUse> processes, RelayFigures relay, BoundBy boundBy, Signals signals) {
        /** Nothing is known. */
        public static final Resources NONE = new Resources(List.of(), null, null, null);

        public Resources {
            processes = List.copyOf(processes);
        }

        /** CPU of all processes in the measured part, or NaN where one of them did not tell. */
        public double cpuSeconds() {
            return processes.stream().mapToDouble(ProcessUse::cpuSeconds).sum();
        }
    }

    /**
     * Whether it is to be believed.
     *
     * @param failures what makes it invalid, one line each
     * @param marks why its figures are not usable: "the cores were moved: ...", "schedule not kept: ..."
     * @param partial it did not get to its end
     */
    public record Outcome(List<String> failures, List<String> marks, boolean partial) {
        /** Valid, nothing to say. */
        public static final Outcome PASS = new Outcome(List.of(), List.of(), false);

        public Outcome {
            failures = List.copyOf(failures);
            marks = List.copyOf(marks);
        }

        @JsonProperty
        public boolean passed() {
            return failures.isEmpty();
        }

        /** Whether its figures may stand for the cell: whole, valid, on a machine that stayed the same. */
        public boolean counts() {
            return !partial && passed() && marks.isEmpty();
        }
    }

    /** Whole and valid, whatever the machine did. */
    boolean isValid() {
        return !outcome.partial() && outcome.passed();
    }

    /** Whether its figures may stand for the cell: whole, valid, on a machine that stayed the same. */
    public boolean counts() {
        return outcome.counts() && hops.regime().isSteady();
    }
}
