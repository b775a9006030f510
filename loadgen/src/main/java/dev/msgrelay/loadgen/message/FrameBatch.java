package dev.msgrelay.loadgen.message;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * Messages for one write. A write contains whole messages, or has a fixed size and may end within a frame. If all
 * messages have one size and type, their frames stay in memory from write to write, and only their stamp and time
 * change. Otherwise the frames are packed anew for each write.
 *
 * <pre>
 *  memory        | frame | frame  | frame | frame    |
 *  write         |&lt;---------------------------&gt;|
 *  next write    | rest of the last frame | frame | ...    with one size, the rest moves to the end of the first frame
 * </pre>
 *
 * Not thread-safe. The publisher's thread owns a batch, even if that thread sends for several publisher ids.
 */
public final class FrameBatch {
    private static final int BYTES_PER_WRITE = 256 << 10;

    private final ByteBuffer memory;
    private final ByteBuffer view;
    private final SizeTable sizes;
    private final int maxMessages;

    /** Distance of frames that stay in memory, in bytes; 0: frames are packed anew for each write. */
    private final int step;

    private int messages;

    /** Start of the bytes that are not returned yet. {@link #cut} leaves at most the rest of one frame. */
    private int start;

    private int end;

    private FrameBatch(SizeTable sizes, int maxMessages, int bytes) {
        this.sizes = sizes;
        this.maxMessages = maxMessages;
        this.memory = ByteBuffer.allocateDirect(bytes);
        this.view = memory.duplicate();
        int frameLength = FrameLayout.frameLength(sizes.max());
        this.step = sizes.isUniform() ? frameLength : 0;
        for (int at = 0; step > 0 && at + step <= bytes; at += step) {
            sizes.putFrame(memory, at, 0, 0);
        }
    }

    /** Creates a batch of up to {@code messages} messages of any size. */
    public static FrameBatch ofMessages(SizeTable sizes, int messages) {
        return new FrameBatch(sizes, messages, Math.multiplyExact(messages, FrameLayout.frameLength(sizes.max())));
    }

    /** Creates a batch for as many messages as fit into 256 KiB, but at least one. */
    public static FrameBatch ofBytes(SizeTable sizes) {
        int bytes = Math.max(BYTES_PER_WRITE, FrameLayout.frameLength(sizes.max()));
        return new FrameBatch(sizes, Integer.MAX_VALUE, bytes);
    }

    /** Creates a batch for writes of this size by {@link #cut}, with room for a partial frame at either end. */
    static FrameBatch ofWrites(SizeTable sizes, int writeSize) {
        int frames = Math.multiplyExact(2, FrameLayout.frameLength(sizes.max()));
        return new FrameBatch(sizes, Integer.MAX_VALUE, Math.addExact(writeSize, frames));
    }

    public boolean hasRoom(long stamp) {
        return messages < maxMessages && end + FrameLayout.frameLength(sizes.sizeOf(stamp)) <= memory.capacity();
    }

    /** Adds one message. The caller must have checked {@link #hasRoom}. */
    public void add(long stamp, long intendedNanos) {
        if (step > 0) {
            LoadMessage.put(memory, end + FrameLayout.HEADER_LENGTH, stamp, intendedNanos);
            end += step;
        } else {
            end += sizes.putFrame(memory, end, stamp, intendedNanos);
        }
        messages++;
    }

    /** Adds messages of one publisher as long as there is room; returns their number. */
    public int fill(long first, long timeNanos) {
        long stamp = first;
        for (; hasRoom(stamp); stamp++) {
            add(stamp, timeNanos);
        }
        return (int) (stamp - first);
    }

    /** Empties the batch, and returns all its bytes, which must be written before the next call. */
    public ByteBuffer drain() {
        view.limit(end).position(start);
        start = 0;
        end = 0;
        messages = 0;
        return view;
    }

    /** Adds messages of one publisher until there are enough bytes for a write; returns their number. */
    int fillUpTo(int writeSize, long first, long timeNanos) {
        if (end - start >= writeSize) {
            return 0;
        }
        int rest = end - start;
        int to = rest == 0 || step == 0 ? 0 : step - rest;
        memory.put(to, view.clear(), start, rest);
        start = to;
        int at = to + rest;
        final int last = to + writeSize;
        final ByteBuffer frames = memory;
        long stamp = first;
        if (step == 0) {
            for (; at < last; stamp++) {
                at += sizes.putFrame(frames, at, stamp, timeNanos);
            }
        } else {
            for (; at < last; at += step, stamp++) {
                LoadMessage.put(frames, at + FrameLayout.HEADER_LENGTH, stamp, timeNanos);
            }
        }
        end = at;
        return (int) (stamp - first);
    }

    /**
     * Returns the next bytes of the batch, which must be written before the next call. The bytes after them stay in the
     * batch.
     */
    ByteBuffer cut(int bytes) {
        view.limit(start + bytes).position(start);
        start += bytes;
        return view;
    }
}
