package dev.msgrelay.loadgen.bound;

/**
 * How much of what the link could give a run has used, 0..1; NaN where there is no link, or its speed is not known.
 *
 * @param in from the publishers to the relay
 * @param out from the relay to the subscribers, all of them behind that link together
 * @param throughIn whether there may be a link at all between publishers and relay: not on loopback and over Unix sockets
 * @param throughOut whether there may be one between relay and subscribers
 */
public record LinkShare(double in, double out, boolean throughIn, boolean throughOut) {
    public static final LinkShare UNKNOWN = new LinkShare(Double.NaN, Double.NaN, true, true);

    private static final double ALL = 0.95;

    /** The same way, of which it is known what part was used. */
    public LinkShare of(double newIn, double newOut) {
        return new LinkShare(newIn, newOut, throughIn, throughOut);
    }

    boolean isFullIn() {
        return in >= ALL;
    }

    boolean isFullOut() {
        return out >= ALL;
    }
}
