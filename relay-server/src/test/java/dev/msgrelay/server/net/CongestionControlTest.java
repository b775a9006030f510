package dev.msgrelay.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.msgrelay.server.harness.Namespace;
import dev.msgrelay.testing.ThisMachine;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CongestionControlTest {
    private static final CongestionControl USUAL =
            new CongestionControl(CongestionControl.AUTO, CongestionControl.SYSTEM);

    @ParameterizedTest
    @CsvSource({"bbr cubic reno, cubic", "bbr reno, reno", "bbr, system", "'', system"})
    void autoIsTheFirstThatDoesNotPace(String given, String local) {
        assertThat(USUAL.resolve(Set.of(given.split(" "))::contains, ""))
                .isEqualTo(new CongestionControl(local, CongestionControl.SYSTEM));
    }

    @Test
    void aNameThatIsNotGivenIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CongestionControl("cubik", "system").resolve("cubic"::equals, "allowed: cubic"))
                .withMessage("local congestion 'cubik' is allowed: cubic");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CongestionControl("cubic", "auto").resolve("cubic"::equals, "not given"))
                .withMessage("congestion 'auto' is not given");
    }

    @Test
    void theSystemsListIsInTheWords() {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        CongestionControl wrong = new CongestionControl("no_such_name", "system");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> wrong.resolve(Transport.EPOLL, Optional.of("reno westwood")))
                .withMessageEndingWith("the system allows: reno westwood");
    }

    @Test
    void nioHasTheSystemsAlone() {
        assertThat(USUAL.resolve(Transport.NIO, Optional.empty())).isEqualTo(new CongestionControl("system", "system"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CongestionControl("reno", "system").resolve(Transport.NIO, Optional.empty()))
                .withMessageContaining("transport nio cannot set it");
    }

    @ParameterizedTest
    @CsvSource({"''", "abcdefghijklmnop", "a b", "../reno", "cubic;"})
    void whatIsNoNameIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CongestionControl(text, "system"))
                .withMessageContaining("is no name of 1 to 15 letters");
        assertThatIllegalArgumentException().isThrownBy(() -> new CongestionControl("system", text));
        assertThatNoException().isThrownBy(() -> new CongestionControl("abcdefghijklmno", "A-1_z"));
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1, true",
        "127.9.9.9, 127.0.0.1, true",
        "::1, ::1, true",
        "::ffff:127.0.0.1, ::1, true",
        "192.0.2.1, 192.0.2.1, true",
        "2001:db8::1, 2001:db8::1, true",
        "192.0.2.1, 192.0.2.2, false",
        "2001:db8::1, 2001:db8::2, false"
    })
    void aPeerIsOnThisHostByItsAddress(String remote, String own, boolean local) throws UnknownHostException {
        assertThat(CongestionControl.isOnThisHost(address(remote), address(own)))
                .isEqualTo(local);
        assertThat(CongestionControl.isOnThisHost(null, address(own))).isFalse();
    }

    private static InetSocketAddress address(String host) throws UnknownHostException {
        return new InetSocketAddress(InetAddress.getByName(host), 7400);
    }

    @Test
    void aLocalConnectionHasIt() throws Exception {
        ThisMachine.need(Epoll.isAvailable() && CongestionControl.isGiven("reno"), "no epoll, or no reno");
        try (Accepting server = new Accepting("127.0.0.1", new CongestionControl("reno", "system"));
                Socket client = new Socket("127.0.0.1", server.port())) {
            assertThat(client.isConnected()).isTrue();
            assertThat(server.congestionOfNext()).isEqualTo("reno");
        }
    }

    @Test
    void systemLeavesTheSystems() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        try (Accepting server = new Accepting("127.0.0.1", new CongestionControl("system", "reno"));
                Socket client = new Socket("127.0.0.1", server.port())) {
            assertThat(client.isConnected()).isTrue();
            EpollSocketChannel fresh = new EpollSocketChannel();
            assertThat(server.congestionOfNext()).isEqualTo(CongestionControl.nameOf(fresh));
            fresh.unsafe().closeForcibly();
        }
    }

    @Test
    void aNameThatIsForbiddenMeanwhileLeavesTheConnectionAlone() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        try (Accepting server = new Accepting("127.0.0.1", new CongestionControl("no_such_name", "system"));
                Socket client = new Socket("127.0.0.1", server.port())) {
            assertThat(client.isConnected()).isTrue();
            assertThat(server.congestionOfNext()).isNotEmpty();
        }
    }

    @Test
    @Tag("thorough")
    void aFarConnectionHasTheOther() throws Exception {
        ThisMachine.need(
                Epoll.isAvailable() && CongestionControl.isGiven("reno") && CongestionControl.isGiven("cubic"),
                "no epoll, or not both of reno and cubic");
        try (Namespace namespace = new Namespace()) {
            ThisMachine.need(namespace.up(), namespace.why());
            try (Accepting server = new Accepting(namespace.host(), new CongestionControl("reno", "cubic"))) {
                try (Socket near = new Socket(namespace.host(), server.port())) {
                    assertThat(near.isConnected()).isTrue();
                    assertThat(server.congestionOfNext()).isEqualTo("reno");
                }
                Process far = namespace.run(Connecting.class, namespace.host(), "" + server.port());
                assertThat(server.congestionOfNext()).isEqualTo("cubic");
                assertThat(far.waitFor()).isZero();
            }
            EpollSocketChannel fresh = new EpollSocketChannel();
            String usual = CongestionControl.nameOf(fresh);
            fresh.unsafe().closeForcibly();
            // Not what the listener has for this host.
            String other = usual.equals("reno") ? "cubic" : "reno";
            try (Accepting server = new Accepting(namespace.host(), new CongestionControl(other, "system"))) {
                Process far = namespace.run(Connecting.class, namespace.host(), "" + server.port());
                assertThat(server.congestionOfNext()).isEqualTo(usual);
                assertThat(far.waitFor()).isZero();
            }
        }
    }

    /** A process in a network namespace, which connects and ends. */
    static final class Connecting {
        /** @param args host and port */
        public static void main(String[] args) throws IOException {
            new Socket(args[0], Integer.parseInt(args[1])).close();
        }
    }

    /** A listener whose connections get the options of the relay's. */
    private static final class Accepting implements AutoCloseable {
        private final BlockingQueue<String> accepted = new LinkedBlockingQueue<>();
        private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        private final EpollServerSocketChannel listener = new EpollServerSocketChannel();

        Accepting(String host, CongestionControl congestion) throws IOException {
            congestion.setOnListener(listener);
            EventLoop only = loop.next();
            Listener.bind(listener, new InetSocketAddress(host, 0), only, channel -> {
                AcceptedSocket.equip(channel, Duration.ofSeconds(60), congestion);
                accepted.add(CongestionControl.nameOf(channel));
                return only;
            });
        }

        int port() {
            return listener.localAddress().getPort();
        }

        String congestionOfNext() throws InterruptedException {
            return accepted.take();
        }

        @Override
        public void close() {
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
