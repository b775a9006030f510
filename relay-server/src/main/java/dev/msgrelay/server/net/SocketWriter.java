package dev.msgrelay.server.net;

import dev.msgrelay.server.log.Chunk;
import dev.msgrelay.server.log.LogReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Arrays;

/**
 * The writing side of a subscriber's socket: at most one write in flight, which may point into the log. Owned by the
 * channel's thread.
 *
 * <p>The channel's writability tells completion: its water marks are set so that the channel is writable exactly while
 * nothing is pending. So a write needs no promise and no listener.
 */
public final class SocketWriter {
    /** Views kept per socket: enough for the chunks of a log of the default size, with those that readers hold. */
    private static final int VIEWS = 64;

    private final Channel channel;
    private ByteBuf[] views = {};
    private boolean issuing;
    private boolean busy;

    public SocketWriter(Channel channel) {
        this.channel = channel;
    }

    /** Whether a write is in flight. */
    public boolean busy() {
        return busy;
    }

    /** Begins a write; all bytes added before {@link #end} go out together. */
    public void begin() {
        issuing = true;
    }

    /** Adds bytes of the log, which the reader holds. */
    public void addLog(LogReader reader, long from, int length) {
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
    public void add(ByteBuf buffer) {
        channel.write(buffer, channel.voidPromise());
    }

    /** Hands the write to the channel. Returns whether the channel has written all of it already. */
    public boolean end() {
        busy = true;
        channel.flush();
        issuing = false;
        return finished();
    }

    /** Whether a write was in flight and is now written completely. Returns true once per write. */
    public boolean finished() {
        // While a write is being issued, {@link #end} looks at completion once the whole write is with the channel.
        if (issuing || !busy || !channel.isWritable()) {
            return false;
        }
        busy = false;
        return true;
    }

    /** Bytes of the write in flight that the socket has taken so far. */
    public long progress() {
        var outbound = channel.unsafe().outboundBuffer();
        return busy && outbound != null ? outbound.currentProgress() : 0;
    }

    /**
     * A view of a chunk. There is one write at a time, so a kept view is free again. For a long log not all views are
     * kept: a new one for each 512 KiB costs nothing, but all of them for each socket would cost memory.
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
