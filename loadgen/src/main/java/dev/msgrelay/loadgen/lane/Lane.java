package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Tool;
import java.io.IOException;

/**
 * An open lane: two sites and the link between them.
 *
 * @param link the link; null for loopback and Unix sockets, or if its speed is unknown
 * @param end removes the lane. This takes a moment, but no time in an interrupted thread, which stays interrupted.
 */
public record Lane(LaneSpec spec, Site near, Site far, Link link, Runnable end) implements AutoCloseable {
    /** The IP addresses of both ends, from the range for benchmarks (RFC 2544), which no other host uses. */
    private static final String NEAR_ADDRESS = "198.18.0.1";

    private static final String FAR_ADDRESS = "198.18.0.2";
    private static final String PREFIX = "/30";

    /** Name of the network interface at both ends, each in its own namespace. */
    private static final String INTERFACE = "lane0";

    /**
     * Opens a lane of this host. An emulated lane is ready on return.
     *
     * @throws IOException if the lane cannot be opened; the message is the reason in one line, without the name of the
     *     lane. No process is left behind.
     */
    public static Lane open(LaneSpec spec, Tool tool) throws IOException, InterruptedException {
        if (!spec.isEmulated()) {
            return between(spec, Site.HERE, Site.HERE, null);
        }
        LaneTools tools = LaneTools.probe(tool);
        if (!tools.available()) {
            throw new IOException(tools.reason());
        }
        return build(spec, tool, tools.inUserNamespace());
    }

    /** Creates two unnamed network namespaces that a veth pair connects, with a rate limit at each end. */
    private static Lane build(LaneSpec spec, Tool tool, boolean userNamespace)
            throws IOException, InterruptedException {
        Namespace near = Namespace.create(userNamespace);
        try {
            Namespace far = near.sibling();
            try {
                near.run(
                        tool, "ip link add " + INTERFACE + " type veth peer name " + INTERFACE + " netns " + far.pid());
                setUp(spec, tool, near, NEAR_ADDRESS);
                setUp(spec, tool, far, FAR_ADDRESS);
                return new Lane(
                        spec,
                        near.site("near end of " + spec.label(), NEAR_ADDRESS),
                        far.site("far end of " + spec.label(), FAR_ADDRESS),
                        spec.emulatedLink(),
                        () -> {
                            near.close();
                            far.close();
                        });
            } catch (IOException | InterruptedException | RuntimeException e) {
                far.close();
                throw e;
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            near.close();
            throw e;
        }
    }

    private static void setUp(LaneSpec spec, Tool tool, Namespace namespace, String address)
            throws IOException, InterruptedException {
        namespace.run(tool, "ip link set lo up");
        namespace.run(tool, "ip address add " + address + PREFIX + " dev " + INTERFACE);
        TokenBucket rate = TokenBucket.of(spec.kind().speed());
        namespace.run(tool, "tc qdisc add dev " + INTERFACE + " root " + rate.words());
        namespace.run(tool, "ip link set " + INTERFACE + " mtu " + spec.mtu() + " up");
    }

    public static Lane between(LaneSpec spec, Site near, Site far, Link link) {
        return new Lane(spec, near, far, link, () -> {});
    }

    public String label() {
        return spec.label();
    }

    public boolean unix() {
        return spec.kind() == LaneKind.UNIX;
    }

    /** Returns the placement with relay and publishers at the near end, and subscribers at the far end. */
    public Placement placement() {
        return new Placement(near, near, far);
    }

    @Override
    public void close() {
        end.run();
    }
}
