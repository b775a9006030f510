package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SnapshotFile;
import dev.msgrelay.server.journal.format.SnapshotReader;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.RunScan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state before the relay takes its first message: the snapshot, then the journal from the snapshot's end on.
 * Without a snapshot that fits, the journal is read as far as it is kept. Damage, and what was dropped, count as
 * forgotten, together with all before it.
 */
final class StateRecall {
    private static final Logger LOG = LoggerFactory.getLogger("relay");
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Journal journal;
    private final BlockReader blocks;
    private final StateIndex index;
    private final long size;
    private final int maxBody;
    private final ByteBufAllocator allocator;
    // The memory of pages on the way to subscribers, of whom there are none yet.
    private final MemoryBudget.Pool pool;
    private final RunScan scan = new RunScan(Integer.MAX_VALUE, FrameLayout.MAX_MAX_BODY, true);
    private Optional<ByteBuf> page = Optional.empty();
    private long told = System.nanoTime();

    /** @param size bytes of the index, see {@code --state} */
    StateRecall(
            Journal journal,
            StateIndex index,
            long size,
            int maxBody,
            ByteBufAllocator allocator,
            MemoryBudget.Pool pool) {
        this.journal = journal;
        this.blocks = journal.newBlockReader(ByteBuffer.allocate(BlockReader.RECORD_BYTES));
        this.index = index;
        this.size = size;
        this.maxBody = maxBody;
        this.allocator = allocator;
        this.pool = pool;
    }

    /**
     * Reads the state up to where the log begins.
     *
     * @return the snapshot that was read, on which the next one may build
     */
    Optional<SnapshotFile> read(Mark end) {
        try {
            Optional<SnapshotFile> used = snapshot(end);
            seek(used);
            long from = blocks.at().position();
            for (long needed = 0; needed >= 0; ) {
                needed = next(roomFor(needed));
                tell("journal", blocks.at().position() - from, end.position() - from);
            }
            if (blocks.at().sequence() < end.sequence()) {
                index.forgetUpTo(end.sequence() - 1);
            }
            index.recalled();
            return used;
        } finally {
            giveBack();
        }
    }

    private void seek(Optional<SnapshotFile> used) {
        Mark oldest = new Mark();
        blocks.oldest(oldest);
        blocks.seek(used.map(SnapshotFile::sequence).orElse(oldest.sequence()));
        long first = blocks.at().sequence();
        if (used.isEmpty()) {
            index.recallFrom(first, first);
        } else if (first > used.get().sequence()) {
            index.forgetUpTo(first - 1);
        }
    }

    // ---- the snapshot -------------------------------------------------------------------------------------------

    /** Reads the snapshot; returns empty, and leaves the index empty, if there is none that fits. */
    private Optional<SnapshotFile> snapshot(Mark end) {
        if (!journal.disk().has(FileNames.STATE)) {
            return Optional.empty();
        }
        try (SnapshotReader reader = new SnapshotReader(journal.disk(), true)) {
            SnapshotFile front = reader.front();
            Optional<String> misfit = misfit(front, end);
            if (misfit.isPresent()) {
                refuse(misfit.get());
                return Optional.empty();
            }
            index.recallFrom(front.forgottenValue() + 1, front.forgottenTombstone() + 1);
            long done = 0;
            for (int length = reader.next(); length > 0; length = reader.next()) {
                block(reader, length);
                done += length;
                tell("snapshot", done, front.length());
            }
            return Optional.of(front);
        } catch (IOException e) {
            index.forgetUpTo(0);
            refuse(e instanceof SnapshotFile.Unsound ? e.getMessage() : "cannot be read: " + TextFile.fault(e));
            return Optional.empty();
        }
    }

    private void refuse(String why) {
        LOG.warn(
                "journal {}: the snapshot of the state ({}) {}. The state is read from the journal, as far as that is"
                        + " kept",
                journal.disk().place(),
                FileNames.STATE,
                why);
    }

    /** Says why a sound snapshot is not used; empty if it is. */
    private Optional<String> misfit(SnapshotFile front, Mark end) {
        Optional<String> strange =
                front.strange(journal.epochs(), end.position(), end.sequence(), journal.segmentAt(front.position()));
        if (strange.isPresent()) {
            return strange;
        }
        if (!index.kept().equals(front.types().intersect(index.kept()))) {
            return Optional.of("lacks types: it has " + front.types().text(8) + ", and the relay has "
                    + index.kept().text(8));
        }
        Mark oldest = new Mark();
        blocks.oldest(oldest);
        if (front.forgotten() >= oldest.sequence() && front.size() < size) {
            return Optional.of("has forgotten message " + front.forgotten() + " since it had " + front.size()
                    + " bytes, and now there are " + size);
        }
        return Optional.empty();
    }

    private void block(SnapshotReader reader, int length) throws IOException {
        if (length > pool.limit()) {
            // It has one message, which is longer than any that can be sent.
            reader.check(roomFor(BlockReader.PAGE_BYTES));
            index.forgetUpTo(reader.last());
            return;
        }
        ByteBuffer bytes = roomFor(length);
        reader.read(bytes);
        ByteBuffer numbers = bytes.duplicate();
        for (int at = 0; at < length; ) {
            int frame = at + SnapshotFile.FRAME;
            int end = frame + FrameLayout.frameLength(FrameLayout.bodyLength(numbers, frame));
            index.recall(scan.scan(bytes, frame, end - frame, 0), numbers.getLong(at), maxBody);
            at = end;
        }
    }

    // ---- the journal --------------------------------------------------------------------------------------------

    /** Reads the next blocks; returns the bytes that a longer page needs, 0 if this one will do, or -1 at the end. */
    private long next(ByteBuffer bytes) {
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

    private void tell(String what, long done, long all) {
        if (System.nanoTime() - told > TELL_NANOS) {
            told = System.nanoTime();
            LOG.info("the state is read from the {}: {} of {} bytes so far", what, done, all);
        }
    }

    // ---- memory -------------------------------------------------------------------------------------------------

    /** Returns the page, in the machine's own byte order; it has room for so many bytes. */
    private ByteBuffer roomFor(long needed) {
        if (page.isEmpty() || page.get().capacity() < needed) {
            giveBack();
            int bytes = (int) Math.max(needed, BlockReader.PAGE_BYTES);
            if (!pool.tryTake(bytes)) {
                throw new IllegalStateException("no " + bytes + " bytes of " + pool.limit() + " to read the journal");
            }
            page = Optional.of(pool.allocate(bytes, () -> allocator.directBuffer(bytes, bytes)));
        }
        ByteBuf memory = page.get();
        return memory.nioBuffer(0, memory.capacity()).order(ByteOrder.nativeOrder());
    }

    private void giveBack() {
        page.ifPresent(memory -> {
            pool.giveBack(memory.capacity());
            memory.release();
        });
        page = Optional.empty();
    }
}
