package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.link.Link;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Two namespaces of its own, joined by a veth pair whose two ends each keep the rate of what they send. Addresses and
 * names are seen inside only, so any number of lanes may exist at once.
 */
final class EmulatedLane implements Lane {
    /** Of the range for measurements between networks (RFC 2544); the real one cannot be meant, nor reached. */
    private static final String NEAR_ADDRESS = "198.18.0.1";

    private static final String FAR_ADDRESS = "198.18.0.2";
    private static final String PREFIX = "/30";

    /** Of both ends: each is alone in its namespace. */
    private static final String INTERFACE = "lane0";

    private final LaneSpec spec;
    private final Tool tool;
    private final Namespace nearSpace;
    private final Namespace farSpace;

    private EmulatedLane(LaneSpec spec, Tool tool, Namespace nearSpace, Namespace farSpace) {
        this.spec = spec;
        this.tool = tool;
        this.nearSpace = nearSpace;
        this.farSpace = farSpace;
    }

    /**
     * Builds it.
     *
     * @throws IOException a command failed: its words and what it said; nothing is left of the lane
     */
    static EmulatedLane build(LaneSpec spec, Tool tool, boolean userNamespace)
            throws IOException, InterruptedException {
        Namespace near = Namespace.create(userNamespace);
        Namespace far;
        try {
            far = near.sibling();
        } catch (IOException | InterruptedException | RuntimeException e) {
            near.close();
            throw e;
        }
        EmulatedLane lane = new EmulatedLane(spec, tool, near, far);
        try {
            lane.join();
            return lane;
        } catch (IOException | InterruptedException | RuntimeException e) {
            lane.close();
            throw e;
        }
    }

    private void join() throws IOException, InterruptedException {
        nearSpace.run(
                tool,
                List.of(
                        "ip",
                        "link",
                        "add",
                        INTERFACE,
                        "type",
                        "veth",
                        "peer",
                        "name",
                        INTERFACE,
                        "netns",
                        "" + farSpace.pid()));
        setUp(nearSpace, NEAR_ADDRESS);
        setUp(farSpace, FAR_ADDRESS);
    }

    private void setUp(Namespace namespace, String address) throws IOException, InterruptedException {
        namespace.run(tool, List.of("ip", "link", "set", "lo", "up"));
        namespace.run(tool, List.of("ip", "address", "add", address + PREFIX, "dev", INTERFACE));
        List<String> rate = new ArrayList<>(List.of("tc", "qdisc", "add", "dev", INTERFACE, "root"));
        rate.addAll(TokenBucket.of(spec.kind().speed()).words());
        namespace.run(tool, rate);
        namespace.run(tool, List.of("ip", "link", "set", INTERFACE, "mtu", "" + spec.mtu(), "up"));
    }

    @Override
    public LaneSpec spec() {
        return spec;
    }

    @Override
    public Site near() {
        return nearSpace.site("near end of " + label(), NEAR_ADDRESS);
    }

    @Override
    public Site far() {
        return farSpace.site("far end of " + label(), FAR_ADDRESS);
    }

    @Override
    public Link link() {
        return spec.emulatedLink();
    }

    /** The processes that hold its two namespaces. */
    List<Long> holders() {
        return List.of(nearSpace.pid(), farSpace.pid());
    }

    /** The interfaces go with the first namespace that does. */
    @Override
    public void close() {
        nearSpace.close();
        farSpace.close();
    }
}
