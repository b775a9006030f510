package dev.msgrelay.server.journal.read;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexCursor;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Kind;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.format.SealedRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.StreamHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Reads the stream from the journal's files, block by block, for a subscriber that is too slow for the packet log.
 * Meanwhile the journal is written to, and its oldest segments are dropped.
 *
 * <pre>
 *   | segment | segment | segment |
 *       ^ at      | block | block | block |
 *                 ^ at            ^ end       next: as many whole blocks as the buffer has room for
 * </pre>
 *
 * A block is returned only if its CRC is right, and if its segment is still in the map of readable segments after the
 * read. A dropped segment leaves that map before a byte of its files changes.
 *
 * <p>No file stays open between calls, so waiting subscribers use no file descriptors. Calls block until the disk
 * answers. Owned by one thread.
 */
public final class BlockReader {
    /** Room for any block, unless it ends with a very long message. */
    public static final int PAGE_BYTES = IndexRecord.MOST_BLOCK + (64 << 10);

    private static final int RECORDS = 256;
    public static final int RECORD_BYTES = RECORDS * IndexRecord.LENGTH;

    /** Slots in one step of the binary search, which goes before them if none is about bytes of the stream. */
    private static final int PROBE = 64;

    public enum Found {
        /** Whole blocks, up to {@link #foundEnd}. */
        BLOCKS,
        /** A block that is longer than the buffer. It takes {@link #needed} bytes. */
        LONGER,
        /** A gap up to {@link #foundEnd}, because of damage. */
        DAMAGE,
        /** A gap up to {@link #foundEnd}, because the oldest segments were dropped. */
        DROPPED,
        /** Nothing, because all written blocks were read. */
        ALL_READ
    }

    private final Disk disk;
    private final NavigableMap<Long, SegmentHeader> readable;
    private final StreamHead written;
    private final Supplier<JournalClock.Present> present;
    private final ByteBuffer records;
    private final Mark at = new Mark();
    private final Mark end = new Mark();
    private final Mark limit = new Mark();
    private final List<IndexRecord> blocks = new ArrayList<>();
    // The record that the last search has found.
    private SealedRecord landed = SealedRecord.NONE;

    // The base of the segment, and the slot of its index at which the next read begins.
    private long base = -1;
    private int slot;

    /**
     * @param readable the readable segments, including the current one; the keys are their bases
     * @param records direct memory of {@link #RECORD_BYTES}; all readers of a thread may share it
     */
    public BlockReader(
            Disk disk,
            NavigableMap<Long, SegmentHeader> readable,
            StreamHead written,
            Supplier<JournalClock.Present> present,
            ByteBuffer records) {
        this.disk = disk;
        this.readable = readable;
        this.written = written;
        this.present = present;
        this.records = records;
    }

    /** The start of the blocks that were found; after {@link #pass} the position of the next read. */
    public Mark at() {
        return at;
    }

    /** The end of the blocks that were found, or of the gap. {@link #pass} moves the reader to this end. */
    public Mark foundEnd() {
        return end;
    }

    /** Bytes of the blocks that were found, or of the block that is {@link Found#LONGER}. */
    public long needed() {
        return end.position() - at.position();
    }

    public void pass() {
        at.copy(end);
    }

    /** Sets {@code into} to the oldest readable message; if there is none, to the next message of the stream. */
    public void oldest(Mark into) {
        written.read(into);
        readable.values().stream().findFirst().ifPresent(first -> into.set(first.base(), first.sequence()));
    }

    /**
     * Goes to the block of a message. If the block was dropped, goes to the oldest readable block; if the block's
     * record is damaged, to the damage; if the message is not written yet, to the end of the journal.
     */
    public void seek(long sequence) {
        written.read(limit);
        Optional<SegmentHeader> segment = readable.values().stream()
                .takeWhile(header -> header.sequence() <= sequence)
                .reduce((before, header) -> header)
                .or(() -> readable.values().stream().findFirst())
                // For later messages no file is read. Otherwise, a failing disk would be reported as damage each time.
                .filter(header -> sequence < limit.sequence());
        go(segment, record -> record.endSequence() > sequence, record -> record.sequence() <= sequence);
    }

