package dev.msgrelay.server.producers;

import dev.msgrelay.server.connection.Dialogue;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.VoidChannelPromise;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Sends control frames to a publisher that said HELLO, from memory of its own, one write at a time. Owned by the
 * connection's thread.
 */
public final class Replies {
    public static final int BYTES = Dialogue.MOST_BYTES;

    private final Channel channel;
    private final Pool memory;
    private final ByteBuf buffer;
    private final ByteBuffer view;
    // With this promise a failed write does not close the channel. Bytes that the publisher sent before are still read.
    private final ChannelPromise unasked;
    private boolean writing;

    /** Takes {@link #BYTES} of the pool. The memory plan has this many bytes for each connection. */
    Replies(Channel channel, Pool memory) {
        this.channel = channel;
        this.memory = memory;
        ByteBufAllocator allocator = channel.alloc();
        unasked = new VoidChannelPromise(channel, false);
        if (!memory.tryTake(BYTES)) {
            throw new IllegalStateException(
                    "connections take more than the " + memory.limit() + " bytes planned for them");
        }
        buffer = memory.allocate(BYTES, () -> allocator.directBuffer(BYTES, BYTES));
        view = buffer.nioBuffer(0, BYTES).order(ByteOrder.BIG_ENDIAN);
    }

    /** Sends the frames that are due, unless a write is in flight. {@code newest} is the stream's last number. */
    void send(Dialogue dialogue, long newest) {
        // A write may call this method again. That call finds writing set, and sends nothing; this loop then looks
        // again.
        while (!writing && dialogue.due() && channel.isWritable()) {
            writing = true;
            view.clear();
            dialogue.putDue(view, 0, newest);
            buffer.setIndex(0, view.position());
            channel.writeAndFlush(buffer.retain(), unasked);
            writing = false;
        }
    }

    /** Writes frames that are due, to be flushed with the next write. */
    void sendLast(Dialogue dialogue, long newest) {
        if (dialogue.due()) {
            ByteBuffer last = ByteBuffer.allocate(dialogue.mostBytes());
            dialogue.putDue(last, 0, newest);
            channel.write(Unpooled.wrappedBuffer(last.flip()), unasked);
        }
    }

    /** Gives the memory back. Called only when the channel is closed, because before that a write may be in flight. */
    void release() {
        buffer.release();
        memory.giveBack(BYTES);
    }
}
