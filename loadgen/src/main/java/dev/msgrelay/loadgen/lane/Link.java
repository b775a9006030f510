package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.message.SizeTable;

/**
 * Facts about a link: enough to compute what it could give.
 *
 * @param speed in each direction
 */
public record Link(LinkSpeed speed, SegmentFormat format) {
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

    /** The most that messages of these sizes can get out of one direction: back to back, every segment full. */
    public LinkRate batched(SizeTable sizes) {
        int segment = format.segmentBytes();
        return rate(segment, format.wireBytes(segment), segment / sizes.meanFrame());
    }

    /** Likewise, where every message is in a segment of its own, or in as many as it needs. */
    public LinkRate single(SizeTable sizes) {
        return rate(sizes.meanFrame(), sizes.mean(format::wireBytesOf), 1);
    }

    private LinkRate rate(double payload, double wire, double messages) {
        double timesPerSecond = speed.bytesPerSecond() / wire;
        return new LinkRate(timesPerSecond * messages, timesPerSecond * payload, payload / wire);
    }

    @Override
    public String toString() {
        return speed + ", " + format;
    }
}
