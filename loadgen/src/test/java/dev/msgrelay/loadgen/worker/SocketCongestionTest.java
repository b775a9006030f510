package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real sockets, read back. Every Linux has reno; nothing here depends on the default of this host. */
class SocketCongestionTest {
    private static final String RENO = "reno";

    @Test
    void aConnectionWithinThisHostSendsByTheNameAndItsOtherEndAsBefore() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        try (Loopback pair = Loopback.open()) {
            Congestion before = SocketCongestion.choose(pair.near(), CongestionControl.SYSTEM);
            assertThat(SocketCongestion.choose(pair.far(), RENO)).isEqualTo(Congestion.of(RENO));
            assertThat(SocketCongestion.choose(pair.far(), CongestionControl.SYSTEM))
                    .isEqualTo(Congestion.of(RENO));
            assertThat(SocketCongestion.choose(pair.near(), CongestionControl.SYSTEM))
                    .isEqualTo(before);
        }
    }

    @Test
    void aNameThatTheKernelDoesNotGiveIsToldAndTheConnectionIsAsBefore() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        try (Loopback pair = Loopback.open()) {
            Congestion before = SocketCongestion.choose(pair.near(), CongestionControl.SYSTEM);
            Congestion after = SocketCongestion.choose(pair.near(), "no_such_name");
            assertThat(after.names()).isEqualTo(before.names());
            assertThat(after.why()).startsWith("no_such_name is not given: ");
            assertThat(SocketCongestion.choose(pair.near(), CongestionControl.AUTO))
                    .isEqualTo(new Congestion(before.names(), "neither cubic nor reno is given"));
        }
    }

    @Test
    void aUnixSocketHasNone(@TempDir Path directory) throws Exception {
        Path path = directory.resolve("s");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
                assertThat(SocketCongestion.choose(client, RENO)).isEqualTo(Congestion.NONE);
            }
        }
    }

    @Test
    void aJvmWithoutTheOptionSaysSo() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        try (TestProcess process = new TestProcess(TestProcess.javaCommand(Chooses.class.getName()))) {
            assertThat(process.line(line -> true)).endsWith(" (this JVM lacks " + SocketCongestion.JVM_OPTION + ")");
        }
    }

    /** A program that chooses, and tells what it got. */
    static final class Chooses {
        private Chooses() {}

        public static void main(String[] args) throws IOException {
            try (Loopback pair = Loopback.open()) {
                System.out.println(SocketCongestion.choose(pair.near(), RENO));
            }
        }
    }

    @Test
    void theLibraryCannotChoose() {
        assertThat(SocketCongestion.ofLibrary(Endpoint.parse("7401")).toString())
                .endsWith(" (relay-client cannot choose)");
        assertThat(SocketCongestion.ofLibrary(Endpoint.parse("unix:/s"))).isEqualTo(Congestion.NONE);
    }

    @Test
    void sidesOfSeveralConnectionsNameEachOnce() {
        Congestion both = Congestion.of("reno")
                .and(Congestion.of("bbr"))
                .and(new Congestion(Congestion.of("reno").names(), "why"));
        assertThat(both).hasToString("bbr and reno (why)");
        assertThat(Congestion.NONE.and(Congestion.of("reno"))).isEqualTo(Congestion.of("reno"));
        assertThat(Congestion.NONE).hasToString("");
    }
}
