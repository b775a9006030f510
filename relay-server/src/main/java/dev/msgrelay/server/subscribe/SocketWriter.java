package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.stream.Chunk;
import dev.msgrelay.server.stream.LogReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Arrays;

/**
 * Writes to a subscriber's socket, one write at a time. A write may point into the log. The channel's water marks make
 * the channel writable exactly while no byte is pending, so no write needs a promise or a listener. Owned by the
 * channel's thread.
 */
final class SocketWriter {
    /** The most views of chunks that are kept for a socket: enough for a default log with its pinned chunks. */
    private static final int VIEWS = 64;

    private final Channel channel;
    private ByteBuf[] views = {};
    private boolean issuing;
    private boolean busy;

    SocketWriter(Channel channel) {
        this.channel = channel;
    }

    boolean busy() {
        return busy;
    }

    /** Adds pinned bytes of a reader to the next write; only while no write is in flight. */
    void addLog(LogReader reader, long from, int length) {
        long at = from;
        int left = length;
        while (left > 0) {
            Chunk chunk = reader.chunkAt(at);
            int offset = reader.offsetInChunk(at);
            int part = Math.min(left, reader.leftInChunk(at));
            ByteBuf view = view(chunk);
            view.setIndex(offset, offset + part);
            chunk.retain();
            channel.write(view, channel.voidPromise());
            at += part;
            left -= part;
        }
    }

    /** Adds a buffer, which is released once it is written. */
    void add(ByteBuf buffer) {
        channel.write(buffer, channel.voidPromise());
    }

    /** Sends the write; returns whether the socket has taken all of it already. */
    boolean flush() {
        busy = true;
        issuing = true;
        channel.flush();
        issuing = false;
        return finishIfTaken();
    }

    /** Finishes the write in flight if the socket has taken all of it; returns true once for each write. */
    boolean finishIfTaken() {
        // Within channel.flush() the write is not finished yet. After it, flush() checks again for the whole write.
        if (issuing || !busy || !channel.isWritable()) {
            return false;
        }
        busy = false;
        return true;
    }

    long progress() {
        var outbound = channel.unsafe().outboundBuffer();
        return busy && outbound != null ? outbound.currentProgress() : 0;
    }

    /**
     * Returns a view of a chunk. A kept view is not in use, since only one write is in flight. A long log has more
     * chunks than kept views. Then views are made anew, which is cheaper than to keep one for each chunk and socket.
     */
    private ByteBuf view(Chunk chunk) {
        int slot = chunk.id() % VIEWS;
        if (slot >= views.length) {
            views = Arrays.copyOf(views, slot + 1);
        }
        ByteBuf view = views[slot];
        if (view == null || view.unwrap() != chunk.memory()) {
            view = chunk.memory().duplicate();
            views[slot] = view;
        }
        return view;
    }
}
