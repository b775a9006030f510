package dev.msgrelay.server.connection;

import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.net.AcceptedSocket;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A connection beyond the limits, which is sent an ERROR and closed. A new socket has room for that. Input is then read
 * for a while, because unread input would cause a reset, which may overtake ERROR. Owned by its loop's thread.
 */
public final class RefusedConnection extends ChannelInboundHandlerAdapter {
    /** The most bytes of one read. They are thrown away. */
    public static final int READ_BYTES = 1 << 10;

    /** Direct memory of a refused connection, for a read and an ERROR. */
    public static final int SAID_BYTES = READ_BYTES + Closing.ERROR_BYTES;

    /** The newest refused connections, which are still open, and their memory. Any thread. */
    public static final class Newest {
        /** The largest number of these connections. When another one comes, the oldest is closed. */
        public static final int MOST = 64;

        private final Deque<Channel> channels = new ArrayDeque<>(MOST);

        /**
         * Adds a connection, and takes memory for it, which is given back when the connection is closed or is among the
         * newest no longer; returns false, and adds nothing, if there is no memory.
         */
        synchronized boolean add(Channel channel, Pool memory) {
            while (channels.size() >= MOST) {
                // A channel of another loop closes later. It has had its ERROR, and needs the memory no more.
                Channel oldest = channels.pollFirst();
                memory.giveBack(SAID_BYTES);
                oldest.close();
            }
            if (!memory.tryTake(SAID_BYTES)) {
                return false;
            }
            channels.addLast(channel);
            channel.closeFuture().addListener(closed -> remove(channel, memory));
            return true;
        }

        private synchronized void remove(Channel channel, Pool memory) {
            if (channels.remove(channel)) {
                memory.giveBack(SAID_BYTES);
            }
        }
    }

    private final Services services;
    private final Newest newest;
    private final Refusal why;

    public RefusedConnection(Services services, Newest newest, Refusal why) {
        this.services = services;
        this.newest = newest;
        this.why = why;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        Channel channel = ctx.channel();
        services.closes()
                .closed(
                        "connection " + AcceptedSocket.peerName(channel),
                        why.reason(),
                        why.text(),
                        services.clock().nanoTime());
        if (!newest.add(channel, services.budget().pool(Part.CONNECTIONS))) {
            ctx.close();
            return;
        }
        ChannelFuture said = Closing.say(channel, why);
        if (!said.isDone()) {
            // The relay does not wait until a full socket has room for the ERROR.
            ctx.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ReferenceCountUtil.release(msg);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
