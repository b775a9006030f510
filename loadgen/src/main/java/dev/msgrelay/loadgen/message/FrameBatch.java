package dev.msgrelay.loadgen.message;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * Messages for one write, whole, or cut where a write of a fixed size ends. Messages of one size and type lie in memory
 * for good: only stamp and time are set, and the write slides over the frames. Messages of several sizes are packed
 * anew for each write.
 *
 * <pre>
 *  memory        | frame | frame  | frame | frame    |
 *  write         |&lt;---------------------------&gt;|
 *  next write    | rest of the last frame | frame | ...        of one size: in the last part of the first frame's place
 * </pre>
 *
 * Not thread-safe: the publisher's thread owns it, for as many publisher ids as it serves.
 */
public final class FrameBatch {
    private static final int BYTES_PER_WRITE = 256 << 10;

    private final ByteBuffer memory;
    private final ByteBuffer window;
    private final SizeTable sizes;
    private final int maxMessages;

    /** Bytes between two frames that lie in memory for good; 0: frames are packed anew. */
    private final int step;

    private int messages;

    /** Begin of the bytes that are packed and not taken; after a cut they are at most the rest of a frame. */
    private int start;

    private int end;

    private FrameBatch(SizeTable sizes, int maxMessages, int bytes) {
        this.sizes = sizes;
        this.maxMessages = maxMessages;
        this.memory = ByteBuffer.allocateDirect(bytes);
        this.window = memory.duplicate();
        int frameLength = FrameLayout.frameLength(sizes.max());
        this.step = sizes.isUniform() ? frameLength : 0;
        for (int at = 0; step > 0 && at + step <= bytes; at += step) {
            sizes.putFrame(memory, at, 0, 0);
        }
    }

    /**
     * A batch of up to {@code messages}, whatever their sizes.
     *
     * @throws ArithmeticException the largest messages take more than 2 GiB
     */
    public static FrameBatch ofMessages(SizeTable sizes, int messages) {
        return new FrameBatch(sizes, messages, Math.multiplyExact(messages, FrameLayout.frameLength(sizes.max())));
    }

    /** A batch of as many messages as go into 256 KiB, at least one. */
    public static FrameBatch ofBytes(SizeTable sizes) {
        int bytes = Math.max(BYTES_PER_WRITE, FrameLayout.frameLength(sizes.max()));
        return new FrameBatch(sizes, Integer.MAX_VALUE, bytes);
    }

    /** A batch for {@link #cut} writes of this size, with room for the rest of a frame on either side. */
    static FrameBatch ofWrites(SizeTable sizes, int writeSize) {
        int frames = Math.multiplyExact(2, FrameLayout.frameLength(sizes.max()));
        return new FrameBatch(sizes, Integer.MAX_VALUE, Math.addExact(writeSize, frames));
    }

    public boolean hasRoom(long stamp) {
        return messages < maxMessages && end + FrameLayout.frameLength(sizes.sizeOf(stamp)) <= memory.capacity();
    }

    /** Adds one message; the caller asks {@link #hasRoom} before. */
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

    /** Empties the batch; the result has all its bytes, to be written before the next call. */
    public ByteBuffer drain() {
        window.limit(end).position(start);
        start = 0;
        end = 0;
        messages = 0;
        return window;
    }

    /** Adds messages of one publisher for a write of this size; returns their number. */
    int fillUpTo(int writeSize, long first, long timeNanos) {
        if (end - start >= writeSize) {
            return 0;
        }
        int rest = end - start;
        int to = rest == 0 || step == 0 ? 0 : step - rest;
        memory.put(to, window.clear(), start, rest);
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

    /** The next bytes of the batch, to be written before the next call; the bytes behind them stay. */
    ByteBuffer cut(int bytes) {
        window.limit(start + bytes).position(start);
        start += bytes;
        return window;
    }
}