    /** Goes to the block with a byte of the stream, as {@link #seek} goes to the block of a message. */
    public void seekPosition(long position) {
        written.read(limit);
        Optional<SegmentHeader> segment = Optional.ofNullable(readable.floorEntry(position))
                .or(() -> Optional.ofNullable(readable.firstEntry()))
                .map(Map.Entry::getValue)
                .filter(header -> position < limit.position());
        go(segment, record -> record.endPosition() > position, record -> record.position() <= position);
    }

    /**
     * Goes to the first block that was written at a time or later, or to damage right before it, because the time of
     * lost blocks is unknown. If there is no such block, goes to the end of the journal. See {@link TimeSearch} for a
     * clock that has stepped.
     */
    public void seekTime(long millis) {
        written.read(limit);
        List<TimeSearch.Place> places = TimeSearch.places(readable, present.get(), millis);
        if (places.isEmpty()) {
            go(Optional.empty(), record -> false, record -> false);
        }
        for (TimeSearch.Place place : places) {
            go(Optional.of(place.segment()), record -> record.steady() >= place.steady(), record -> false);
            if (place.isOfNow(landed)) {
                return;
            }
        }
    }

    /**
     * Goes to the first record of a segment for which {@code reached} is true, or to damage right before that record.
     * If there is no such record, goes to the segment's end.
     *
     * @param reached a condition; if it is true for a record, it is true for all later records, too
     * @param itself a condition; if it is true for that record, damage before the record is ignored
     */
    private void go(Optional<SegmentHeader> segment, Predicate<IndexRecord> reached, Predicate<IndexRecord> itself) {
        end.copy(limit);
        landed = SealedRecord.NONE;
        if (segment.isPresent()) {
            try {
                find(segment.get(), reached, itself);
            } catch (IOException e) {
                // The segment was dropped, or cannot be read. The next read finds out which.
                end.set(segment.get().base(), segment.get().sequence());
            }
        }
        pass();
    }

    private void find(SegmentHeader segment, Predicate<IndexRecord> reached, Predicate<IndexRecord> itself)
            throws IOException {
        base = segment.base();
        slot = 0;
        // During the search, this is the end of the last record found so far for which reached is false.
        end.set(segment.base(), segment.sequence());
        try (IndexCursor index = new IndexCursor(disk, base, segment.seed(), records)) {
            int low = 0;
            int high = index.slots();
            while (low < high) {
                int middle = (low + high) >>> 1;
                index.range(middle, Math.min(high, middle + PROBE));
                if (nextPlace(index) instanceof IndexRecord record && !reached.test(record)) {
                    low = index.slot() + 1;
                    end.set(record.endPosition(), record.endSequence());
                } else {
                    high = middle;
                }
            }
            index.range(low, index.slots());
            while (nextPlace(index) instanceof IndexRecord record) {
                if (reached.test(record)) {
                    slot = index.slot();
                    landed = record;
                    if (itself.test(record)) {
                        end.set(record.position(), record.sequence());
                    }
                    return;
                }
                // The binary search has skipped this record, which comes after many slots that are not about bytes.
                end.set(record.endPosition(), record.endSequence());
            }
        }
    }

    /** Moves to the next record about bytes of the stream; {@code NONE} if there is none in the range. */
    private static SealedRecord nextPlace(IndexCursor index) throws IOException {
        SealedRecord place = SealedRecord.NONE;
        while (place == SealedRecord.NONE && index.next()) {
            place = index.place();
        }
        return place;
    }

