package dev.msgrelay.loadgen.result;

import static dev.msgrelay.loadgen.render.Unit.format;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Load;

/**
 * What was set for a cell. Cells of equal parameters, on the same lane, can be compared.
 *
 * @param batch messages that a publisher hands over at once; 0: as many as it has
 * @param rate messages a second of each publisher; 0: as fast as it goes
 * @param mtu of the lane's link in bytes; 0: it has none
 * @param burst messages that are due at the same moment; 1: evenly spaced
 * @param types of the messages, in turn
 * @param clients what publishers and subscribers are
 */
public record Parameters(
        Body body,
        int publishers,
        int subscribers,
        @JsonProperty("batchMessages") int batch,
        @JsonProperty("messagesPerSecondEach") long rate,
        @JsonProperty("mtuBytes") int mtu,
        @JsonProperty("burstMessages") int burst,
        int types,
        Clients clients) {
    /** Of a load on a lane that is no link. */
    public static Parameters of(Load load) {
        return new Parameters(
                Body.of(load.body(), load.seed()),
                load.publishers(),
                load.subscribers(),
                load.writes().messages(),
                load.rate(),
                0,
                load.pace().burst(),
                load.content().types(),
                load.clients());
    }

    /**
     * The sizes of the bodies.
     *
     * @param text "100", "uniform:16-1000", or "sizes:16x3,1000x1" of a histogram, each size with how often it comes; two
     *     of equal text are the same
     * @param meanBytes without the frame header
     */
    public record Body(String text, double meanBytes) {
        /** A histogram of up to so many sizes is told whole. */
        private static final int SIZES_TOLD = 3;

        private static final String SIZES = "sizes:";

        /** For titles: "100", "uniform:16-1000", "sizes:16x3,1000x1", "200 sizes 16..1500, mean 633.2". */
        public String title() {
            String[] pairs =
                    text.startsWith(SIZES) ? text.substring(SIZES.length()).split(",") : new String[0];
            return pairs.length <= SIZES_TOLD
                    ? text
                    : format(
                            "%,d sizes %s..%s, mean %.1f",
                            pairs.length, size(pairs[0]), size(pairs[pairs.length - 1]), meanBytes);
        }

        private static String size(String pair) {
            return pair.replaceFirst("x.*", "");
        }

        /**
         * @param seed of the order in which different sizes come; the usual one is not told
         */
        public static Body of(BodySizes sizes, int seed) {
            boolean usual = sizes.isFixed() || seed == Load.Content.DEFAULT_SEED;
            return new Body(sizes + (usual ? "" : " seed " + seed), sizes.mean());
        }
    }

    /** Whether all but the MTU, which is the lane's, is the same. */
    public boolean isSameLoad(Parameters other) {
        return withMtu(0).equals(other.withMtu(0));
    }

    public Parameters withMtu(int newMtu) {
        return new Parameters(body, publishers, subscribers, batch, rate, newMtu, burst, types, clients);
    }

    /** All but the MTU, for people: "1 -> 8, body 100, full speed". */
    public String load() {
        return format(
                "%d -> %d, body %s, %s%s%s%s%s",
                publishers,
                subscribers,
                body.title(),
                rate == 0 ? "full speed" : format("%,d msg/s", rate),
                batch == 0 ? "" : ", batch " + batch,
                burst == 1 ? "" : ", bursts of " + burst,
                types == 1 ? "" : ", " + types + " types",
                clients.text());
    }

    /** "1 -> 8, body 100, full speed, MTU 1500". */
    @Override
    public String toString() {
        return load() + (mtu == 0 ? "" : ", MTU " + mtu);
    }
}
