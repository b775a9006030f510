package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/** A connection over the limits: it is told so, and closed. Owned by its loop's thread. */
public final class RefusedSession extends ChannelInboundHandlerAdapter {
    private final Connections connections;
    private final CloseReason reason;
    private final String text;

    public RefusedSession(Connections connections, CloseReason reason, String text) {
        this.connections = connections;
        this.reason = reason;
        this.text = text;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        connections.refused(SessionContext.peerName(ctx.channel()), reason, text);
        Farewell.say(ctx.channel(), reason, text);
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
