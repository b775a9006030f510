package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.TalkingPublisher;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.testing.Directories;
import dev.msgrelay.testing.OddFiles;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A relay as a process: without a descriptor, with output that nobody reads, and with names that anybody may take. */
class RelayProcessTest {
    private static final int DESCRIPTORS = 250;
    private static final int ATTACKERS = 2 * DESCRIPTORS;
    private static final int BAD = 2_000;
    /** Of a pipe, on Linux. */
    private static final int PIPE_BYTES = 64 << 10;

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
                pair.end("connections beyond the limit of descriptors");
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
        try (Stream<Path> open = Files.list(ThisMachine.proc("" + relay.pid(), "fd"))) {
            return (int) open.count();
        } catch (IOException gone) {
            return -1;
        }
    }

    /** Nobody reads what the relay prints, and there is much to be told: it relays on, and ends when it is told to. */
    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {"--json", "--drain-timeout=1s"})
    void fullFromTheBeginning(String option) throws Exception {
        Path folder = Directories.forSockets("relay");
        Path fifo = OddFiles.pipe(folder.resolve("output"));
        // Open for both, or to open it would wait for the other side.
        try (RandomAccessFile pipe = new RandomAccessFile(fifo.toFile(), "rw")) {
            pipe.write(new byte[PIPE_BYTES]);
            try (RelayProcess relay = new RelayProcess(folder, ":", fifo.toFile(), option);
                    HealthyPair pair = relay.pair()) {
                pair.begin();
                Workers attack = new Workers().start("bad-connections", () -> {
                    for (int i = 0; i < BAD; i++) {
                        attack(i % 2 == 0 ? relay.publish() : relay.subscribe());
                    }
                });
                pair.goesOn();
                attack.join();
                pair.end(BAD + " bad connections, and pipes that nobody reads");
                pair.push(2 << 20);
                pair.finish();
                assertThat(relay.terminate()).isZero();
            }
        }
    }

    /** A length that is none, and gone. */
    private static void attack(SocketAddress address) throws IOException {
        try (PlainPublisher bad = PlainPublisher.connect(address)) {
            bad.send(new Frames().header(0x80000001, -1));
        } catch (IOException refused) {
            // As good as any other end.
        }
    }

    @Test
    void whoSendsNoIdIsWarnedOfOncePerName() throws Exception {
        try (RelayProcess relay = RelayProcess.start(":", "--quiet")) {
            int number = 0;
            for (String name : List.of("orders", "prices", "orders", "orders", "last")) {
                try (TalkingPublisher old = TalkingPublisher.connect(relay.publish())
                        .send(Hello.acks(name, 0).bytes())) {
                    old.await(Hello.WELCOME);
                    old.send(new Frames().frame(number++, 20)).await(Hello.ACK);
                }
            }
            Await.until(relay::said, () -> relay.said().contains("(last)"));
            String warning = " sends no producer id: whoever says the same name is taken for it";
            assertThat(relay.said().lines().filter(line -> line.contains("sends no producer id")))
                    .hasSize(3)
                    .allMatch(line -> line.contains(" WARN "))
                    .anyMatch(line -> line.contains("(orders)" + warning))
                    .anyMatch(line -> line.contains("(prices)" + warning))
                    .anyMatch(line -> line.contains("(last)" + warning));
        }
    }
}
