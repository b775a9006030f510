package dev.msgrelay.loadgen.link;

import dev.msgrelay.protocol.FrameLayout;

/**
 * The most that messages of one size can get out of one direction of a link.
 *
 * @param body bytes of every message's body, without the frame header
 */
public record LinkCeiling(LinkSpeed speed, SegmentFormat format, int body) {
    /**
     * @throws IllegalArgumentException naming the body's length and its limits
     */
    public LinkCeiling {
        if (body < 0 || body > FrameLayout.MAX_MAX_BODY) {
            throw new IllegalArgumentException("body " + body + " is not within 0.." + FrameLayout.MAX_MAX_BODY);
        }
    }

    /** Messages back to back, every segment full. */
    public LinkRate batched() {
        int segment = format.segmentBytes();
        return rate(segment, format.wireBytes(segment), (double) segment / frameBytes());
    }

    /** Every message in a segment of its own, or in as many as it needs. */
    public LinkRate single() {
        return rate(frameBytes(), format.wireBytesOf(frameBytes()), 1);
    }

    /** Bytes of one message with its header. */
    public int frameBytes() {
        return FrameLayout.frameLength(body);
    }

    private LinkRate rate(long payload, long wire, double messages) {
        double timesPerSecond = speed.bytesPerSecond() / wire;
        return new LinkRate(timesPerSecond * messages, timesPerSecond * payload, (double) payload / wire);
    }
}
