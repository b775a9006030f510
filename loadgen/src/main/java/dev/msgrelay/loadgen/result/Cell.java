package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.Link.LinkRate;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import java.util.List;

/**
 * One contestant under one load on one lane, and its runs.
 *
 * @param contestant "relay", "plain relay", "A"; unique with the load within its lane
 * @param ceilings null where nothing says what the lane could give
 * @param shares of the ceilings, one a run that came to its end and that a ceiling is known for
 */
public record Cell(String contestant, Load load, Ceilings ceilings, List<Share> shares, List<RunRecord> runs) {
    /** This relay with its usual options. */
    public static final String RELAY = "relay";

    public Cell(String contestant, Load load, List<RunRecord> runs) {
        this(contestant, load, null, List.of(), runs);
    }

    /**
     * The most that a lane could give to one cell, in one direction, all connections that share it together.
     *
     * @param source where it is from: {@link #LINK}, or {@link #PLAIN_RELAY}
     * @param batched messages back to back
     */
    public record Ceilings(String source, Rate batched) {
        /** Computed from speed, MTU and headers. */
        public static final String LINK = "link arithmetic";
        /** A contestant that only copies bytes. */
        public static final String PLAIN_RELAY = "measured: plain relay";

        /** Bytes are those of bodies and frame headers. */
        public record Rate(double messagesPerSecond, double bytesPerSecond) {
            static Rate of(LinkRate rate) {
                return new Rate(rate.messagesPerSecond(), rate.bytesPerSecond());
            }

            public static Rate of(Traffic traffic) {
                return new Rate(traffic.messagesPerSecond(), traffic.bytesPerSecond());
            }
        }

        /**
         * One direction of a link by arithmetic, with the very sizes that are sent. Both have its full speed: the same
         * figures hold for all publishers across it together, and for all subscribers across it together.
         */
        public static Ceilings of(Link link, SizeTable sizes) {
            return new Ceilings(LINK, Rate.of(link.batched(sizes)));
        }

        public boolean isLink() {
            return source.equals(LINK);
        }
    }

    /**
     * The part of the ceiling that passed in one run, by direction; NaN where none is known.
     *
     * @param in from the publishers
     * @param out to the subscribers, all of them together
     */
    public record Share(int round, double in, double out) {
        /**
         * Traffic against a ceiling. Over a link, a side counts that is across it, and both directions have the link's full
         * speed. Without a link both sides count, and the ceiling is what a contestant delivered: so much went out, and an
         * <em>n</em>th of it came in.
         *
         * @param ceilings of the round
         */
        public static Share of(int round, Throughput passed, Ceilings ceilings, Places places, int subscribers) {
            double most = ceilings.batched().bytesPerSecond();
            double in = passed.in() == null ? Double.NaN : passed.in().bytesPerSecond() / most;
            double out = passed.out().bytesPerSecond() / most;
            return ceilings.isLink()
                    ? new Share(
                            round,
                            places.publishers() == Place.FAR ? in : Double.NaN,
                            places.subscribers() == Place.FAR ? out : Double.NaN)
                    : new Share(round, in * subscribers, out);
        }
    }

    /** The share of the runs that count: of the way out, or where only publishers are across the link, of the way in. */
    public double share() {
        List<Integer> rounds = Counted.of(this).runs().stream()
                .map(run -> run.moment().round())
                .toList();
        List<Share> counted =
                shares.stream().filter(share -> rounds.contains(share.round())).toList();
        Spread out = Spread.of(counted, Share::out);
        return out.isKnown() ? out.median() : Spread.of(counted, Share::in).median();
    }

    /** For people: "1 -> 8, body 100, full speed", with the contestant where it is not the relay. */
    public String title() {
        return contestant.equals(RELAY) ? load.toString() : contestant + ": " + load;
    }
}
