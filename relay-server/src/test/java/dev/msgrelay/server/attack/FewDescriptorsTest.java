package dev.msgrelay.server.attack;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Workers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** More connections than the process may have descriptors: those that are there go on, and later there is room again. */
class FewDescriptorsTest {
    private static final int DESCRIPTORS = 250;
    private static final int ATTACKERS = 2 * DESCRIPTORS;

    @Test
    void connectsBeyondTheLimit() throws Exception {
        try (RelayProcess relay = RelayProcess.start("ulimit -n " + DESCRIPTORS, "--json")) {
            try (HealthyPair pair = relay.pair();
                    Crowd attackers = new Crowd()) {
                pair.begin();
                // They wait in the system's queue, which holds more than these.
                new Workers()
                        .start("attackers", () -> attackers.connect(relay.publish(), ATTACKERS))
                        .join();
                Await.until(() -> "no descriptor is left: " + open(relay), () -> open(relay) >= DESCRIPTORS - 1);
                long cpu = relay.cpuMillis();
                long start = System.nanoTime();
                pair.end("connections beyond the limit of descriptors");
                System.out.printf(
                        "%d ms of processor time in %d ms without a descriptor%n",
                        relay.cpuMillis() - cpu, (System.nanoTime() - start) / 1_000_000);
                pair.push(2 << 20);
                attackers.leave();
                pair.push(1 << 20);
                pair.finish();
            }
            try (HealthyPair later = relay.pair()) {
                later.push(1 << 20);
                later.finish();
            }
        }
    }

    private static int open(RelayProcess relay) {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + relay.pid() + "/fd"))) {
            return (int) open.count();
        } catch (IOException gone) {
            return -1;
        }
    }
}
