package dev.msgrelay.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.DuplicatedByteBuf;
import java.nio.ByteBuffer;

/**
 * Memory as a channel reads into it: a view that pretends to end at a limit, so that a read takes no more bytes than up
 * to there. The view carries the bytes from the read to the search for frames:
 *
 * <pre>
 *   | ... |begun frame|bytes read ......|      |
 *         ^ reader    ^ writer, before  ^ writer, after     ^ limit
 * </pre>
 *
 * Reused for every read; shares the memory's reference count. Owned by the thread that reads.
 */
// DuplicatedByteBuf is Netty's own class for this; deprecated only to keep others from its successors.
@SuppressWarnings("deprecation")
public final class ReadWindow extends DuplicatedByteBuf {
    private final ByteBuffer view;
    private ByteBuffer room;
    private int limit;

    public ReadWindow(ByteBuf memory) {
        super(memory);
        limit = memory.capacity();
        view = Bytes.view(memory, limit);
    }

    /** Returns a window over direct memory of its own, so many bytes, which {@link #release} gives back. */
    public static ReadWindow allocate(ByteBufAllocator allocator, int bytes) {
        return new ReadWindow(allocator.directBuffer(bytes, bytes));
    }

    /** Opens the window for the next read: both indices are at {@code at}, and it ends at {@code end}. */
    public ReadWindow open(int at, int end) {
        limit = end;
        setIndex(at, at);
        return this;
    }

    /** The whole memory under the window, in the machine's own byte order; the same offsets. */
    public ByteBuffer view() {
        return view;
    }

    /** The bytes from the writer's index to the limit, for a caller that puts bytes there without Netty; reused. */
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
