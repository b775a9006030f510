package dev.msgrelay.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Real namespaces, where they are allowed: what arrives is what the kernel of the other end counts. */
class NodeNetworkTest {
    private static final long ARRIVES_NANOS = TimeUnit.SECONDS.toNanos(120);

    @BeforeAll
    static void whereAllowed() throws InterruptedException {
        String obstacle = NodeNetwork.obstacle();
        ThisMachine.need(obstacle == null, obstacle);
    }

    @Test
    void aLinkIsCutInOneDirectionAndIsWholeAgain() throws IOException, InterruptedException {
        try (NodeNetwork network = NodeNetwork.inNamespaces(3)) {
            assertThat(arrives(network, 1, 2)).isTrue();
            assertThat(arrives(network, 2, 1)).isTrue();
            network.cut(1, 2);
            long before = strays(network, 2);
            send(network, 1, 2);
            // What was sent later has arrived, so that would have, too.
            assertThat(arrives(network, 1, 3)).isTrue();
            assertThat(strays(network, 2)).isEqualTo(before);
            assertThat(arrives(network, 2, 1)).isTrue();
            assertThat(arrives(network, 3, 2)).isTrue();
            network.heal();
            assertThat(arrives(network, 1, 2)).isTrue();
        }
    }

    private static boolean arrives(NodeNetwork network, int from, int to) throws IOException, InterruptedException {
        long before = strays(network, to);
        send(network, from, to);
        long begun = System.nanoTime();
        while (strays(network, to) == before) {
            if (System.nanoTime() - begun > ARRIVES_NANOS) {
                return false;
            }
        }
        return true;
    }

    /** A datagram to a port at which nobody listens. */
    private static void send(NodeNetwork network, int from, int to) throws IOException, InterruptedException {
        at(network, from, "echo x >/dev/udp/" + network.address(to) + "/9");
    }

    /** Datagrams for ports at which nobody listens, that came to a node. */
    private static long strays(NodeNetwork network, int node) throws IOException, InterruptedException {
        String[] udp = at(network, node, "grep '^Udp: [0-9]' /proc/net/snmp").split(" ");
        return Long.parseLong(udp[2]);
    }

    private static String at(NodeNetwork network, int node, String command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(network.site(node).prefix());
        words.addAll(List.of("bash", "-c", command));
        Tool.Completed outcome = new Subprocess(20_000).run(words);
        assertThat(outcome.succeeded()).as(outcome.output()).isTrue();
        return outcome.output();
    }
}
