package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.util.List;

/**
 * Whether this user can build emulated links: a network namespace with a veth pair and a rate limit. Found out by
 * trying, in a namespace that ends with the process that tries; what the system allows depends on too much (root,
 * capabilities, user namespaces and the several ways of forbidding them) to be read anywhere.
 *
 * @param way how: "as root" or "in a user namespace"; null when it is not possible
 * @param reason why not; null when it is possible
 */
public record LaneTools(String way, String reason) {
    private static final String AS_ROOT = "as root";
    private static final String IN_USER_NAMESPACE = "in a user namespace";
    private static final String TRIAL = "ip link add v0 type veth peer name v1"
            + " && tc qdisc add dev v0 root tbf rate 1gbit burst 256kb latency 10ms";

    /** Tries as the user that we are, then as root of a user namespace. */
    public static LaneTools probe(Tool tool) throws InterruptedException {
        String missing = missing(tool);
        if (missing != null) {
            return new LaneTools(null, missing);
        }
        String reason;
        try {
            if (tool.run(List.of("unshare", "--net", "sh", "-c", TRIAL)).succeeded()) {
                return new LaneTools(AS_ROOT, null);
            }
            Tool.Outcome user = tool.run(List.of("unshare", "--user", "--map-root-user", "--net", "sh", "-c", TRIAL));
            if (user.succeeded()) {
                return new LaneTools(IN_USER_NAMESPACE, null);
            }
            reason = user.firstLine();
        } catch (IOException e) {
            reason = e.getMessage();
        }
        return new LaneTools(null, reason);
    }

    private static String missing(Tool tool) throws InterruptedException {
        for (String name : List.of("ip", "tc", "unshare", "nsenter")) {
            try {
                tool.run(List.of(name, "-V"));
            } catch (IOException e) {
                return "no command " + name + " here";
            }
        }
        return null;
    }

    public boolean available() {
        return way != null;
    }

    public boolean inUserNamespace() {
        return IN_USER_NAMESPACE.equals(way);
    }
}
