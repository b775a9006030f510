package dev.msgrelay.loadgen.lane;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Placement;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Tool;
import java.io.IOException;

/**
 * An open lane: two sites, and the link between them.
 *
 * @param far the site across the link; the same as {@code near} for loopback and Unix sockets
 * @param link the link; null for loopback and Unix sockets, which have no line rate, and where nothing is known about
 *     it
 * @param end removes the lane; it takes a moment at most, and none in an interrupted thread, which stays interrupted
 */
public record Lane(LaneSpec spec, Site near, Site far, Link link, Runnable end) implements AutoCloseable {
    /** An address of the range for measurements between networks (RFC 2544), which no other host has. */
    private static final String NEAR_ADDRESS = "198.18.0.1";

    private static final String FAR_ADDRESS = "198.18.0.2";
    private static final String PREFIX = "/30";

    /** The interface's name at both ends, each in its own namespace. */
    private static final String INTERFACE = "lane0";

    /**
     * Opens a lane of this host. An emulated lane is built on return.
     *
     * @throws IOException the lane cannot be opened, and leaves nothing behind; the message is the reason, one line for
     *     people, without the lane's name
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

    /** Builds two namespaces, joined by a veth pair, each end with a rate limit; both are unknown outside. */
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

    /** A lane between sites that exist already, which it does not close. */
    public static Lane between(LaneSpec spec, Site near, Site far, Link link) {
        return new Lane(spec, near, far, link, () -> {});
    }

    public String label() {
        return spec.label();
    }

    /** Whether its runs use Unix sockets instead of TCP. */
    public boolean unix() {
        return spec.kind() == LaneKind.UNIX;
    }

    /** The relay and publishers at the near end, subscribers at the far one. */
    public Placement placement() {
        return new Placement(near, near, far);
    }

    @Override
    public void close() {
        end.run();
    }
}
