package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.link.LinkCeiling;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;

/** What is known about the link of a lane: enough to compute what it could give. */
public record LaneLink(LinkSpeed speed, SegmentFormat format) {
    /** The most that messages with bodies of {@code body} bytes can get out of one direction. */
    public LinkCeiling ceiling(int body) {
        return new LinkCeiling(speed, format, body);
    }
}
