package dev.msgrelay.loadgen.experiment;

import dev.msgrelay.loadgen.lane.Lane;
import dev.msgrelay.loadgen.lane.LaneSpec;
import dev.msgrelay.loadgen.lane.Link;
import dev.msgrelay.loadgen.lane.LinkSpeed;
import dev.msgrelay.loadgen.lane.SegmentFormat;
import dev.msgrelay.loadgen.host.HostSite;
import dev.msgrelay.loadgen.host.Site;
import java.util.List;
import java.util.function.Consumer;

/** Lanes with links as they are on paper; loopback has none. */
final class FakeLane {
    private FakeLane() {}

    /**
     * @param onClose gets the lane's name when it is closed
     */
    static Lane of(LaneSpec spec, Consumer<String> onClose) {
        Site near = new HostSite(spec.kind() + " near", List.of(), "127.0.0.1");
        Site far = new HostSite(spec.kind() + " far", List.of(), "127.0.0.1");
        boolean emulated = spec.isEmulated();
        Link link = emulated
                ? new Link(LinkSpeed.parse(spec.kind().title().replace("gbe", "g")), SegmentFormat.usual(spec.mtu()))
                : null;
        String name = spec.kind().title();
        return new Lane(spec, near, emulated ? far : near, link, () -> onClose.accept(name));
    }
}
