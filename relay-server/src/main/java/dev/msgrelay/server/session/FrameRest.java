package dev.msgrelay.server.session;

import dev.msgrelay.protocol.ControlFrames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * What is left of a frame behind the whole ones of a read. A short rest is put in front of what the next read brings; a
 * frame that is long is read into on its own, up to its end. Owned by its session's thread.
 */
final class FrameRest {
    /** An incomplete frame up to this length is moved in front of the next read; a longer one is read into on its own. */
    static final int MOVE_BYTES = 64 << 10;

    private static final int FIRST = 4 << 10;

    private final ByteBufAllocator allocator;
    private ReadBuffer memory;
    private int bytes;
    private int frame;

    FrameRest(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** Bytes of the incomplete frame that are there. */
    int bytes() {
        return bytes;
    }

    /** Its whole length, where its header is there; otherwise 0. */
    int frame() {
        return frame;
    }

    /** Whether the frame is so long that it is read into on its own. */
    boolean isLong() {
        return frame > MOVE_BYTES;
    }

    /** Whether a control frame begins here, as far as can be told: {@code 80 00 00} is all that their types share. */
    boolean beginsControl() {
        return bytes >= 3
                && memory.view().get(0) == (byte) (ControlFrames.FIRST >>> 24)
                && memory.view().get(1) == 0
                && memory.view().get(2) == 0;
    }

    /** Where the rest of a long frame is to be read to. Not behind its end: what follows belongs elsewhere. */
    ByteBuf window() {
        return memory.window(frame).setIndex(0, bytes);
    }

    /** What {@link #window} looks into, or null. */
    ByteBuffer view() {
        return memory == null ? null : memory.view();
    }

    /** Writes what is there to where the next read goes. */
    void putInFront(ByteBuf read) {
        if (bytes > 0) {
            read.writeBytes(memory.memory(), 0, bytes);
        }
    }

    /**
     * Keeps what is left of a frame, if anything, instead of what was kept before.
     *
     * @param length bytes from {@code offset} of {@code source}
     * @param whole the frame's whole length where its header is there, otherwise 0
     */
    void keep(ByteBuffer source, int offset, int length, int whole) {
        if (length > 0) {
            boolean alreadyThere =
                    memory != null && source == memory.view() && offset == 0 && memory.capacity() >= whole;
            if (!alreadyThere) {
                ReadBuffer old = memory;
                memory = roomFor(Math.max(whole, length));
                memory.view().put(0, source, offset, length);
                if (old != null && old != memory) {
                    old.release();
                }
            }
        } else if (memory != null && memory.capacity() > MOVE_BYTES) {
            // A large frame is done; the next one may be long in coming.
            memory.release();
            memory = null;
        }
        bytes = length;
        frame = length > 0 ? whole : 0;
    }

    private ReadBuffer roomFor(int length) {
        if (memory != null && memory.capacity() >= length) {
            return memory;
        }
        return new ReadBuffer(allocator, Math.max(length, FIRST));
    }

    void release() {
        if (memory != null) {
            memory.release();
            memory = null;
        }
        bytes = 0;
        frame = 0;
    }
}
