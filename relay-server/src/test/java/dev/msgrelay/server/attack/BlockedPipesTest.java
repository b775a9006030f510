package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Workers;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody reads what the relay prints, and there is much to be told: it relays on, and ends when it is told to. */
@Tag("thorough")
class BlockedPipesTest {
    private static final int BAD = 2_000;
    /** Of a pipe, on Linux. */
    private static final int PIPE_BYTES = 64 << 10;

    @ParameterizedTest
    @ValueSource(strings = {"--json", "--drain-timeout=1s"})
    void fullFromTheBeginning(String option) throws Exception {
        Path folder = Files.createTempDirectory("relay");
        Path fifo = folder.resolve("output");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        // Open for both, or to open it would wait for the other side.
        try (RandomAccessFile pipe = new RandomAccessFile(fifo.toFile(), "rw")) {
            pipe.write(new byte[PIPE_BYTES]);
            try (RelayProcess relay = new RelayProcess(folder, ":", fifo.toFile(), option);
                    HealthyPair pair = relay.pair()) {
                pair.begin();
                int[] done = {0};
                Workers attack = new Workers().start("bad-connections", () -> {
                    for (; done[0] < BAD; done[0]++) {
                        attack(done[0] % 2 == 0 ? relay.publish() : relay.subscribe());
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
}
