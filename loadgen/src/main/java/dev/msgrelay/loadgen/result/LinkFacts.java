package dev.msgrelay.loadgen.result;

import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;

/**
 * The link that a lane leads over.
 *
 * @param speed in each direction; null where neither the system nor the user tells it
 */
public record LinkFacts(LinkSpeed speed, SegmentFormat format) {
    /** "10 Gbit/s, MTU 1500, IPv4, TCP time stamps". */
    @Override
    public String toString() {
        return (speed == null ? "unknown speed" : speed) + ", " + format;
    }
}
