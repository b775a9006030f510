package dev.msgrelay.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DuplicatedByteBuf;
import java.nio.ByteBuffer;

/**
 * Memory as a channel reads into it: a view that pretends to end at a limit, so that a read takes no more than it shall. It
 * carries the bytes from where they are read to where frames are looked for:
 *
 * <pre>
 *   | ... |begun frame|bytes read ......|      |
 *         ^ reader    ^ writer, before  ^ writer, after     ^ limit
 * </pre>
 *
 * Reused for every read; shares the memory's reference count. Owned by the thread that reads.
 */
@SuppressWarnings("deprecation") // the class is Netty's own for this, and says so to keep others off its successors
public final class ReadWindow extends DuplicatedByteBuf {
    private final ByteBuffer view;
    private ByteBuffer room;
    private int limit;

    public ReadWindow(ByteBuf memory) {
        super(memory);
        limit = memory.capacity();
        view = Bytes.view(memory, limit);
    }

    /** The next read goes to {@code at} and ends at {@code end} at the latest; both indices are there. */
    public ReadWindow open(int at, int end) {
        limit = end;
        setIndex(at, at);
        return this;
    }

    /** The memory it looks into, in the machine's own byte order; the same offsets. */
    public ByteBuffer view() {
        return view;
    }

    /** From the writer's index to the limit, for who puts bytes there without Netty; reused. */
    public ByteBuffer room() {
        if (room == null) {
            room = view.duplicate();
        }
        return room.limit(limit).position(writerIndex());
    }

    @Override
    public int capacity() {
        return limit;
    }
}
