package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.Link.LinkRate;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Traffic;
import dev.msgrelay.loadgen.result.Counted.Spread;
import dev.msgrelay.loadgen.result.LaneResult.Place;
import dev.msgrelay.loadgen.result.LaneResult.Places;
import dev.msgrelay.loadgen.result.RunRecord.Resources.Senders;
import dev.msgrelay.loadgen.result.RunRecord.Throughput;
import java.util.List;
import java.util.Optional;

/**
 * The runs of one contestant with one load on one lane.
 *
 * @param contestant "relay", "plain relay" or "A"; a lane has one cell for each contestant and load
 * @param ceilings the highest throughput that is possible; null if it is unknown
 */
public record Cell(String contestant, Load load, Ceilings ceilings, List<Share> shares, List<RunRecord> runs) {
    public static final String RELAY = "relay";

    public static final String PLAIN = "plain relay";

    public Cell(String contestant, Load load, List<RunRecord> runs) {
        this(contestant, load, null, List.of(), runs);
    }

    /**
     * The highest throughput that is possible in one direction, over all connections together.
     *
     * @param senders congestion control in the run of the plain relay; null if the ceiling is computed from a link
     */
    public record Ceilings(String source, Rate batched, Senders senders) {
        public static final String LINK = "link arithmetic";
        public static final String PLAIN_RELAY = "measured: plain relay";

        /** A throughput. The bytes are those of bodies and frame headers. */
        public record Rate(double messagesPerSecond, double bytesPerSecond) {
            static Rate of(LinkRate rate) {
                return new Rate(rate.messagesPerSecond(), rate.bytesPerSecond());
            }

            public static Rate of(Traffic traffic) {
                return new Rate(traffic.messagesPerSecond(), traffic.bytesPerSecond());
            }
        }

        /**
         * Computes the ceiling of one direction of a link, for the sizes of a load's messages. It limits all publishers
         * across the link together, and equally all subscribers, since each direction has the full speed.
         */
        public static Ceilings of(Link link, SizeTable sizes) {
            return new Ceilings(LINK, Rate.of(link.batched(sizes)), null);
        }

        public static Ceilings measured(RunRecord plain) {
            return new Ceilings(
                    PLAIN_RELAY,
                    Rate.of(plain.throughput().out()),
                    plain.resources().senders());
        }

        /** Returns why a run has no share of this ceiling, namely unlike congestion control; otherwise empty. */
        public Optional<String> unlike(RunRecord run) {
            Senders own = run.resources().senders();
            return senders == null || own == null || own.isLike(senders)
                    ? Optional.empty()
                    : Optional.of("no share of unlike congestion control: " + own.text("relay") + "; beside the plain"
                            + " relay " + senders.text(PLAIN));
        }

        public boolean isLink() {
            return source.equals(LINK);
        }
    }

    /** The share of the ceiling that one run reached in each direction; NaN if it is unknown. */
    public record Share(int round, double in, double out) {
        /**
         * Computes the shares of one run. With a link, only the direction that crosses the link has a share. Without a
         * link, the output to <em>n</em> subscribers is compared with the output of the plain relay, and the input with
         * an <em>n</em>th of that.
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

    public boolean isPlainRelay() {
        return contestant.equals(PLAIN);
    }

    /** Returns the first reason why a run has no share of a known ceiling; empty without such a reason. */
    public Optional<String> unlike() {
        return ceilings == null
                ? Optional.empty()
                : runs.stream().flatMap(run -> ceilings.unlike(run).stream()).findFirst();
    }

    /**
     * Returns the median share of the runs that count. It is the share of the direction to the subscribers; or from the
     * publishers, if only the publishers are across the link.
     */
    public double share() {
        List<Integer> rounds = Counted.of(this).runs().stream()
                .map(run -> run.moment().round())
                .toList();
        List<Share> counted =
                shares.stream().filter(share -> rounds.contains(share.round())).toList();
        Spread out = Spread.of(counted, Share::out);
        return out.isKnown() ? out.median() : Spread.of(counted, Share::in).median();
    }

    public String title() {
        return contestant.equals(RELAY) ? load.toString() : contestant + ": " + load;
    }
}
