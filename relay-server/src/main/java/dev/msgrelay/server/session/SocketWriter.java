package dev.msgrelay.server.session;

import dev.msgrelay.server.log.Chunk;
import dev.msgrelay.server.log.PacketLog;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Arrays;

/**
 * A subscriber's socket: at most one write in flight, which may point into the log. Owned by the channel's thread.
 *
 * <p>Completion is learnt from the channel's writability: its water marks are set so that it is writable exactly while
 * nothing is pending. That needs no promise and no listener per write.
 */
final class SocketWriter {
    private final Channel channel;
    private final PacketLog log;
    private ByteBuf[] views = {};
    private boolean issuing;
    private boolean busy;

    SocketWriter(Channel channel, PacketLog log) {
        this.channel = channel;
        this.log = log;
    }

    /** Whether a write is in flight. */
    boolean busy() {
        return busy;
    }

    /** A write begins; what is added next goes out together. */
    void begin() {
        issuing = true;
    }

    /** Adds bytes of the log, in chunks that the caller holds. */
    void addLog(Pins pins, long from, int length) {
        long at = from;
        int left = length;
        while (left > 0) {
            Chunk chunk = pins.at(at);
            int offset = log.offsetInChunk(at);
            int part = Math.min(left, log.chunkBytes() - offset);
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

    /** Lets go of it. Answers whether all of it has been taken already. */
    boolean end() {
        busy = true;
        channel.flush();
        issuing = false;
        return finished();
    }

    /** Whether a write was in flight and all of it has been taken: told once. */
    boolean finished() {
        // While a write is being issued its issuer looks itself, once the whole of it is with the channel.
        if (issuing || !busy || !channel.isWritable()) {
            return false;
        }
        busy = false;
        return true;
    }

    /** Bytes of the write in flight that have been taken so far. */
    long progress() {
        var outbound = channel.unsafe().outboundBuffer();
        return busy && outbound != null ? outbound.currentProgress() : 0;
    }

    /** The one view of a chunk that this socket's writes use: there is one write at a time, so it is free again. */
    private ByteBuf view(Chunk chunk) {
        int id = chunk.id();
        if (id >= views.length) {
            views = Arrays.copyOf(views, Math.max(id + 1, log.chunkCount()));
        }
        ByteBuf view = views[id];
        if (view == null) {
            view = chunk.memory().duplicate();
            views[id] = view;
        }
        return view;
    }
}
