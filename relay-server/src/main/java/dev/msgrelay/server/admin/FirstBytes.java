package dev.msgrelay.server.admin;

import dev.msgrelay.server.net.Stranger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Looks at the first bytes of a connection, before TLS and HTTP do, and leaves the pipeline as soon as they show the
 * client's protocol. A protocol that the port does not speak is an event. Owned by the admin port's thread.
 */
final class FirstBytes extends ChannelInboundHandlerAdapter {
    private final Optional<Supplier<ChannelHandler>> tls;
    private ByteBuf kept = Unpooled.EMPTY_BUFFER;

    /** @param tls makes the handler of TLS, once it is clear that no proxy's header comes first; empty: plain HTTP */
    FirstBytes(Optional<Supplier<ChannelHandler>> tls) {
        this.tls = tls;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        // Fewer bytes than the longest signature, and one read.
        kept = Unpooled.wrappedBuffer(kept, (ByteBuf) message);
        int length = kept.readableBytes();
        Stranger who = Stranger.of(kept.nioBuffer(), 0, length, false);
        if (who == null && Stranger.mayFollow(kept.nioBuffer(), 0, length, false)) {
            return;
        }
        if (who != null && (who.isProxy() || tls.isEmpty() && who != Stranger.HTTP)) {
            ctx.fireUserEventTriggered(who);
        } else {
            tls.ifPresent(made -> ctx.pipeline().addAfter(ctx.name(), null, made.get()));
            ctx.fireChannelRead(kept);
            kept = Unpooled.EMPTY_BUFFER;
        }
        ctx.pipeline().remove(this);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        kept.release();
        kept = Unpooled.EMPTY_BUFFER;
    }
}
