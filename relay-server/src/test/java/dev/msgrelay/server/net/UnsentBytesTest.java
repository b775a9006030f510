package dev.msgrelay.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import org.junit.jupiter.api.Test;

/** Sockets of each kind that a subscriber may have. */
class UnsentBytesTest {
    private static final int BYTES = 64 << 10;

    @Test
    void tcpByEpollHasAnOptionForIt() {
        if (Epoll.isAvailable()) {
            EpollSocketChannel socket = new EpollSocketChannel();
            assertThat(UnsentBytes.bound(socket, BYTES)).isTrue();
            assertThat(socket.config().getOption(EpollChannelOption.TCP_NOTSENT_LOWAT))
                    .isEqualTo(BYTES);
            assertClosedIsHarmless(socket);
        }
    }

    @Test
    void othersHaveASendBuffer() {
        assertSendBuffer(new NioSocketChannel());
        assertSendBuffer(new NioDomainSocketChannel());
        if (Epoll.isAvailable()) {
            assertSendBuffer(new EpollDomainSocketChannel());
        }
    }

    private static void assertSendBuffer(Channel socket) {
        assertThat(UnsentBytes.bound(socket, BYTES)).isTrue();
        // The system may make more of it, as Linux does.
        assertThat(socket.config().getOption(ChannelOption.SO_SNDBUF)).isBetween(BYTES, 2 * BYTES);
        assertClosedIsHarmless(socket);
    }

    private static void assertClosedIsHarmless(Channel socket) {
        socket.unsafe().closeForcibly();
        assertThat(UnsentBytes.bound(socket, BYTES)).isFalse();
    }

    @Test
    void whatIsNoSocketHasNeither() {
        assertThat(UnsentBytes.bound(new EmbeddedChannel(), BYTES)).isFalse();
    }
}
