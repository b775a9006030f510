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
 * @param ceilings the most that the lane could give; null where that is not known
 * @param shares shares of the ceiling, of each whole run with a known ceiling
 */
public record Cell(String contestant, Load load, Ceilings ceilings, List<Share> shares, List<RunRecord> runs) {
    /** This relay with its usual options. */
    public static final String RELAY = "relay";

    public Cell(String contestant, Load load, List<RunRecord> runs) {
        this(contestant, load, null, List.of(), runs);
    }

    /**
     * The most that a lane could give to a cell in one direction, over all connections together.
     *
     * @param source {@link #LINK} or {@link #PLAIN_RELAY}
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
         * One direction of a link by arithmetic, with the sizes of the load's messages. The figures hold for all
         * publishers across the link together, and for all subscribers, as each direction has the full speed.
         */
        public static Ceilings of(Link link, SizeTable sizes) {
            return new Ceilings(LINK, Rate.of(link.batched(sizes)));
        }

        public boolean isLink() {
            return source.equals(LINK);
        }
    }

    /**
     * The part of the ceiling that one run reached, by direction; NaN where it is not known.
     *
     * @param in from the publishers
     * @param out to the subscribers, all of them together
     */
    public record Share(int round, double in, double out) {
        /**
         * The share of a run's traffic. Over a link a side counts that is across it. Without a link both sides count:
         * the ceiling is the output of the plain relay, of which an <em>n</em>th came in.
         *
         * @param ceilings ceilings of the run's round
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

    /** The median share of the runs that count: outwards, or inwards where only publishers are across the link. */
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
