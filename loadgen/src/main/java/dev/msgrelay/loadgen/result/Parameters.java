package dev.msgrelay.loadgen.result;

import java.util.Locale;

/**
 * What was set for a cell. Cells of equal parameters, on the same lane, can be compared.
 *
 * @param batch messages that a publisher hands over at once; 0: as many as it has
 * @param rate messages a second of each publisher; 0: as fast as it goes
 * @param mtu of the lane's link in bytes; 0: it has none
 * @param burst messages that are due at the same moment; 1: evenly spaced
 */
public record Parameters(Body body, int publishers, int subscribers, int batch, long rate, int mtu, int burst) {
    /** Evenly spaced. */
    public Parameters(Body body, int publishers, int subscribers, int batch, long rate, int mtu) {
        this(body, publishers, subscribers, batch, rate, mtu, 1);
    }

    /**
     * The sizes of the bodies.
     *
     * @param text "100", "uniform:16-1000", or the name of a histogram file
     * @param meanBytes without the frame header
     */
    public record Body(String text, double meanBytes) {
        /** Every body of this size. */
        public static Body fixed(int bytes) {
            return new Body(Integer.toString(bytes), bytes);
        }
    }

    /** All but the MTU, which is the lane's: "1 -> 8, body 100, full speed". Loads of equal text are the same. */
    public String load() {
        return String.format(
                Locale.ROOT,
                "%d -> %d, body %s, %s%s%s",
                publishers,
                subscribers,
                body.text(),
                rate == 0 ? "full speed" : String.format(Locale.ROOT, "%,d msg/s", rate),
                batch == 0 ? "" : ", batch " + batch,
                burst == 1 ? "" : ", bursts of " + burst);
    }

    /** "1 -> 8, body 100, full speed, MTU 1500". */
    @Override
    public String toString() {
        return load() + (mtu == 0 ? "" : ", MTU " + mtu);
    }
}
