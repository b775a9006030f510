package dev.msgrelay.loadgen.run;

import com.fasterxml.jackson.annotation.JacksonInject;
import com.fasterxml.jackson.annotation.OptBoolean;
import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.Classifier;
import dev.msgrelay.loadgen.bound.Sampled;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.Signals.LinkShare;
import dev.msgrelay.loadgen.bound.Signals.Rates;
import dev.msgrelay.loadgen.bound.Signals.Standstills;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * What a run gave. Its parts are at once those of a result's file.
 *
 * @param contestant which contestant it was, for people
 * @param sent messages of the whole run; 0 where the contestant sends by itself and does not count
 * @param marks what else a reader has to know of it; mostly empty
 */
public record RunResult(
        String contestant,
        Load load,
        Timing timing,
        long sent,
        Throughput throughput,
        Delays delays,
        Correctness correctness,
        Resources resources,
        List<String> marks) {
    private static final int PERCENT = 100;
    private static final double ROUNDING = 1e-6;

    /**
     * How much passed.
     *
     * @param in what the publishers sent; in results null where nobody counts it
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
    }

    /**
     * How long messages took, in nanoseconds. The histograms are not changed any more.
     *
     * @param latency from the intended time of sending, all subscribers together; null when not recorded, and at full
     *     speed
     * @param oneMessageIn one message in so many was recorded
     * @param timeInQueue at full speed, from a message's write to its read; null when not recorded, and at a rate
     * @param acknowledged from the intended time of sending, at full speed from when the publisher had it, to the
     *     acknowledgement; null when nobody asks for that; older results do not tell
     */
    public record Delays(
            Histogram latency,
            int oneMessageIn,
            Histogram timeInQueue,

            @JacksonInject(value = "acknowledged", useInput = OptBoolean.TRUE, optional = OptBoolean.TRUE)
            Histogram acknowledged) {
        /** Nothing recorded. */
        public static final Delays NONE = new Delays(null, 1, null, null);

        /** A latency needs a time at which a message was to be sent; at full speed it is time in queue. */
        public static Delays of(Load load, Histogram recorded, Histogram acknowledged) {
            Histogram checked = load.isChecked() ? recorded : null;
            return new Delays(
                    load.rate() > 0 ? checked : null,
                    load.sampling(),
                    load.rate() > 0 ? null : checked,
                    load.clients().acks().isAsked() ? acknowledged : null);
        }

        /** Null when not recorded. */
        public Histogram of(Delay which) {
            return switch (which) {
                case LATENCY -> latency;
                case TIME_IN_QUEUE -> timeInQueue;
                case ACKNOWLEDGED -> acknowledged;
            };
        }

        /** Whether there is anything in it. */
        public boolean has(Delay which) {
            return of(which) != null && of(which).getTotalCount() > 0;
        }

        /** A percentile in nanoseconds, 100 the longest; NaN where so few were recorded that none lies above it. */
        public double at(Delay which, double percentile) {
            boolean known = has(which)
                    && (percentile == PERCENT
                            || of(which).getTotalCount() * (PERCENT - percentile) > PERCENT - ROUNDING);
            return known ? of(which).getValueAtPercentile(percentile) : Double.NaN;
        }
    }

    /** What of a message's way is timed. */
    public enum Delay {
        LATENCY,
        TIME_IN_QUEUE,
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
     */
    public record Correctness(
            boolean checked,
            double checkNanos,
            List<SubscriberResult> subscribers,
            List<SubscriberResult> slow,
            Punctuality schedule,
            long acknowledged) {
        public Correctness {
            subscribers = List.copyOf(subscribers);
            slow = List.copyOf(slow);
        }

        /** Of a run that was checked or not, at an unknown cost; without acknowledgements. */
        public Correctness(
                boolean checked,
                List<SubscriberResult> subscribers,
                List<SubscriberResult> slow,
                Punctuality schedule) {
            this(checked, Double.NaN, subscribers, slow, schedule, 0);
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

        /** Judged by these signals. */
        public static Resources of(List<ProcessUse> processes, RelayFigures relay, Signals signals) {
            return new Resources(processes, relay, Classifier.classify(signals), signals);
        }

        /** Judged with what the link could have given, which the run itself does not know. */
        public Resources withLink(Throughput throughput) {
            return of(processes, relay, signals.withLink(throughput.ingressFraction(), throughput.egressFraction()));
        }

        /** CPU of all processes in the measured part, or NaN where one of them did not tell. */
        public double cpuSeconds() {
            return processes.stream().mapToDouble(ProcessUse::cpuSeconds).sum();
        }
    }

    /** Of somebody who measures himself: what he says is believed, and nothing of it was looked at. */
    public static RunResult told(
            String contestant, Load load, Timing timing, Traffic said, List<ProcessUse> processes, List<String> marks) {
        double rate = said.messagesPerSecond();
        Signals signals = new Signals(
                new Rates(0, rate, rate, 0, said.nanos() / 1e9),
                Sampled.NOTHING,
                null,
                LinkShare.UNKNOWN,
                Standstills.NONE);
        return new RunResult(
                contestant,
                load,
                timing,
                said.messages(),
                new Throughput(said, said, Double.NaN, Double.NaN, List.of()),
                Delays.NONE,
                new Correctness(false, List.of(), List.of(), Punctuality.NONE),
                Resources.of(processes, null, signals),
                marks);
    }

    /** Deliveries a second, of all subscribers together: the figure that everything is compared by. */
    public double deliveriesPerSecond() {
        return throughput.out().messagesPerSecond();
    }

    /** Messages a second of each publisher that are so many percent of what every subscriber got; 0: less than one. */
    public int rateAt(int percent) {
        double each = deliveriesPerSecond() / Math.max(1, load.subscribers()) / load.publishers();
        return (int) Math.min(Load.MAX_RATE, each * percent / PERCENT);
    }

    /** The same with what the relay says when it has ended. */
    RunResult withRelay(RelayFigures figures) {
        Resources more = Resources.of(resources.processes(), figures, resources.signals());
        return new RunResult(contestant, load, timing, sent, throughput, delays, correctness, more, marks);
    }
}
