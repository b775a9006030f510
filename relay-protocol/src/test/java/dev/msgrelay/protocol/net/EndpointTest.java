package dev.msgrelay.protocol.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointTest {
    private static final Duration BOUND = Duration.ofSeconds(120);

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** Relative, as the path of a Unix socket ends at 107 bytes, and the temporary directory may have a longer one. */
    private static final class InTarget implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
            return Files.createTempDirectory(Path.of("target"), "junit");
        }
    }

    @TempDir(factory = InTarget.class)
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "relay.example:7400, relay.example:7400",
        ":7400, 127.0.0.1:7400",
        "[::1]:7400, [::1]:7400",
        "10.0.0.1:1, 10.0.0.1:1",
        "host:65535, host:65535",
        "unix:/run/relay.sock, unix:/run/relay.sock",
        "unix:relative, unix:relative",
    })
    void readsWhatItWrites(String text, String canonical) {
        assertThat(Endpoint.parse(text)).hasToString(canonical);
        assertThat(Endpoint.parse(canonical)).hasToString(canonical);
        assertThat(Endpoint.parse(text).isUnix()).isEqualTo(text.startsWith("unix:"));
    }

    @ParameterizedTest
    @CsvSource({
        "relay, has no port",
        "'', has no port",
        "[::1], has no port",
        "relay:, has the port ''",
        "relay:http, has the port 'http'",
        "relay:0, not within 1..65535",
        "relay:65536, not within 1..65535",
        "relay:-1, not within 1..65535",
        "::1:7400, written in brackets",
        "[::1:7400, written in brackets",
        "[relay]:7400, no IPv6 address",
        "[relay:7400, brackets",
        "re[lay:7400, brackets",
        "relay]:7400, brackets",
        "]relay:7400, brackets",
        "unix:, has no path",
    })
    void saysWhatIsWrong(String text, String what) {
        assertThatThrownBy(() -> Endpoint.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("endpoint '" + text + "'")
                .hasMessageContaining(what);
    }

    @Test
    void hasAPortUnlessItIsAPath() {
        assertThat(Endpoint.parse("[::1]:7401").port()).isEqualTo(7401);
        assertThat(Endpoint.parse("unix:/tmp/x").port()).isEqualTo(-1);
        assertThat(Endpoint.parse("127.0.0.1:7401").withPort(7400)).hasToString("127.0.0.1:7400");
        assertThatThrownBy(() -> Endpoint.parse("unix:/tmp/x").withPort(1)).hasMessage("unix:/tmp/x has no port");
    }

    @Test
    void isMadeOfAnAddressThatIsKnown() throws Exception {
        assertThat(Endpoint.of(new InetSocketAddress("::1", 7400))).hasToString("[0:0:0:0:0:0:0:1]:7400");
        assertThat(Endpoint.of(new InetSocketAddress("0.0.0.0", 7400))).hasToString("127.0.0.1:7400");
        assertThat(Endpoint.of(UnixDomainSocketAddress.of("/tmp/x"))).hasToString("unix:/tmp/x");
        assertThat(Endpoint.tcp("relay", 1)).hasToString("relay:1");
        assertThat(Endpoint.tcp("relay", 65535).host()).isEqualTo("relay");
        for (int port : new int[] {0, 65536}) {
            assertThatThrownBy(() -> Endpoint.tcp("relay", port))
                    .hasMessage("port " + port + " is not within 1..65535");
        }
    }

    @Test
    void loopbackAndUnixSocketsAreWithinThisHost() {
        assertThat(Endpoint.parse("127.0.0.1:7400").isWithinHost()).isTrue();
        assertThat(Endpoint.parse("[::1]:7400").isWithinHost()).isTrue();
        assertThat(Endpoint.parse("unix:/tmp/x.sock").isWithinHost()).isTrue();
        assertThat(Endpoint.parse("10.0.0.2:7400").isWithinHost()).isFalse();
        assertThat(Endpoint.parse("no such host:7400").isWithinHost()).isFalse();
    }

    @Test
    void opensTcpWithoutDelay() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY_PORT);
                SocketChannel channel = endpoint(listener).open(BOUND)) {
            assertThat(channel.isConnected()).isTrue();
            assertThat(channel.isBlocking()).isTrue();
            assertThat(channel.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
        }
    }

    @Test
    void theLongestTimeoutIsOne() throws Exception {
        Path path = directory.resolve("s.sock");
        try (ServerSocketChannel tcp = ServerSocketChannel.open().bind(ANY_PORT);
                ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            unix.bind(UnixDomainSocketAddress.of(path));
            for (Endpoint endpoint : List.of(endpoint(tcp), Endpoint.unix(path))) {
                try (SocketChannel channel = endpoint.open(Duration.ofSeconds(Long.MAX_VALUE))) {
                    assertThat(channel.isConnected()).isTrue();
                }
            }
        }
    }

    @Test
    void opensUnix() throws Exception {
        Path path = directory.resolve("s.sock");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path));
            try (SocketChannel channel = Endpoint.unix(path).open(BOUND)) {
                assertThat(channel.isConnected()).isTrue();
            }
        }
    }

    @Test
    void namesEndpointAndCauseWhereNobodyListens() throws Exception {
        Endpoint gone;
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY_PORT)) {
            gone = endpoint(listener);
        }
        assertThatThrownBy(() -> gone.open(BOUND))
                .isInstanceOf(IOException.class)
                .hasCauseInstanceOf(ConnectException.class)
                .satisfies(e -> assertThat(e)
                        .hasMessage("cannot connect to " + gone + ": "
                                + e.getCause().getMessage()));
        Endpoint noSocket = Endpoint.unix(directory.resolve("none.sock"));
        assertThatThrownBy(() -> noSocket.open(BOUND))
                .isInstanceOf(IOException.class)
                .hasCauseInstanceOf(SocketException.class)
                .satisfies(e -> assertThat(e)
                        .hasMessage("cannot connect to " + noSocket + ": "
                                + e.getCause().getMessage()));
    }

    @Test
    void namesAHostThatCannotBe() {
        assertThatThrownBy(() -> Endpoint.parse("no such host:7400").open(BOUND))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot connect to no such host:7400: unknown host");
    }

    /** Linux lets a Unix connect wait for as long as the backlog is full. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void givesUpInTimeWhereNobodyAccepts() throws Exception {
        Path path = directory.resolve("full.sock");
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path), 1);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 10; i++) {
                            waiting.add(Endpoint.unix(path).open(Duration.ofMillis(20)));
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .hasMessage("cannot connect to unix:" + path + ": no connection within 20 ms");
        }
        for (SocketChannel channel : waiting) {
            channel.close();
        }
    }

    private static Endpoint endpoint(ServerSocketChannel listener) throws IOException {
        return Endpoint.tcp("127.0.0.1", ((InetSocketAddress) listener.getLocalAddress()).getPort());
    }
}
