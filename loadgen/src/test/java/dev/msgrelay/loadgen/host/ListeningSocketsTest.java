package dev.msgrelay.loadgen.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.ThisMachine;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who listens. */
class ListeningSocketsTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void onLinux() {
        ThisMachine.need(Files.exists(ThisMachine.proc("net", "tcp")), "this system has no such tables");
    }

    @Test
    void aPortIsSeenAsLongAsItListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            port = socket.getLocalPort();
            assertThat(ListeningSockets.hasPort(port)).isTrue();
        }
        assertThat(ListeningSockets.hasPort(port)).isFalse();
    }

    @Test
    void aPathIsSeenOnceItListens() throws Exception {
        Path path = directory.resolve("a.sock");
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThat(ListeningSockets.hasPath(path.toString())).isFalse();
            channel.bind(UnixDomainSocketAddress.of(path));
            assertThat(ListeningSockets.hasPath(path.toString())).isTrue();
            assertThat(ListeningSockets.hasPath(directory.toString())).isFalse();
        }
    }

    @Test
    void aConnectionIsNoListener() {
        String title = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid";
        String listening = "   0: 0100007F:1CE9 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0";
        String connected = "   1: 0100007F:1CEA 0100007F:1CE9 01 00000000:00000000 00:00000000 00000000     0";
        assertThat(ListeningSockets.isListed(Stream.of(title, listening, connected), 0x1CE9))
                .isTrue();
        assertThat(ListeningSockets.isListed(Stream.of(title, listening, connected), 0x1CEA))
                .isFalse();
        assertThat(ListeningSockets.isListed(Stream.of(title, "", "x"), 0x1CE9)).isFalse();
    }
}
