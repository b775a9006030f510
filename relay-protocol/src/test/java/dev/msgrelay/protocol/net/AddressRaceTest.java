package dev.msgrelay.protocol.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Hosts with several addresses, on loopback: 127.0.0.2 and so on are there on Linux without anybody's doing. */
@EnabledOnOs(OS.LINUX)
class AddressRaceTest {
    /** Which only a hang reaches. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final long SYN_IS_SWALLOWED_MILLIS = 300;

    private final List<AutoCloseable> open = new ArrayList<>();
    private int port;

    @AfterEach
    void closeAll() throws Exception {
        Thread.interrupted();
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private static InetAddress address(int last) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    /** Listens there, on the port of the others. */
    private ServerSocketChannel listening(int last, int backlog) throws IOException {
        while (true) {
            ServerSocketChannel listener = ServerSocketChannel.open();
            open.add(listener);
            try {
                listener.bind(new InetSocketAddress(address(last), port), backlog);
            } catch (BindException e) {
                // The port of the first was taken at this address: all of this test begins with one of these.
                throw new AssertionError("port " + port + " is taken at " + address(last), e);
            }
            port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            return listener;
        }
    }

    /** Listens, and has so many waiting that the system drops every SYN. */
    private void swallowing(int last) throws IOException {
        listening(last, 1);
        try (Selector selector = Selector.open()) {
            boolean dropped = false;
            while (!dropped) {
                SocketChannel waiting = SocketChannel.open();
                open.add(waiting);
                waiting.configureBlocking(false);
                if (!waiting.connect(new InetSocketAddress(address(last), port))) {
                    SelectionKey key = waiting.register(selector, SelectionKey.OP_CONNECT);
                    selector.select(SYN_IS_SWALLOWED_MILLIS);
                    selector.selectedKeys().clear();
                    dropped = !waiting.finishConnect();
                    key.cancel();
                    selector.selectNow();
                }
            }
        }
    }

    private InetAddress connect(Duration timeout, int... lasts) throws IOException {
        InetAddress[] addresses = new InetAddress[lasts.length];
        for (int i = 0; i < lasts.length; i++) {
            addresses[i] = address(lasts[i]);
        }
        try (SocketChannel channel = AddressRace.connect(addresses, port, timeout)) {
            assertThat(channel.isBlocking()).isTrue();
            return ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
        }
    }

    @Test
    void anAddressThatSwallowsSynsIsNotWaitedFor() throws Exception {
        swallowing(2);
        listening(3, 50);
        assertThat(connect(LONG, 2, 3)).isEqualTo(address(3));
    }

    @Test
    void norIsOneThatRefuses() throws Exception {
        listening(3, 50);
        assertThat(connect(LONG, 2, 4, 3)).isEqualTo(address(3));
    }

    @Test
    void theFirstOneWinsWhereAllAnswer() throws Exception {
        listening(2, 50);
        listening(3, 50);
        assertThat(connect(LONG, 2, 3)).isEqualTo(address(2));
    }

    /** A quiet plain subscriber sends nothing, and its relay neither: the system's probes alone tell of a cut link. */
    @Test
    void theConnectionIsKeptAlive() throws Exception {
        listening(2, 50);
        try (SocketChannel channel = AddressRace.connect(new InetAddress[] {address(2)}, port, LONG)) {
            assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
            assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(15);
            assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL))
                    .isEqualTo(5);
            assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(3);
        }
    }

    /** The losers' sockets are closed: whoever listens gets at most an end. */
    @Test
    void nothingStaysOpenOfTheOthers() throws Exception {
        swallowing(2);
        listening(3, 50);
        // The first race loads what stays open: libraries, jars.
        connect(LONG, 2, 3);
        long before = descriptors();
        for (int i = 0; i < 3; i++) {
            assertThat(connect(LONG, 2, 3)).isEqualTo(address(3));
        }
        assertThat(descriptors()).isLessThanOrEqualTo(before);
    }

    private static long descriptors() {
        return ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
                .getOpenFileDescriptorCount();
    }

    @Test
    void whereNobodyAnswersTheTimeEndsIt() throws Exception {
        swallowing(2);
        assertThatThrownBy(() -> connect(Duration.ofMillis(50), 2)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> connect(Duration.ofMillis(400), 2, 2)).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void whereAllRefuseTheLastOneSaysWhy() throws Exception {
        listening(2, 50).close();
        IOException words = catchThrowableOfType(
                IOException.class, () -> SocketChannel.open(new InetSocketAddress(address(3), port)));
        assertThatThrownBy(() -> connect(LONG, 2, 3))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining(words.getMessage());
    }

    @Test
    void anInterruptEndsIt() throws Exception {
        swallowing(2);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> connect(LONG, 2)).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void bothFamiliesTakeTurns() throws Exception {
        InetAddress six = InetAddress.getByName("::1");
        InetAddress otherSix = InetAddress.getByName("fe80::1");
        InetAddress[] all = {six, otherSix, address(1), address(2), address(3)};
        assertThat(AddressRace.mixed(all)).containsExactly(six, address(1), otherSix, address(2), address(3));
    }
}
