package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Peers whose link goes down, and who never say so. In a network namespace of this test's own; as root only. */
class VanishedPeersTest {
    private static final int OF_EACH_KIND = 25;
    private static final long PID = ProcessHandle.current().pid();
    /** Of networks that are for tests of devices: nobody has them, nor has another run of this test the same one. */
    private static final String NETWORK = "198.18." + PID / 64 % 256 + ".";

    private static final String HERE = NETWORK + (PID % 64 * 4 + 1);
    private static final String THERE = NETWORK + (PID % 64 * 4 + 2);

    @Test
    void areGoneWithinTheIdleTimeout() throws Exception {
        try (Namespace namespace = new Namespace()) {
            assumeTrue(namespace.up(), namespace::why);
            try (TestRelay relay = TestRelay.start(
                            new Setting(Transport.AUTO, false, RelayConfig.AUTO_EVENT_LOOPS), b -> b.host(HERE)
                                    .insecure(true)
                                    .heartbeat(Duration.ofMillis(500))
                                    .idleTimeout(Duration.ofSeconds(2))
                                    .peerTimeout(Duration.ofSeconds(4)));
                    HealthyPair pair = AttackRelay.pair(relay)) {
                Process peers = namespace.run(relay);
                try (BufferedReader lines = peers.inputReader()) {
                    assertThat(lines.readLine()).isEqualTo("ready");
                    relay.awaitPublishers(2 * OF_EACH_KIND + 2);
                    relay.awaitSubscribers(2 * OF_EACH_KIND + 1);
                    pair.begin();
                    namespace.down();
                    Await.until(
                            () -> "all are given up: " + relay.stats(),
                            () -> relay.stats().publishers() == 2
                                    && relay.stats().subscribers() == 1);
                    pair.end("100 peers that vanished");
                    System.out.println("closed: " + relay.stats().closes());
                    pair.finish();
                } finally {
                    peers.destroyForcibly();
                }
            }
        }
    }

    /** A namespace that is joined to this one by two virtual interfaces; it and they are gone when it is closed. */
    private static final class Namespace implements AutoCloseable {
        private final String name = "relay" + PID;
        private final String here = "rh" + PID;
        private final String there = "rt" + PID;
        private String why = "";

        boolean up() {
            return ip("netns add " + name)
                    && ip("link add " + here + " type veth peer name " + there + " netns " + name)
                    && ip("addr add " + HERE + "/30 dev " + here)
                    && ip("link set " + here + " up")
                    && ip("-n " + name + " addr add " + THERE + "/30 dev " + there)
                    && ip("-n " + name + " link set " + there + " up");
        }

        /** Why there is none. */
        String why() {
            String skipped = "SKIPPED, no network namespace (needs root and iproute2): " + why;
            System.out.println(skipped);
            return skipped;
        }

        Process run(TestRelay relay) throws IOException {
            return new ProcessBuilder(
                            "ip",
                            "netns",
                            "exec",
                            name,
                            ProcessHandle.current().info().command().orElse("java"),
                            "-Xmx64m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            VanishingPeers.class.getName(),
                            HERE,
                            "" + relay.relay().publishAddress().getPort(),
                            "" + relay.relay().subscribeAddress().getPort(),
                            "" + OF_EACH_KIND)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }

        /** From now on nothing goes through, and nobody is told. */
        void down() {
            assertThat(ip("-n " + name + " link set " + there + " down"))
                    .as(why)
                    .isTrue();
        }

        private boolean ip(String command) {
            try {
                Process ip = new ProcessBuilder(List.of(("ip " + command).split(" ")))
                        .redirectErrorStream(true)
                        .start();
                String said = new String(ip.getInputStream().readAllBytes()).trim();
                if (ip.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS) && ip.exitValue() == 0) {
                    return true;
                }
                why = "ip " + command + ": " + said;
            } catch (IOException | InterruptedException e) {
                why = e.getMessage();
            }
            return false;
        }

        @Override
        public void close() {
            // The interfaces go with it, both of them; a process in it keeps it until it ends.
            ip("link del " + here);
            ip("netns del " + name);
        }
    }
}
