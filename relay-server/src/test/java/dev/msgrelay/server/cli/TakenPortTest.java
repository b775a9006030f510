package dev.msgrelay.server.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.testing.Tree;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has a port, by made-up files of the system. */
class TakenPortTest {
    private static final String USED = "cannot listen on 127.0.0.1:%d: Address already in use";

    /** Patience with programs that never answer. */
    private static final int SHORT_MILLIS = 50;

    @TempDir
    private Path root;

    private SystemTree proc;

    @BeforeEach
    void open() {
        proc = new SystemTree(root);
    }

    @Test
    void theProcessAndTheOptionAreNamed() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            int port = other.getLocalPort();
            assertThat(words(SUBSCRIBE_PORT, port, SHORT_MILLIS))
                    .as("the system tells nothing")
                    .isEqualTo("; --subscribe-port takes another port");
            Tree tree = new Tree(root)
                    .with(
                            "net/tcp",
                            String.format(
                                    Locale.ROOT,
                                    "  sl  local_address rem_address   st%n"
                                            + "   0: 0100007F:%04X 00000000:0000 01 0:0 00:00 0 0 0 41 1 0%n"
                                            + "   1: 0100007F:%04X 00000000:0000 0A 0:0 00:00 0 0 0 42 1 0",
                                    port,
                                    port))
                    .with("7/comm", "other")
                    .with("4711/comm", "feeder");
            link("7/fd/3", "socket:[41]");
            assertThat(tree.root()).isEqualTo(root);
            assertThat(words(SUBSCRIBE_PORT, port, SHORT_MILLIS))
                    .as("a process of another user")
                    .isEqualTo("; --subscribe-port takes another port");
            link("4711/fd/9", "socket:[42]");
            assertThat(words(SUBSCRIBE_PORT, port, SHORT_MILLIS))
                    .isEqualTo(": process 4711 (feeder) has it; --subscribe-port takes another port");
            assertThat(TakenPort.words(
                            "cannot listen on http://127.0.0.1:" + port + ": in use",
                            RelayConfig.builder().build(),
                            proc,
                            SHORT_MILLIS))
                    .isEqualTo(": process 4711 (feeder) has it");
        }
    }

    @Test
    void aRelayIsKnownByItsAnswer() throws Exception {
        try (RelayServer relay = RelayServer.start(RelayConfig.builder(0, 0).build())) {
            int publish = relay.publishAddress().getPort();
            assertThat(words(PUBLISH_PORT, publish, Await.LIMIT_MILLIS))
                    .isEqualTo(": a relay answers there; --publish-port takes another port");
            int subscribe = relay.subscribeAddress().getPort();
            assertThat(words(SUBSCRIBE_PORT, subscribe, Await.LIMIT_MILLIS))
                    .isEqualTo(": a relay answers there; --subscribe-port takes another port");
        }
    }

    @Test
    void otherFailuresStayAsTheyAre() {
        RelayConfig usual = RelayConfig.builder().build();
        for (String failure : new String[] {
            "cannot listen on 192.0.2.1:7401: Cannot assign requested address",
            "cannot listen on unix:/run/r: Permission denied",
            "the relay's memory is 5 bytes"
        }) {
            assertThat(TakenPort.words(failure, usual, proc, SHORT_MILLIS)).isEmpty();
        }
    }

    private String words(RelayOption<Integer> option, int port, int patienceMillis) {
        RelayConfig config = RelayConfig.builder().set(option, port).build();
        return TakenPort.words(String.format(Locale.ROOT, USED, port), config, proc, patienceMillis);
    }

    private void link(String path, String target) throws Exception {
        Path link = root.resolve(path);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(target));
    }
}
