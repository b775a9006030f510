package dev.msgrelay.server.harness;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The other end of an embedded channel's socket: copies what is written once it is flushed; may take nothing for a
 * while.
 */
public final class Wire extends ChannelOutboundHandlerAdapter {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final List<byte[]> pending = new ArrayList<>();
    private boolean blocked;

    /** The socket takes nothing from now on: what is written stays with the channel. */
    public void block() {
        blocked = true;
    }

    /** The socket takes everything again, what waits first. */
    public void unblock(Channel channel) {
        blocked = false;
        channel.flush();
    }

    /** What has come since the last call of this. */
    public byte[] take() {
        byte[] bytes = written.toByteArray();
        written.reset();
        return bytes;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) msg;
        byte[] copy = new byte[bytes.readableBytes()];
        bytes.getBytes(bytes.readerIndex(), copy);
        pending.add(copy);
        ctx.write(msg, promise);
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        if (!blocked) {
            pending.forEach(written::writeBytes);
            pending.clear();
            ctx.flush();
            EmbeddedChannel channel = (EmbeddedChannel) ctx.channel();
            for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
                sent.release();
            }
        }
    }
}
