package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.site.Site;

/** A lane between sites that exist anyway: nothing is built, nothing removed. */
record PlainLane(LaneSpec spec, Site near, Site far, Link link) implements Lane {
    @Override
    public void close() {
        // The sites belong to whoever made them.
    }
}
