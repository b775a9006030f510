package dev.msgrelay.server.subscribe;

import dev.msgrelay.server.stream.Chunk;
import dev.msgrelay.server.stream.LogReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Arrays;

/**
 * The writing side of a subscriber's socket: at most one write in flight, which may point into the log. Owned by the
 * channel's thread.
 *
 * <p>The channel's writability tells that a write is done: its water marks are set so that it is writable exactly while
 * nothing is pending. No write needs a promise or a listener.
 */
final class SocketWriter {
    /** Views kept per socket: enough for a default log's chunks and its pinned ones. */
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

    /** Adds bytes of the log, which the reader holds, to the next write; only while none is in flight. */
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

    /** Adds a buffer likewise, which is released once it is written. */
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

    /** Finishes the write in flight if the socket has taken all of it; returns whether it has, so true once a write. */
    boolean finishIfTaken() {
        // Within the flush the answer is no: flush() asks again, once the channel has the whole write.
        if (issuing || !busy || !channel.isWritable()) {
            return false;
        }
        busy = false;
        return true;
    }

    /** Returns the bytes of the write in flight that the socket has taken. */
    long progress() {
        var outbound = channel.unsafe().outboundBuffer();
        return busy && outbound != null ? outbound.currentProgress() : 0;
    }

    /**
     * Returns a view of a chunk. There is one write at a time, so a kept view is free again. For a long log not all are
     * kept: a new one for each 512 KiB costs nothing, all of them for each socket would cost memory.
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
