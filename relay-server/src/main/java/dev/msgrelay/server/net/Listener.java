package dev.msgrelay.server.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** A listening socket: accepts on one loop and hands each connection to a {@link Placement}. */
public final class Listener {
    /** Decides which loop a new connection lives on, and equips it. Called on the accepting loop's thread. */
    public interface Placement {
        /** Sets options and handlers; returns the loop that the connection is to be registered with. */
        EventLoop place(Channel accepted);
    }

    private static final int BACKLOG = 1024;
    private static final int BIND_SECONDS = 10;

    /** The pause after a failure; short enough that a client does not notice it once there is room again. */
    private static final long PAUSE_MILLIS = 200;

    /** Shared by all listeners: descriptors run out for the whole process. */
    private static final RepeatedWarning FAILURES = new RepeatedWarning();

    private final ServerChannel channel;

    private Listener(ServerChannel channel) {
        this.channel = channel;
    }

    /**
     * Binds and starts accepting.
     *
     * @throws IOException naming the address and what the system said
     */
    public static Listener bind(ServerChannel channel, SocketAddress address, EventLoop loop, Placement placement)
            throws IOException {
        channel.config().setOption(ChannelOption.SO_BACKLOG, BACKLOG);
        if (address instanceof InetSocketAddress) {
            channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        }
        channel.pipeline().addLast(new Acceptor(placement));
        String what = nameOf(address);
        try {
            await(loop.register(channel), what);
            await(channel.bind(address), what);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        return new Listener(channel);
    }

    /** Returns the address that the socket is bound to, with the port that the system chose where 0 was asked for. */
    public SocketAddress address() {
        return channel.localAddress();
    }

    /** Stops accepting. */
    public void close() {
        channel.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    }

    private static void await(ChannelFuture future, String what) throws IOException {
        if (!future.awaitUninterruptibly(BIND_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("cannot listen on " + what + ": no answer within " + BIND_SECONDS + " s");
        }
        if (!future.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + what + ": " + future.cause().getMessage(), future.cause());
        }
    }

    private static String nameOf(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? NetUtil.toSocketAddressString(inet.getHostString(), inet.getPort())
                : "unix:" + address;
    }

    private static final class Acceptor extends ChannelInboundHandlerAdapter {
        private final Placement placement;

        Acceptor(Placement placement) {
            this.placement = placement;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            Channel accepted = (Channel) msg;
            try {
                placement.place(accepted).register(accepted);
            } catch (Throwable e) {
                // This connection alone ends: the next one may have more luck.
                accepted.unsafe().closeForcibly();
                FAILURES.warn(System.nanoTime(), "a connection could not be taken in: " + e);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            FAILURES.warn(
                    System.nanoTime(),
                    "connections cannot be accepted, and wait: " + cause.getMessage()
                            + "; if descriptors are short, raise the limit (ulimit -n)");
            // A client that waits stays in the system's queue, and would be reported again at once.
            ctx.channel().config().setAutoRead(false);
            ctx.channel()
                    .eventLoop()
                    .schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
