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
 * Recognises a client's protocol by its first bytes, before TLS and HTTP see them, and then leaves the pipeline. If the
 * port does not speak the protocol, fires the {@link Stranger} as an event. Owned by the admin port's thread.
 */
final class FirstBytes extends ChannelInboundHandlerAdapter {
    private final Optional<Supplier<ChannelHandler>> tls;
    private ByteBuf kept = Unpooled.EMPTY_BUFFER;

    /** @param tls makes the handler of TLS, which is added unless a proxy's header comes first; empty for plain HTTP */
    FirstBytes(Optional<Supplier<ChannelHandler>> tls) {
        this.tls = tls;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        // This buffer is short, since fewer bytes than the longest signature are kept, and reads are limited.
        kept = Unpooled.wrappedBuffer(kept, (ByteBuf) message);
        int length = kept.readableBytes();
        Optional<Stranger> who = Stranger.of(kept.nioBuffer(), 0, length, false);
        if (who.isEmpty() && Stranger.mayFollow(kept.nioBuffer(), 0, length, false)) {
            return;
        }
        Optional<Stranger> refused = who.filter(it -> it.isProxy() || tls.isEmpty() && it != Stranger.HTTP);
        if (refused.isPresent()) {
            ctx.fireUserEventTriggered(refused.get());
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
