package dev.msgrelay.server.transport;

import dev.msgrelay.server.loop.RelayLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
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
        /** Sets options and handlers; answers the loop it is to be registered with. */
        RelayLoop place(Channel accepted);
    }

    private static final int BACKLOG = 1024;
    private static final int BIND_SECONDS = 10;

    private final ServerChannel channel;

    private Listener(ServerChannel channel) {
        this.channel = channel;
    }

    /**
     * Binds and starts accepting.
     *
     * @throws IOException naming the address and what the system said
     */
    public static Listener bind(ServerChannel channel, SocketAddress address, RelayLoop loop, Placement placement)
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

    /** The address it is bound to, with the port that the system chose where 0 was asked for. */
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
            placement.place(accepted).register(accepted);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // Out of descriptors, most likely: go on, but not in a tight loop.
            org.slf4j.LoggerFactory.getLogger("relay").warn("accepting failed: {}", cause.getMessage());
            ctx.channel().config().setAutoRead(false);
            ctx.channel().eventLoop().schedule(() -> ctx.channel().config().setAutoRead(true), 1, TimeUnit.SECONDS);
        }
    }
}
