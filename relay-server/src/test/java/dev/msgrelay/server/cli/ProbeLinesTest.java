package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log of a relay that a load balancer probes: a line an hour, and every line about clients. */
class ProbeLinesTest {
    @TempDir
    private Path folder;

    @Test
    void oneLineForAllOfAnAddress() throws Exception {
        String access = "access { balancers { from = \"127.0.0.0/8\", publish = all, subscribe = all } }";
        Path file = Files.write(folder.resolve("relay.conf"), List.of(access));
        byte[] frame = new Frames().frame(7, 100).bytes();
        try (CommandProcess command = CommandProcess.logging("--quiet", "--config=" + file)) {
            for (InetSocketAddress port : List.of(command.publishers(), command.subscribers())) {
                for (int i = 0; i < 20; i++) {
                    PlainPublisher.connect(port).reset();
                    PlainPublisher.connect(port).close();
                }
            }
            PlainPublisher publisher = PlainPublisher.connect(command.publishers());
            publisher.send(ByteBuffer.wrap(frame)).send(ByteBuffer.wrap(frame, 0, 50));
            command.logged(0, line -> line.contains(" is balancers by its network"));
            publisher.reset();
            command.logged(0, line -> line.contains("connection lost"));
            assertThat(command.terminate()).isZero();
            assertThat(command.log())
                    .filteredOn(line -> line.contains("127.0.0.1:") && !line.contains("listen"))
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .contains(", balancers by its network: ended before its first byte")
                                    .doesNotContain("WARN"),
                            line -> assertThat(line).contains(" is balancers by its network"),
                            line -> assertThat(line).contains("WARN", "connection lost"));
        }
    }
}
