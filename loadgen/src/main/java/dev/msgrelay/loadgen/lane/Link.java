package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.message.SizeTable;

/**
 * A network link, with all properties from which its highest throughput is computed. Each direction has the full speed.
 */
public record Link(LinkSpeed speed, SegmentFormat format) {
    /**
     * A throughput of a link.
     *
     * @param bytesPerSecond bytes of bodies and frame headers (TCP payload), as in every MB/s of loadgen
     */
    public record LinkRate(double messagesPerSecond, double bytesPerSecond, double lineFraction) {
        /** Returns the rate of each receiver, if all receive the same messages over one link. */
        public LinkRate dividedBy(int receivers) {
            return new LinkRate(messagesPerSecond / receivers, bytesPerSecond / receivers, lineFraction / receivers);
        }
    }

    /** Returns the highest throughput of one direction, with messages sent without a gap in full segments. */
    public LinkRate batched(SizeTable sizes) {
        int segment = format.segmentBytes();
        return rate(segment, format.wireBytes(segment), segment / sizes.meanFrame());
    }

    /** Returns the highest throughput of one direction if every message is sent in segments of its own. */
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
