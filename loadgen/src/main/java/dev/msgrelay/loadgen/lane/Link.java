package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.message.SizeTable;

/** A link, with all facts that its ceiling follows from; the speed is that of each direction. */
public record Link(LinkSpeed speed, SegmentFormat format) {
    /**
     * A rate over a link.
     *
     * @param bytesPerSecond TCP payload: bodies and frame headers, as in every MB/s of loadgen
     * @param lineFraction those bytes as a fraction of the line rate, from 0 to 1
     */
    public record LinkRate(double messagesPerSecond, double bytesPerSecond, double lineFraction) {
        /** The rate of each of {@code receivers} that get the same over one link. */
        public LinkRate dividedBy(int receivers) {
            return new LinkRate(messagesPerSecond / receivers, bytesPerSecond / receivers, lineFraction / receivers);
        }
    }

    /** The ceiling of one direction for messages of these sizes, back to back, with every segment full. */
    public LinkRate batched(SizeTable sizes) {
        int segment = format.segmentBytes();
        return rate(segment, format.wireBytes(segment), segment / sizes.meanFrame());
    }

    /** The ceiling where every message has segments of its own. */
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
