package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.net.PeerName;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/** A connection over the limits: it is told so, and closed. Owned by its loop's thread. */
public final class RefusedConnection extends ChannelInboundHandlerAdapter {
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
        services.closes()
                .closed(
                        "connection " + PeerName.of(ctx.channel()),
                        reason,
                        text,
                        services.clock().nanoTime());
        Closing.say(ctx.channel(), reason, text);
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
