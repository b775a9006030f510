package dev.msgrelay.server.net;

import dev.msgrelay.server.log.Chunk;
import dev.msgrelay.server.log.LogReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Arrays;

/**
 * A subscriber's socket: at most one write in flight, which may point into the log. Owned by the channel's thread.
 *
 * <p>Completion is learnt from the channel's writability: its water marks are set so that it is writable exactly while
 * nothing is pending. That needs no promise and no listener per write.
 */
public final class SocketWriter {
    /** Those of the usual log, with what is held of it. */
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

    /** A write begins; what is added next goes out together. */
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

    /** Lets go of it. Answers whether all of it has been taken already. */
    public boolean end() {
        busy = true;
        channel.flush();
        issuing = false;
        return finished();
    }

    /** Whether a write was in flight and all of it has been taken: told once. */
    public boolean finished() {
        // While a write is being issued its issuer looks itself, once the whole of it is with the channel.
        if (issuing || !busy || !channel.isWritable()) {
            return false;
        }
        busy = false;
        return true;
    }

    /** Bytes of the write in flight that have been taken so far. */
    public long progress() {
        var outbound = channel.unsafe().outboundBuffer();
        return busy && outbound != null ? outbound.currentProgress() : 0;
    }

    /**
     * A view of a chunk. There is one write at a time, so a view that is kept is free again. Of a long log not all are kept:
     * one more object for half a mebibyte costs nothing, all of them for each socket would.
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
