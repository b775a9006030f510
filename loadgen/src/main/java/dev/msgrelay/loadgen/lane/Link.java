package dev.msgrelay.loadgen.lane;

import dev.msgrelay.protocol.FrameLayout;

/**
 * Facts about a link: enough to compute what it could give.
 *
 * @param speed in each direction; null where neither the system nor the user tells it
 */
public record Link(LinkSpeed speed, SegmentFormat format) {
    /**
     * The most that messages with bodies of this many bytes can get out of one direction: back to back, every segment full.
     *
     * @throws IllegalArgumentException naming the body's length and its limits
     */
    public LinkRate batched(int body) {
        int segment = format.segmentBytes();
        return rate(segment, format.wireBytes(segment), (double) segment / frameBytes(body));
    }

    /** Likewise, where every message is in a segment of its own, or in as many as it needs. */
    public LinkRate single(int body) {
        int frame = frameBytes(body);
        return rate(frame, format.wireBytesOf(frame), 1);
    }

    private static int frameBytes(int body) {
        if (body < 0 || body > FrameLayout.MAX_MAX_BODY) {
            throw new IllegalArgumentException("body " + body + " is not within 0.." + FrameLayout.MAX_MAX_BODY);
        }
        return FrameLayout.frameLength(body);
    }

    private LinkRate rate(long payload, long wire, double messages) {
        double timesPerSecond = speed.bytesPerSecond() / wire;
        return new LinkRate(timesPerSecond * messages, timesPerSecond * payload, (double) payload / wire);
    }

    /** TCP payload a second in one direction, in full segments back to back. */
    public double payloadBytesPerSecond() {
        int segment = format.segmentBytes();
        return speed.bytesPerSecond() * segment / format.wireBytes(segment);
    }

    @Override
    public String toString() {
        return (speed == null ? "unknown speed" : speed) + ", " + format;
    }
}
