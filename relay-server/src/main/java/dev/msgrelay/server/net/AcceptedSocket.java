package dev.msgrelay.server.net;

import dev.msgrelay.server.access.Peer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;

/** The kernel's socket options for an accepted connection, and its peer's name. */
public final class AcceptedSocket {
    /** Number of keep-alive probes. The kernel sends these in the second half of the peer's time-out. */
    private static final int PROBES = 3;

    private AcceptedSocket() {}

    /**
     * Sets the options of a TCP connection.
     *
     * @param peerTimeout time after which a peer that acknowledges nothing counts as dead
     * @param congestion the choice, resolved already
     */
    public static void equip(Channel accepted, Duration peerTimeout, CongestionControl congestion) {
        if (!(accepted.localAddress() instanceof InetSocketAddress)) {
            return;
        }
        congestion.setOn(accepted);
        // The relay batches by itself, so the kernel's own delay of small writes would help nobody.
        accepted.config().setOption(ChannelOption.TCP_NODELAY, true);
        accepted.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        int idle = (int) Math.max(1, peerTimeout.toSeconds() / 2);
        int interval = Math.max(1, idle / PROBES);
        if (accepted instanceof EpollSocketChannel) {
            accepted.config().setOption(EpollChannelOption.TCP_KEEPIDLE, idle);
            accepted.config().setOption(EpollChannelOption.TCP_KEEPINTVL, interval);
            accepted.config().setOption(EpollChannelOption.TCP_KEEPCNT, PROBES);
            accepted.config().setOption(EpollChannelOption.TCP_USER_TIMEOUT, (int) peerTimeout.toMillis());
        } else if (accepted instanceof NioSocketChannel) {
            // If the system lacks these options, the peer's silence is noticed later.
            accepted.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), idle);
            accepted.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), interval);
            accepted.config().setOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), PROBES);
        }
    }

    /** A peer's name for people: {@code 127.0.0.1:40123}, or the path of the Unix socket that it connected to. */
    public static String peerName(Channel channel) {
        SocketAddress remote = Peer.address(channel);
        if (remote instanceof InetSocketAddress inet) {
            return NetUtil.toSocketAddressString(inet);
        }
        SocketAddress local = channel.localAddress();
        return "unix:" + (local == null ? "?" : local) + "#" + channel.id().asShortText();
    }

    /** A client's address as WELCOME tells it: {@code 127.0.0.1:40123}, or {@code unix} at a Unix socket. */
    public static String clientAddress(Channel channel) {
        return Peer.address(channel) instanceof InetSocketAddress inet ? NetUtil.toSocketAddressString(inet) : "unix";
    }
}
