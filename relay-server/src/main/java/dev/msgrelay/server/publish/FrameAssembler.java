package dev.msgrelay.server.publish;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.server.memory.Bytes;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.memory.ReadWindow;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * The bytes of a publisher that were read and not handed in yet: the start of a frame or, if there was no room, all
 * that the last read brought. A header with a large length does not by itself get memory for its frame.
 *
 * <pre>
 *   size    for                                    memory
 *   SMALL   up to 4 KiB of a frame                 4 KiB, which each connection may always take
 *   SHORT   more of a frame, which is moved in     68 KiB, shared by a loop's publishers. When all are in use, a read
 *           front of the next read                 is so short that SMALL is enough
 *   LONG    a frame of more than 64 KiB            as long as the frame, reserved in the MemoryLine before more is
 *                                                  read; the socket is then read into it
 * </pre>
 *
 * Owned by its connection's thread.
 */
final class FrameAssembler {
    static final int SMALL = 4 << 10;
    static final int SHORT = Inlet.SHORT_BYTES;

    /** Bytes of the longest frame that is moved in front of the next read. A longer frame gets memory of its own. */
    static final int MOVE_BYTES = 64 << 10;

    /** Once this many bytes of a frame have come, and it does not fit in SHORT memory, it gets memory of its own. */
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

    FrameAssembler(ByteBufAllocator allocator, MemoryBudget.Pool own, MemoryLine line, Inlet inlet) {
        this.allocator = allocator;
        this.own = own;
        this.line = line;
        this.inlet = inlet;
    }

    int bytes() {
        return bytes;
    }

    /** Returns the length of the begun frame, if its header is there; otherwise 0. */
    int frame() {
        return frame;
    }

    /** Returns the memory, in the machine's own byte order. Its first {@link #bytes} bytes are those that wait. */
    ByteBuffer view() {
        return view;
    }

    /** Returns whether the bytes begin with {@code 80 00 00}, as the types of all control frames do. */
    boolean beginsControl() {
        return bytes >= 3 && Bytes.bigEndian(view().getInt(0)) >>> Byte.SIZE == ControlFrames.FIRST >>> Byte.SIZE;
    }

    String text() {
        if (bytes == 0) {
            return "";
        }
        return bytes + " of " + (frame == 0 ? "a header" : frame + " bytes");
    }

    /** Returns how many of the {@code wanted} bytes the next read may bring, so that all of them can be kept. */
    int mostPerRead(int wanted) {
        boolean much = size == Size.SHORT || inlet.buffers().any();
        return Math.min(wanted, (much ? SHORT : SMALL) - bytes);
    }

    /** Returns the free rest of the long frame's memory, up to the end of the frame. */
    ReadWindow restOfLong() {
        return memory.open(bytes, frame);
    }

    /** Returns memory after the waiting bytes, for a read of {@code most} bytes while the log has no room. */
    ReadWindow roomAfter(int most) {
        if (bytes + most > view.capacity()) {
            moveBytes(bytes + most, view, 0, bytes);
        }
        return memory.open(bytes, bytes + most);
    }

    boolean owns(ReadWindow read) {
        return read.view() == view;
    }

    void filled(int length) {
        bytes += length;
    }

    void putInFront(ReadWindow read) {
        if (bytes > 0) {
            // The window's reader index stays in front of these bytes.
            read.writeBytes(memory.open(0, bytes).writerIndex(bytes));
        }
    }

    /**
     * Keeps these bytes, which may be none, instead of the bytes kept before.
     *
     * @param length bytes from {@code offset} of {@code source}, which may be this memory
     * @param whole length of the frame that begins with these bytes, if its header has come; otherwise 0
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
        if (!stays && (length > view.capacity() || (size.compareTo(Size.SMALL) > 0 && length <= SMALL))) {
            moveBytes(length, source, offset, length);
        } else if (!here || offset != 0) {
            view.put(0, source, offset, length);
        }
        bytes = length;
        frame = whole;
    }

    /** Takes memory for {@code length} bytes, copies {@code kept} bytes into it, and gives back the old memory. */
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

    /** Returns how many bytes to reserve before more of the frame is read; 0 if none. */
    int wants() {
        boolean doesNotFit =
                frame > MOVE_BYTES || (size == Size.SMALL && !inlet.buffers().any());
        return size != Size.LONG && frame > 0 && bytes >= ASK_AT && doesNotFit ? frame : 0;
    }

    /** Returns whether the begun frame has memory of its own, into which the socket is read. */
    boolean isLong() {
        return size == Size.LONG;
    }

    /** Allocates memory for the frame, after the bytes of {@link #wants} were reserved. */
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

    /** Sets the inlet of another loop. Requires {@link #movable}. */
    void setInlet(Inlet other) {
        inlet = other;
    }

    /** Returns whether no memory of the inlet is in use. */
    boolean movable() {
        return size == Size.NONE || size == Size.SMALL;
    }

    void release() {
        bytes = 0;
        frame = 0;
        switchMemory(null, Size.NONE);
    }
}
