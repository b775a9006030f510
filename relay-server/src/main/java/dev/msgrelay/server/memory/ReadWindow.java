package dev.msgrelay.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.DuplicatedByteBuf;
import java.nio.ByteBuffer;

/**
 * The memory that a channel reads into. The buffer seems to end at a limit, so that Netty reads no further. After a
 * read, the bytes are searched for frames:
 *
 * <pre>
 *   | ... |begun frame|bytes read ......|      |
 *         ^ reader    ^ writer, before  ^ writer, after     ^ limit
 * </pre>
 *
 * Used for every read. Shares the memory's reference count. Owned by the thread that reads.
 */
// DuplicatedByteBuf is Netty's own class for this. It is deprecated, but its successors are not public.
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

    /** Returns a window over new direct memory, which {@link #release} frees. */
    public static ReadWindow allocate(ByteBufAllocator allocator, int bytes) {
        return new ReadWindow(allocator.directBuffer(bytes, bytes));
    }

    /** Sets the window up for the next read: both indices are at {@code at}, the limit is {@code end}. */
    public ReadWindow open(int at, int end) {
        limit = end;
        setIndex(at, at);
        return this;
    }

    /** The whole memory, in the machine's byte order, with the same offsets. */
    public ByteBuffer view() {
        return view;
    }

    /** The bytes from the writer's index to the limit, for reads without Netty. Always the same buffer. */
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
