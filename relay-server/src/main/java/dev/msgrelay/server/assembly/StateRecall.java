package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.RunScan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state from the journal, as far as it is kept, before the relay takes its first message. Damage, and what
 * was dropped, count as forgotten, together with all before it.
 */
final class StateRecall {
    private static final Logger LOG = LoggerFactory.getLogger("relay");
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BlockReader blocks;
    private final StateIndex index;
    private final int maxBody;
    private final ByteBufAllocator allocator;
    // The memory of pages on the way to subscribers, of whom there are none yet.
    private final MemoryBudget.Pool pool;
    private final RunScan scan = new RunScan(Integer.MAX_VALUE, FrameLayout.MAX_MAX_BODY, true);

    StateRecall(Journal journal, StateIndex index, int maxBody, ByteBufAllocator allocator, MemoryBudget.Pool pool) {
        this.blocks = journal.newBlockReader(ByteBuffer.allocate(BlockReader.RECORD_BYTES));
        this.index = index;
        this.maxBody = maxBody;
        this.allocator = allocator;
        this.pool = pool;
    }

    /** @param end where the log begins */
    void read(Mark end) {
        Mark oldest = new Mark();
        blocks.oldest(oldest);
        blocks.seek(oldest.sequence());
        index.recallFrom(blocks.at().sequence());
        ByteBuf page = take(BlockReader.PAGE_BYTES);
        long from = blocks.at().position();
        long told = System.nanoTime();
        try {
            for (long needed = 0; needed >= 0; ) {
                if (needed > page.capacity()) {
                    giveBack(page);
                    page = null;
                    page = take((int) needed);
                }
                needed = next(page);
                if (System.nanoTime() - told > TELL_NANOS) {
                    told = System.nanoTime();
                    LOG.info(
                            "the state is read from the journal: {} of {} bytes so far",
                            blocks.at().position() - from,
                            end.position() - from);
                }
            }
        } finally {
            if (page != null) {
                giveBack(page);
            }
        }
        if (blocks.at().sequence() < end.sequence()) {
            index.forgetUpTo(end.sequence() - 1);
        }
        index.recalled();
    }

    /** Reads the next blocks; returns the bytes that a longer page needs, 0 if this one will do, or -1 at the end. */
    private long next(ByteBuf page) {
        ByteBuffer bytes = page.nioBuffer(0, page.capacity()).order(ByteOrder.nativeOrder());
        long sequence = blocks.at().sequence();
        switch (blocks.next(bytes)) {
            case BLOCKS -> {
                int length = (int) blocks.needed();
                index.recall(scan.scan(bytes, 0, length, 0), sequence, maxBody);
                if (scan.wholeBytes() != length) {
                    throw new IllegalStateException(
                            "blocks of the journal are not whole frames: " + scan.problemText());
                }
            }
            case LONGER -> {
                if (blocks.needed() <= pool.limit()) {
                    return blocks.needed();
                }
                index.forgetUpTo(blocks.foundEnd().sequence() - 1);
            }
            case DAMAGE, DROPPED -> index.forgetUpTo(blocks.foundEnd().sequence() - 1);
            case ALL_READ -> {
                return -1;
            }
        }
        blocks.pass();
        return 0;
    }

    private ByteBuf take(int bytes) {
        if (!pool.tryTake(bytes)) {
            throw new IllegalStateException("no " + bytes + " bytes of " + pool.limit() + " to read the journal");
        }
        return pool.allocate(bytes, () -> allocator.directBuffer(bytes, bytes));
    }

    private void giveBack(ByteBuf page) {
        pool.giveBack(page.capacity());
        page.release();
    }
}
