package dev.msgrelay.loadgen.lane;

/**
 * A rate over a link.
 *
 * @param bytesPerSecond of TCP payload: bodies and frame headers, as every MB/s of loadgen counts
 * @param lineFraction those bytes as a fraction of the line rate, from 0 to 1
 */
public record LinkRate(double messagesPerSecond, double bytesPerSecond, double lineFraction) {
    /** The part of each of {@code receivers} where all get the same over one link. */
    public LinkRate dividedBy(int receivers) {
        return new LinkRate(messagesPerSecond / receivers, bytesPerSecond / receivers, lineFraction / receivers);
    }
}