    /** Reads the next whole blocks to the beginning of the buffer. */
    public Found next(ByteBuffer into) {
        written.read(limit);
        if (at.position() >= limit.position()) {
            return Found.ALL_READ;
        }
        Map.Entry<Long, SegmentHeader> entry = readable.floorEntry(at.position());
        if (entry == null) {
            return dropped();
        }
        SegmentHeader segment = entry.getValue();
        if (segment.base() != base) {
            base = segment.base();
            slot = 0;
        }
        Found found;
        try {
            found = blocks(segment, into);
        } catch (IOException e) {
            found = lost(segment);
        }
        // Checked after the read. If the segment is still readable now, its files did not change during the read.
        return readable.containsKey(base) ? found : dropped();
    }

    private Found dropped() {
        oldest(end);
        return Found.DROPPED;
    }

    /** Reports the rest of a segment as a gap. */
    private Found lost(SegmentHeader segment) {
        Map.Entry<Long, SegmentHeader> next = readable.higherEntry(segment.base());
        if (next == null) {
            end.copy(limit);
        } else {
            end.set(next.getValue().base(), next.getValue().sequence());
        }
        return Found.DAMAGE;
    }

    private Found blocks(SegmentHeader segment, ByteBuffer into) throws IOException {
        Found found;
        try (IndexCursor index = new IndexCursor(disk, base, segment.seed(), records)) {
            index.range(slot, index.slots());
            found = gather(segment, index, into.capacity());
        }
        return found == Found.BLOCKS ? read(segment, into) : found;
    }

    /** Gathers the records of the next blocks. If the segment has none, its rest is reported as a gap. */
    private Found gather(SegmentHeader segment, IndexCursor index, int room) throws IOException {
        blocks.clear();
        end.copy(at);
        while (blocks.size() < RECORDS && index.next()) {
            if (!(index.place() instanceof IndexRecord record) || record.endPosition() <= at.position()) {
                continue;
            }
            if (!follows(record)) {
                if (!blocks.isEmpty()) {
                    return Found.BLOCKS;
                }
                boolean ahead = record.position() > at.position();
                end.set(
                        ahead ? record.position() : record.endPosition(),
                        ahead ? record.sequence() : record.endSequence());
                return Found.DAMAGE;
            }
            if (record.endPosition() > limit.position()) {
                // The block is still being written. A later call finds it.
                return blocks.isEmpty() ? Found.ALL_READ : Found.BLOCKS;
            }
            if (record.endPosition() - at.position() > room) {
                if (!blocks.isEmpty()) {
                    return Found.BLOCKS;
                }
                end.set(record.endPosition(), record.endSequence());
                return Found.LONGER;
            }
            blocks.add(record);
            end.set(record.endPosition(), record.endSequence());
            // The next read begins right after this block, because later slots may not be written yet.
            slot = index.slot() + 1;
        }
        return blocks.isEmpty() ? lost(segment) : Found.BLOCKS;
    }

    private boolean follows(IndexRecord record) {
        return record.kind() == Kind.BLOCK
                && record.position() == end.position()
                && record.sequence() == end.sequence();
    }

    /** Reads the gathered blocks, up to the first one with a wrong CRC. */
    private Found read(SegmentHeader segment, ByteBuffer into) {
        into.clear().limit((int) (end.position() - at.position()));
        try (Disk.File stream = disk.openToRead(FileNames.stream(base))) {
            stream.read(at.position() - segment.base(), into);
        } catch (IOException e) {
            // The blocks that were read whole are used. The next block is damaged, or was dropped.
        }
        int there = into.position();
        int from = 0;
        for (IndexRecord block : blocks) {
            int length = (int) block.bytes();
            if (from + length > there || SealedRecord.crc(into.slice(from, length)) != block.crc()) {
                // The next call reads the segment's records again.
                slot = 0;
                boolean any = from > 0;
                end.set(any ? block.position() : block.endPosition(), any ? block.sequence() : block.endSequence());
                return any ? Found.BLOCKS : Found.DAMAGE;
            }
            from += length;
        }
        return Found.BLOCKS;
    }
}
