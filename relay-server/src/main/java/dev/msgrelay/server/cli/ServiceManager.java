package dev.msgrelay.server.cli;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a service manager the state of the relay, as in sd_notify(3): a datagram to the Unix socket that {@code
 * NOTIFY_SOCKET} names, if it is set. The JDK has no such sockets; Netty's epoll transport has.
 */
final class ServiceManager {
    static final String READY = "READY=1";

    static final String STOPPING = "STOPPING=1";

    private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
    private static final String VARIABLE = "NOTIFY_SOCKET";

    /**
     * Time for the datagram: a service manager empties its socket at once, and a relay waits no longer for another one.
     */
    private static final long WAIT_MILLIS = 1_000;

    private ServiceManager() {}

    /** Sends a state. A failure is logged, and does not stop the relay. */
    static void sendState(String state) {
        String socket = System.getenv(VARIABLE);
        if (socket == null || socket.isEmpty()) {
            return;
        }
        if (!Epoll.isAvailable()) {
            LOG.warn("{}={}: {} is not told: that needs Netty's epoll transport", VARIABLE, socket, state);
            return;
        }
        MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            // A leading @ marks an abstract name, whose first byte is zero.
            DomainSocketAddress address = new DomainSocketAddress(socket.replaceFirst("^@", "\0"));
            Channel channel = new Bootstrap()
                    .group(loop)
                    .channel(EpollDomainDatagramChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(address)
                    .syncUninterruptibly()
                    .channel();
            ChannelFuture told = channel.writeAndFlush(Unpooled.copiedBuffer(state, StandardCharsets.UTF_8));
            if (!told.awaitUninterruptibly(WAIT_MILLIS)) {
                LOG.warn("{}={}: {} is not told: not taken for {} ms", VARIABLE, socket, state, WAIT_MILLIS);
            } else {
                told.syncUninterruptibly();
            }
        } catch (Exception e) {
            LOG.warn("{}={}: {} is not told: {}", VARIABLE, socket, state, e.toString());
        } finally {
            loop.shutdownGracefully(0, WAIT_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
