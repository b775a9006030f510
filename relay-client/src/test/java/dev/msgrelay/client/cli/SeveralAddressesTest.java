package dev.msgrelay.client.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host whose first address swallows every SYN, and whose second one is the relay's: the commands in processes of
 * their own, with a file of hosts for their resolver.
 */
@Tag("thorough")
@EnabledOnOs(OS.LINUX)
class SeveralAddressesTest {
    private static final String DEAD = "127.0.0.2";

    @TempDir
    private Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();
    private RelayServer relay;
    private AdminServer admin;

    @BeforeEach
    void start() throws IOException {
        relay = RelayServer.start(
                RelayConfig.builder(0, 0).set(LOG_SIZE, 8 << 20).build());
        admin = AdminServer.start(relay, AdminConfig.parse("127.0.0.1:0", null));
        for (InetSocketAddress port : List.of(relay.publishAddress(), relay.subscribeAddress(), admin.address())) {
            swallow(port.getPort());
        }
        Files.writeString(directory.resolve("hosts"), DEAD + " two.example\n127.0.0.1 two.example\n");
    }

    /** Listens, and lets so many wait that the system drops what comes. */
    private void swallow(int port) throws IOException {
        ServerSocket full = new ServerSocket(port, 1, InetAddress.getByName(DEAD));
        open.add(full);
        for (int i = 0; i < 10; i++) {
            SocketChannel waiting = SocketChannel.open();
            open.add(waiting);
            waiting.configureBlocking(false);
            waiting.connect(new InetSocketAddress(DEAD, port));
        }
    }

    @AfterEach
    void stop() throws Exception {
        relay.close();
        admin.close();
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private TestProcess client(String... args) throws IOException {
        List<String> command = new ArrayList<>(TestProcess.javaCommand(RelayClientMain.class.getName(), args));
        command.add(1, "-Djdk.net.hosts.file=" + directory.resolve("hosts"));
        return new TestProcess(command);
    }

    @Test
    void everyCommandGetsToTheSecond() throws Exception {
        Path messages = Files.writeString(directory.resolve("messages"), "one\ntwo\n");
        String wait = "--connect-timeout=60s";
        String publish = "two.example:" + relay.publishAddress().getPort();
        try (TestProcess publisher = client("publish", publish, "--ack", wait, "--file", messages.toString())) {
            assertThat(publisher.awaitExit()).isZero();
        }
        String subscribe = "two.example:" + relay.subscribeAddress().getPort();
        try (TestProcess subscriber = client("subscribe", subscribe, "--from", "earliest", "--count", "2", wait)) {
            assertThat(subscriber.awaitExit()).isZero();
        }
        try (TestProcess top = client("top", "two.example:" + admin.address().getPort(), "--once", "--json", wait)) {
            // The name is not the relay's own, so it is refused: by the relay, and not by silence.
            assertThat(top.awaitExit()).isEqualTo(1);
            assertThat(String.join("\n", top.errors())).contains("answers 421");
        }
    }
}
