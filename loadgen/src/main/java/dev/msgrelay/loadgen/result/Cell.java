package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.run.RunResult.Throughput;
import dev.msgrelay.loadgen.run.Timeline;
import dev.msgrelay.loadgen.run.Traffic;
import java.util.ArrayList;
import java.util.List;

/**
 * One contestant under one load on one lane, and its runs.
 *
 * @param contestant what was under load: {@link #RELAY}, "plain relay", "A"; unique with the parameters within its lane
 * @param ceilings null where nothing says what the lane could give
 */
public record Cell(String contestant, Parameters parameters, Ceilings ceilings, List<RunRecord> runs) {
    /** This relay with its usual options. */
    public static final String RELAY = "relay";

    /**
     * The most that a lane could give to one cell, in one direction, all connections that share it together.
     *
     * @param source where it is from: {@link #LINK}, or what was measured
     * @param batched messages back to back
     * @param single every message in a segment of its own; null where that was not looked at
     */
    public record Ceilings(String source, Rate batched, Rate single) {
        /** Computed from speed, MTU and headers. */
        public static final String LINK = "link arithmetic";

        /** Publisher and subscriber without anything between them. */
        public static final String DIRECT = "measured: direct";

        /** A contestant that only copies bytes. */
        public static final String PLAIN_RELAY = "measured: plain relay";

        /**
         * @param bytesPerSecond of payload: bodies and frame headers
         */
        public record Rate(double messagesPerSecond, double bytesPerSecond) {
            /** Not known. */
            public static final Rate NONE = new Rate(Double.NaN, Double.NaN);
        }

        public boolean isLink() {
            return source.equals(LINK);
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
        public static Throughput against(
                Ceilings ceilings,
                Places places,
                Traffic in,
                Traffic out,
                int subscribers,
                List<Timeline.Point> timeline) {
            boolean link = ceilings != null && ceilings.isLink();
            double ingress = fraction(ceilings, in, link && places.publishers() != Place.FAR);
            double egress = fraction(ceilings, out, link && places.subscribers() != Place.FAR);
            return new Throughput(in, out, link ? ingress : ingress * subscribers, egress, timeline);
        }

        private static double fraction(Ceilings ceilings, Traffic traffic, boolean besideTheLink) {
            return ceilings == null || traffic == null || besideTheLink ? Double.NaN : ceilings.fraction(traffic);
        }

        /** The part of the batched ceiling that this traffic is, all its connections together. */
        double fraction(Traffic traffic) {
            return traffic.bytesPerSecond() / batched.bytesPerSecond();
        }
    }

    public Cell {
        runs = List.copyOf(runs);
    }

    /** This relay's cell. */
    public Cell(Parameters parameters, Ceilings ceilings, List<RunRecord> runs) {
        this(RELAY, parameters, ceilings, runs);
    }

    /** The most with messages back to back; not null. */
    public Ceilings.Rate batchedCeiling() {
        return ceilings == null ? Ceilings.Rate.NONE : ceilings.batched();
    }

    public Cell with(RunRecord run) {
        List<RunRecord> next = new ArrayList<>(runs);
        next.add(run);
        return new Cell(contestant, parameters, ceilings, next);
    }

    /** Whether a run of the one belongs to the other. */
    boolean isSame(Cell other) {
        return contestant.equals(other.contestant) && parameters.equals(other.parameters);
    }

    /** For people: "1 -> 8, body 100, full speed", with the contestant where it is not the relay. */
    public String title() {
        return contestant.equals(RELAY) ? parameters.toString() : contestant + ": " + parameters;
    }
}
