package dev.msgrelay.testing.scripted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.testing.ThisMachine;
import dev.msgrelay.testing.Tree;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kit needs of a machine to see a congestion control, and what it then sees. */
class CongestionTest {
    @TempDir
    Path directory;

    private Congestion of(String standard, String allowed, boolean hasSs) {
        Tree tree = new Tree(directory).with("tcp_congestion_control", standard);
        return Congestion.of(
                tree.with("tcp_allowed_congestion_control", allowed).root(), hasSs);
    }

    @Test
    void anotherOneThanTheDefaultIsAskedFor() {
        assertThat(of("bbr", "reno bbr cubic", true)).isEqualTo(new Congestion("reno", ""));
        assertThat(of("reno", "reno cubic", true)).isEqualTo(new Congestion("cubic", ""));
    }

    @Test
    void whatIsMissingIsSaid() {
        assertThat(Congestion.of(directory, true)).isEqualTo(new Congestion("", "this machine has no TCP_CONGESTION"));
        assertThat(of("reno", "reno", true).missing()).contains("no congestion control but reno");
        assertThat(of("cubic", "reno cubic", false).missing()).contains("ss");
    }

    @Test
    void onlyCasesOfClientsThatChooseAreSkipped() throws IOException {
        Path file = directory.resolve("group.case");
        Files.writeString(file, "case one\nneeds publisher\ncase two\nneeds publisher congestion\n");
        Congestion none = new Congestion("", "no ss");
        assertThat(Case.read(file)).extracting(none::missing).containsExactly("", "no ss");
        assertThat(Case.read(file))
                .extracting(new Congestion("reno", "")::missing)
                .containsExactly("", "");
    }

    @Test
    void theClientsSocketIsLookedAt() throws Exception {
        ThisMachine.needCommand("ss", "-tinH");
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept()) {
            assertThat(client.isConnected()).isTrue();
            assertThatThrownBy(() -> Congestion.check(accepted, "nonesuch/nobody"))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("another congestion control than nonesuch/nobody")
                    .hasMessageContaining(":" + ((InetSocketAddress) client.getLocalAddress()).getPort());
        }
    }
}
