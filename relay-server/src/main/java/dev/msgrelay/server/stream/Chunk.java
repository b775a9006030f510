package dev.msgrelay.server.stream;

import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * A piece of the log's memory. The references to a chunk are counted: one from the log, one from each {@code LogReader}
 * that pins it, one from each write in flight from it. The log reuses a chunk once its own reference is the only one.
 */
public final class Chunk {
    static final long FREE = -1;

    private final int id;
    private final ByteBuf memory;
    private final ReadWindow window;
    private volatile long number = FREE;

    /** Makes a chunk that belongs to no log, for {@link LogReader#enterPage}. */
    public static Chunk outside(ByteBuf memory) {
        return new Chunk(0, memory);
    }

    Chunk(int id, ByteBuf memory) {
        this.id = id;
        this.memory = memory;
        this.window = new ReadWindow(memory);
    }

    /** A small number, unique among the chunks of its log. */
    public int id() {
        return id;
    }

    /** Returns the memory. A caller that hands the memory to a channel retains it first. */
    public ByteBuf memory() {
        return memory;
    }

    public void retain() {
        memory.retain();
    }

    public void release() {
        memory.release();
    }

    ByteBuffer view() {
        return window.view();
    }

    ReadWindow window() {
        return window;
    }

    /** Returns the stream position of the chunk's first byte, divided by the chunk size; or {@link #FREE}. */
    long number() {
        return number;
    }

    void setNumber(long value) {
        number = value;
    }

    boolean usedByOthers() {
        return memory.refCnt() != 1;
    }
}
