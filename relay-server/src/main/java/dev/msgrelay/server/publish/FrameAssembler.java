package dev.msgrelay.server.publish;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.server.memory.Bytes;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * The bytes of a publisher that are not in the order yet: the start of a frame or, if there was no room, all that was
 * read last. Memory is taken for bytes that have come. A length that a header announces is only ever reserved.
 *
 * <pre>
 *   size    for                                          memory
 *   SMALL   a start of up to 4 KiB                       4 KiB of the connection's own, always to be had
 *   SHORT   a longer one; moved in front of the next     68 KiB, shared by a loop's publishers; with none left, a
 *           read                                         connection reads so little at a time that SMALL is enough
 *   LONG    a frame of more than 64 KiB, read into       reserved in full, in a line, before it is read on
 *           on its own
 * </pre>
 *
 * Owned by its connection's thread.
 */
final class FrameAssembler {
    static final int SMALL = 4 << 10;
    static final int SHORT = Inlet.SHORT_BYTES;

    /** A longer frame gets memory of its own, that sockets are read into. */
    static final int MOVE_BYTES = 64 << 10;

    /** Bytes of a frame that does not fit in SHORT memory, with which its own memory is asked for. */
    private static final int ASK_AT = 2 << 10;

    private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);

    private enum Size {
        NONE,
        SMALL,
        SHORT,
        LONG
    }

    private final ByteBufAllocator allocator;
    private final MemoryBudget.Pool own;
    private final MemoryLine line;
    private Inlet inlet;
    private ReadWindow memory;
    private ByteBuffer view = NO_BYTES;
    private Size size = Size.NONE;
    private int bytes;
    private int frame;

    /** @param line for long frames */
    FrameAssembler(ByteBufAllocator allocator, MemoryBudget.Pool own, MemoryLine line, Inlet inlet) {
        this.allocator = allocator;
        this.own = own;
        this.line = line;
        this.inlet = inlet;
    }

    int bytes() {
        return bytes;
    }

    /** Bytes of the whole frame that the waiting bytes begin, if its header is there; otherwise 0. */
    int frame() {
        return frame;
    }

    /** Memory whose first {@link #bytes} wait, in the machine's own byte order. */
    ByteBuffer view() {
        return view;
    }

    /** Whether a control frame begins here, as far as known: {@code 80 00 00} is all that their types share. */
    boolean beginsControl() {
        return bytes >= 3 && Bytes.bigEndian(view().getInt(0)) >>> Byte.SIZE == ControlFrames.FIRST >>> Byte.SIZE;
    }

    /** What waits, for people; empty: nothing. */
    String text() {
        if (bytes == 0) {
            return "";
        }
        return bytes + " of " + (frame == 0 ? "a header" : frame + " bytes");
    }

    /** Bytes of a read, of {@code wanted}, that can be kept whatever they are. */
    int mostPerRead(int wanted) {
        boolean much = size == Size.SHORT || inlet.buffers().any();
        return Math.min(wanted, (much ? SHORT : SMALL) - bytes);
    }

    /** The rest of a long frame, and not behind its end: the next frame belongs elsewhere. */
    ReadWindow restOfLong() {
        return memory.open(bytes, frame);
    }

    /**
     * Memory behind the waiting bytes, for a read that the log has no room for; {@code most}: see {@link #mostPerRead}.
     */
    ReadWindow behind(int most) {
        if (bytes + most > capacity()) {
            moveBytes(bytes + most, view, 0, bytes);
        }
        return memory.open(bytes, bytes + most);
    }

    boolean owns(ReadWindow read) {
        return read.view() == view;
    }

    /** A read has brought bytes to this memory, behind the waiting ones. */
    void filled(int length) {
        bytes += length;
    }

    /** Puts the waiting bytes in front of the next read. */
    void putInFront(ReadWindow read) {
        if (bytes > 0) {
            // The writer's index moves on, the reader's stays in front of these bytes.
            read.writeBytes(memory.open(0, bytes).writerIndex(bytes));
        }
    }

    /**
     * Keeps bytes, if any, instead of those that were kept before.
     *
     * @param length bytes from {@code offset} of {@code source}, which may be this memory
     * @param whole bytes of the whole frame that they begin, if its header is there and it is alone; otherwise 0
     */
    void store(ByteBuffer source, int offset, int length, int whole) {
        if (length == 0) {
            bytes = 0;
            frame = 0;
            if (size != Size.SMALL) {
                switchMemory(null, Size.NONE);
            }
            return;
        }
        boolean here = source == view;
        if (!here) {
            bytes = 0;
        }
        boolean fitsShort = length <= SHORT && inlet.buffers().any();
        boolean stays = here && length > SMALL && !fitsShort;
        if (!stays && (length > capacity() || (size.compareTo(Size.SMALL) > 0 && length <= SMALL))) {
            moveBytes(length, source, offset, length);
        } else if (!here || offset != 0) {
            view.put(0, source, offset, length);
        }
        bytes = length;
        frame = whole;
    }

    private int capacity() {
        return view.capacity();
    }

    /**
     * Takes memory for {@code length} bytes, copies {@code kept} of the source there, and gives back the former memory.
     */
    private void moveBytes(int length, ByteBuffer source, int offset, int kept) {
        boolean fits = length <= SMALL;
        moveTo(fits ? small() : inlet.buffers().borrow(), fits ? Size.SMALL : Size.SHORT, source, offset, kept);
    }

    private void moveTo(ReadWindow other, Size otherSize, ByteBuffer source, int offset, int kept) {
        if (kept > 0) {
            other.view().put(0, source, offset, kept);
        }
        switchMemory(other, otherSize);
    }

    /** Has other memory, or none, and gives back the former one. */
    private void switchMemory(ReadWindow other, Size otherSize) {
        ReadWindow old = memory;
        Size oldSize = size;
        memory = other;
        size = otherSize;
        view = size == Size.NONE ? NO_BYTES : other.view();
        switch (oldSize) {
            case NONE -> {}
            case SMALL -> {
                old.release();
                own.giveBack(SMALL);
            }
            case SHORT -> inlet.buffers().giveBack(old);
            case LONG -> {
                int reserved = old.view().capacity();
                old.release();
                line.giveBack(reserved);
            }
        }
    }

    private ReadWindow small() {
        if (!own.tryTake(SMALL)) {
            throw new IllegalStateException(
                    "connections take more than the " + own.limit() + " bytes planned for them");
        }
        return own.allocate(SMALL, () -> ReadWindow.allocate(allocator, SMALL));
    }

    /** Bytes that have to be reserved before the frame is read on; 0: none. */
    int wants() {
        boolean doesNotFit =
                frame > MOVE_BYTES || (size == Size.SMALL && !inlet.buffers().any());
        return size != Size.LONG && frame > 0 && bytes >= ASK_AT && doesNotFit ? frame : 0;
    }

    /** Whether the frame has memory of its own: the next read goes there, up to the frame's end. */
    boolean isLong() {
        return size == Size.LONG;
    }

    /** The memory that the frame {@link #wants} has been reserved. */
    void grow() {
        ReadWindow other;
        try {
            other = ReadWindow.allocate(allocator, frame);
        } catch (OutOfMemoryError none) {
            line.giveBack(frame);
            throw none;
        }
        moveTo(other, Size.LONG, view, 0, bytes);
    }

    /** Sets the inlet of another loop; only while {@link #movable}. */
    void setInlet(Inlet other) {
        inlet = other;
    }

    /** Whether no memory of the inlet's is in use. */
    boolean movable() {
        return size == Size.NONE || size == Size.SMALL;
    }

    void release() {
        bytes = 0;
        frame = 0;
        switchMemory(null, Size.NONE);
    }
}
