package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.util.List;

/**
 * Whether this user can set up emulated links, each with a network namespace, a veth pair and a rate limit. The answer
 * depends on root, capabilities, user namespaces and several ways to forbid them. So links are tried in a namespace
 * that ends with its process.
 *
 * @param way "as root" or "in a user namespace"; empty if this user cannot
 */
public record LaneTools(String way, String reason) {
    private static final String AS_ROOT = "as root";
    private static final String IN_USER_NAMESPACE = "in a user namespace";
    private static final String TRIAL = "ip link add v0 type veth peer name v1"
            + " && tc qdisc add dev v0 root tbf rate 1gbit burst 256kb latency 10ms";

    public static LaneTools probe(Tool tool) throws InterruptedException {
        try {
            checkCommands(tool);
            if (tool.run(List.of("unshare", "--net", "sh", "-c", TRIAL)).succeeded()) {
                return new LaneTools(AS_ROOT, "");
            }
            Tool.Completed user = tool.run(List.of("unshare", "--user", "--map-root-user", "--net", "sh", "-c", TRIAL));
            return user.succeeded() ? new LaneTools(IN_USER_NAMESPACE, "") : new LaneTools("", user.firstLine());
        } catch (IOException e) {
            return new LaneTools("", e.getMessage());
        }
    }

    private static void checkCommands(Tool tool) throws IOException, InterruptedException {
        for (String name : List.of("ip", "tc", "unshare", "nsenter")) {
            try {
                tool.run(List.of(name, "-V"));
            } catch (IOException e) {
                throw new IOException("no command " + name + " here", e);
            }
        }
    }

    public boolean available() {
        return reason.isEmpty();
    }

    public boolean inUserNamespace() {
        return IN_USER_NAMESPACE.equals(way);
    }
}
