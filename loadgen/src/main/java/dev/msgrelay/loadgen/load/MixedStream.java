package dev.msgrelay.loadgen.load;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * An endless stream of measured messages of different sizes, cut into writes of one size wherever that falls. Unlike
 * those of a {@link PackedStream} its frames are packed anew for each write: where the next one begins depends on the
 * sizes before it.
 *
 * <pre>
 *  memory        | frame | frame  | frame | frame    |
 *  write         |&lt;---------------------------&gt;|
 *  next write    | rest of the last frame | frame | ...
 * </pre>
 */
public final class MixedStream implements MessageStream {
    private final ByteBuffer memory;
    private final ByteBuffer window;
    private final SizeTable sizes;
    private final int writeSize;
    private final int publisher;

    /** What is packed and not yet handed out: at most the rest of one frame once a write has been cut. */
    private int start;

    private int end;
    private long nextNumber;

    /**
     * @param publisher id, 0..{@link LoadMessage#MAX_PUBLISHER}
     * @param writeSize bytes of every write
     * @param firstNumber the first message's number
     */
    public MixedStream(int publisher, SizeTable sizes, int writeSize, long firstNumber) {
        this.publisher = publisher;
        this.sizes = sizes;
        this.writeSize = writeSize;
        this.nextNumber = firstNumber;
        this.memory = ByteBuffer.allocateDirect(Math.addExact(writeSize, FrameLayout.frameLength(sizes.max())));
        this.window = memory.duplicate();
    }

    @Override
    public ByteBuffer next(long timeNanos) {
        if (end - start < writeSize) {
            memory.put(0, window.clear(), start, end - start);
            end -= start;
            start = 0;
            while (end < writeSize) {
                end += LoadMessage.putFrame(memory, end, LoadMessage.stamp(publisher, nextNumber++), timeNanos, sizes);
            }
        }
        window.limit(start + writeSize).position(start);
        start += writeSize;
        return window;
    }

    @Override
    public ByteBuffer rest() {
        window.limit(end).position(start);
        start = end;
        return window;
    }

    @Override
    public long nextNumber() {
        return nextNumber;
    }
}
