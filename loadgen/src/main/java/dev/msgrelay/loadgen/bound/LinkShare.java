package dev.msgrelay.loadgen.bound;

/**
 * How much of what the link could give a run has used, 0..1; NaN where there is no link, or its speed is not known.
 *
 * @param in from the publishers to the relay
 * @param out from the relay to the subscribers, all of them behind that link together
 */
public record LinkShare(double in, double out) {
    public static final LinkShare UNKNOWN = new LinkShare(Double.NaN, Double.NaN);

    private static final double ALL = 0.95;

    boolean isFullIn() {
        return in >= ALL;
    }

    boolean isFullOut() {
        return out >= ALL;
    }
}
