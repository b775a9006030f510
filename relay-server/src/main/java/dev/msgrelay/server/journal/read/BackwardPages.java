package dev.msgrelay.server.journal.read;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.StreamHead;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads a journal from a place to its beginning, a page of whole blocks at a time. Owned by one thread.
 *
 * <pre>
 *   | block | block | block | block | block |
 *                           |--- page 1 ----|  start
 *           |--- page 2 ----|
 * </pre>
 */
public final class BackwardPages {
    private static final int STRIDE = 1 << 20;

    /** What is before a page. */
    public enum Before {
        /** More of the journal, or what the caller wants no more. */
        MORE,
        /** Nothing that is known: the oldest segments were dropped. */
        DROPPED,
        /** Damage. */
        DAMAGE
    }

    private final BlockReader blocks;
    private final StreamHead limit;
    private final Mark end = new Mark();
    private final Mark from = new Mark();

    /** @param blocks a reader that reads up to {@code limit} */
    public BackwardPages(BlockReader blocks, StreamHead limit) {
        this.blocks = blocks;
        this.limit = limit;
    }

    /** The bytes of a page that has room for what one read takes, if no message is longer than {@code maxBody}. */
    public static int pageBytes(int maxBody) {
        return STRIDE + BlockReader.PAGE_BYTES + FrameLayout.frameLength(maxBody);
    }

    /** Goes to the beginning of a block. */
    public void start(long position, long sequence) {
        from.set(position, sequence);
    }

    /** Where the last page begins: the end of the next one. */
    public Mark from() {
        return from;
    }

    /** Returns the bytes of the last page; 0 if nothing of it was whole. */
    public int length() {
        return (int) (end.position() - from.position());
    }

    /**
     * Reads the blocks before the last page.
     *
     * @param floor where blocks begin of which the caller wants none that are older
     */
    public Before previous(ByteBuffer page, long floor) {
        page.clear();
        end.copy(from);
        limit.set(end.position(), end.sequence());
        long wanted = Math.max(floor, end.position() - STRIDE);
        blocks.seekPosition(wanted);
        from.copy(blocks.at());
        Before before = from.position() > wanted ? Before.DROPPED : Before.MORE;
        int filled = 0;
        while (true) {
            ByteBuffer rest = page.slice(filled, page.capacity() - filled).order(ByteOrder.nativeOrder());
            BlockReader.Found found = blocks.next(rest);
            if (found == BlockReader.Found.ALL_READ) {
                if (blocks.at().position() != end.position()) {
                    // Behind the end everything was dropped meanwhile.
                    from.copy(end);
                }
                return before;
            }
            if (found == BlockReader.Found.BLOCKS) {
                filled += (int) blocks.needed();
            } else {
                before = found == BlockReader.Found.DROPPED ? Before.DROPPED : Before.DAMAGE;
                filled = 0;
                from.copy(blocks.foundEnd());
            }
            blocks.pass();
        }
    }
}
