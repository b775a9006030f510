package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;

/** A bound of the bytes that a socket takes and does not send yet, for a subscriber that wants no old messages. */
public final class UnsentBytes {
    private UnsentBytes() {}

    /**
     * Bounds them. TCP by epoll has an option for just that (TCP_NOTSENT_LOWAT). Other sockets get a send buffer of
     * this size, of which the system may make twice as much; for TCP it also bounds what is sent and not acknowledged.
     *
     * @return false if the socket has neither option, or is closed already
     */
    public static boolean bound(Channel accepted, int bytes) {
        try {
            return accepted instanceof EpollSocketChannel
                    ? accepted.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, (long) bytes)
                    : accepted.config().setOption(ChannelOption.SO_SNDBUF, bytes);
        } catch (ChannelException e) {
            return false;
        }
    }
}
