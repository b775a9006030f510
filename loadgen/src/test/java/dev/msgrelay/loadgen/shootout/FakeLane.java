package dev.msgrelay.loadgen.shootout;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import java.util.List;
import java.util.function.Consumer;

/**
 * A lane with a link as it is on paper; loopback has none.
 *
 * @param onClose gets the lane's name when it is closed
 */
record FakeLane(LaneSpec spec, Site near, Site far, Link link, Consumer<String> onClose) implements Lane {
    static Lane of(LaneSpec spec, Consumer<String> onClose) {
        Site near = new HostSite(spec.kind() + " near", List.of(), "127.0.0.1");
        Site far = new HostSite(spec.kind() + " far", List.of(), "127.0.0.1");
        boolean emulated = spec.isEmulated();
        Link link = emulated
                ? new Link(LinkSpeed.parse(spec.kind().title().replace("gbe", "g")), SegmentFormat.usual(spec.mtu()))
                : null;
        return new FakeLane(spec, near, emulated ? far : near, link, onClose);
    }

    @Override
    public void close() {
        onClose.accept(spec.kind().title());
    }
}
