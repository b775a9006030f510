package dev.msgrelay.trials;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.lane.Namespace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What lies between the nodes of a cluster, and between them and their clients. Each node is in a network namespace of
 * its own, so that what goes from one to another can be cut, in one direction too; clients reach all nodes all the
 * time.
 *
 * <pre>
 *   node 1 --veth--.
 *   node 2 --veth--+-- bridge, where the clients are
 *   node 3 --veth--'
 * </pre>
 *
 * What is cut leaves the sender as ever, for a hardware address that nobody has: as with a real cable, no error tells
 * anybody. The namespaces go with the last process in them. Where there can be none, nodes have addresses on loopback.
 * One thread owns it.
 */
final class NodeNetwork implements AutoCloseable {
    /** Of the range for measurements between networks (RFC 2544). */
    private static final String PREFIX = "198.18.0.";

    private static final int CLIENTS = 254;
    private static final String BRIDGE = "bridge0";
    private static final String INTERFACE = "node0";
    private static final String SOMEBODY = "02:00:00:00:00:";
    private static final String NOBODY = "02:00:00:00:ff:";

    private final Tool tool = new Subprocess();
    private final String prefix;
    private final int nodes;
    // Null: on loopback.
    private Namespace hub;
    private final List<Namespace> spaces = new ArrayList<>();

    private NodeNetwork(String prefix, int nodes) {
        this.prefix = prefix;
        this.nodes = nodes;
    }

    /** Why no link can be cut here; null where it can. */
    static String obstacle() throws InterruptedException {
        String reason = LaneTools.probe(new Subprocess()).reason();
        return reason == null ? null : "to cut links needs network namespaces: " + reason;
    }

    /** On loopback: addresses that only they have. */
    static NodeNetwork onLoopback(int nodes) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new NodeNetwork("127." + random.nextInt(1, 255) + "." + random.nextInt(255) + ".", nodes);
    }

    /**
     * In namespaces.
     *
     * @throws IOException a command failed: its words and what it said; nothing is left
     */
    static NodeNetwork inNamespaces(int nodes) throws IOException, InterruptedException {
        NodeNetwork network = new NodeNetwork(PREFIX, nodes);
        try {
            network.build(LaneTools.probe(network.tool).inUserNamespace());
            return network;
        } catch (IOException | InterruptedException | RuntimeException e) {
            network.close();
            throw e;
        }
    }

    private void build(boolean userNamespace) throws IOException, InterruptedException {
        hub = Namespace.create(userNamespace);
        hub.run(tool, "ip link set lo up");
        hub.run(tool, "ip link add " + BRIDGE + " type bridge");
        hub.run(tool, "ip address add " + address(CLIENTS) + "/24 dev " + BRIDGE);
        hub.run(tool, "ip link set " + BRIDGE + " up");
        for (int node = 1; node <= nodes; node++) {
            Namespace space = hub.sibling();
            spaces.add(space);
            String port = "to-node" + node;
            hub.run(tool, "ip link add " + port + " type veth peer name " + INTERFACE + " netns " + space.pid());
            hub.run(tool, "ip link set " + port + " master " + BRIDGE + " up");
            space.run(tool, "ip link set lo up");
            space.run(tool, "ip link set " + INTERFACE + " address " + SOMEBODY + hex(node));
            space.run(tool, "ip address add " + address(node) + "/24 dev " + INTERFACE);
            space.run(tool, "ip link set " + INTERFACE + " up");
        }
        heal();
    }

    private static String hex(int node) {
        return String.format(Locale.ROOT, "%02x", node);
    }

    /** Of a node. */
    String address(int node) {
        return prefix + node;
    }

    Site site(int node) {
        String name = "node " + node;
        return hub == null
                ? new Site(name, List.of(), address(node))
                : spaces.get(node - 1).site(name, address(node));
    }

    /** Where clients are. */
    Site clients() {
        return hub == null ? new Site("clients", List.of(), "127.0.0.1") : hub.site("clients", address(CLIENTS));
    }

    /** Nothing gets from one node to the other any more; the way back is another one. */
    void cut(int from, int to) throws IOException, InterruptedException {
        neighbour(from, to, NOBODY);
    }

    /** All links are whole. */
    void heal() throws IOException, InterruptedException {
        for (int from = 1; from <= spaces.size(); from++) {
            for (int to = 1; to <= spaces.size(); to++) {
                if (from != to) {
                    neighbour(from, to, SOMEBODY);
                }
            }
        }
    }

    private void neighbour(int from, int to, String who) throws IOException, InterruptedException {
        spaces.get(from - 1)
                .run(
                        tool,
                        "ip neighbour replace " + address(to) + " lladdr " + who + hex(to) + " dev " + INTERFACE
                                + " nud permanent");
    }

    @Override
    public void close() {
        spaces.forEach(Namespace::close);
        if (hub != null) {
            hub.close();
        }
    }
}
