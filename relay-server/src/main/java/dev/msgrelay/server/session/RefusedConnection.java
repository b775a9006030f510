package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.net.PeerName;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/**
 * A connection over the limits: it is told so, and closed. Where there are too many of them, it is closed without a word.
 * Owned by its loop's thread.
 */
public final class RefusedConnection extends ChannelInboundHandlerAdapter {
    /** A read, thrown away. */
    public static final int READ_BYTES = 1 << 10;

    /** Direct memory: a read, and an ERROR. */
    public static final int SAID_BYTES = READ_BYTES + Closing.ERROR_BYTES;

    private final Services services;
    private final CloseReason reason;
    private final String text;

    public RefusedConnection(Services services, CloseReason reason, String text) {
        this.services = services;
        this.reason = reason;
        this.text = text;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        String who = "connection " + PeerName.of(ctx.channel());
        services.closes().closed(who, reason, text, services.clock().nanoTime());
        Pool memory = services.budget().pool(Part.CONNECTIONS);
        if (!services.admission().mayBeTold()) {
            ctx.close();
            return;
        }
        boolean taken = memory.tryTake(SAID_BYTES);
        ctx.channel().closeFuture().addListener(closed -> {
            if (taken) {
                memory.give(SAID_BYTES);
            }
            services.admission().told();
        });
        if (taken) {
            Closing.say(ctx.channel(), reason, text);
        } else {
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
