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
import java.util.zip.CRC32C;

/**
 * Reads the stream from the journal's files for a subscriber that the log has overtaken, block by block, while the
 * journal is written to and its oldest segments are dropped.
 *
 * <pre>
 *   | segment | segment | segment |
 *       ^ at      | block | block | block |
 *                 ^ at            ^ end       next: so many whole blocks as there is room for
 * </pre>
 *
 * No byte is handed on that is not the one that was written: a block counts once its CRC is right, and once its segment
 * was still readable after it had been read. A segment that is dropped is no longer readable before a byte of its files
 * changes.
 *
 * <p>It keeps no file open, so a slow reader costs nothing. Calls wait for the disk. Owned by one thread.
 */
public final class BlockReader {
    /** Room for any block of messages that are shorter than a few KiB. */
    public static final int PAGE_BYTES = IndexRecord.MOST_BLOCK + (64 << 10);

    /** Records that are read at once. */
    private static final int RECORDS = 256;

    public static final int RECORD_BYTES = RECORDS * IndexRecord.LENGTH;

    /** Slots of one probe of a search. A probe without a place in the stream is taken for one that comes later. */
    private static final int PROBE = 64;

    public enum Found {
        /** Whole blocks, up to {@link #foundEnd}. */
        BLOCKS,
        /** A block that is longer than the memory: {@link #needed} bytes. */
        LONGER,
        /** Nothing, up to {@link #foundEnd}: damage. */
        DAMAGE,
        /** Nothing, up to {@link #foundEnd}: the oldest segments were dropped. */
        DROPPED,
        /** Nothing: all that is written has been read. */
        ALL_READ
    }

    private final Disk disk;
    private final NavigableMap<Long, SegmentHeader> readable;
    private final StreamHead written;
    private final Supplier<JournalClock.Present> present;
    private final ByteBuffer records;
    private final CRC32C crc = new CRC32C();
    private final Mark at = new Mark();
    private final Mark end = new Mark();
    private final Mark limit = new Mark();
    private final List<IndexRecord> blocks = new ArrayList<>();
    // Found by the last search.
    private SealedRecord landed = SealedRecord.NONE;

    // The segment, and the slot of its index where the next record is looked for.
    private long base = -1;
    private int slot;

    /**
     * @param readable the segments that may be read, by their bases, the one that is written to included
     * @param written up to where there is something to read
     * @param present the clock that a time is looked for by
     * @param records direct memory of {@link #RECORD_BYTES}; may be shared by all that one thread uses
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

    /** The start of the blocks that were found last, and the place of the next read. */
    public Mark at() {
        return at;
    }

    /** The end of the blocks that were found, or of the gap; {@link #pass} goes there. */
    public Mark foundEnd() {
        return end;
    }

    /** Bytes of the block that is {@link Found#LONGER}. */
    public long needed() {
        return end.position() - at.position();
    }

    public void pass() {
        at.copy(end);
    }

    /** The place of the oldest message that is readable; if there is none, that of the next one. */
    public void oldest(Mark into) {
        written.read(into);
        readable.values().stream().findFirst().ifPresent(first -> into.set(first.base(), first.sequence()));
    }

    /**
     * Goes to the block of a message. If this block was dropped, to the oldest one that is readable; if no record tells
     * of it, to the damage; if it is not written yet, to the end of what is written.
     */
    public void seek(long sequence) {
        written.read(limit);
        Optional<SegmentHeader> segment = readable.values().stream()
                .takeWhile(header -> header.sequence() <= sequence)
                .reduce((before, header) -> header)
                .or(() -> readable.values().stream().findFirst())
                // Behind the end the disk is not asked: one that does not answer would be damage, told again and again.
                .filter(header -> sequence < limit.sequence());
        go(segment, record -> record.endSequence() > sequence, record -> record.sequence() <= sequence);
    }

    /**
     * Goes to the first block that was written at this time or later, or to damage right before it, whose time is not
     * known. If there is no such block, to the end of what is written. For a clock that has stepped see {@link
     * TimeSearch}.
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
     * Goes to the first record of a segment that {@code reached} holds for; if there is none, behind the segment.
     *
     * @param reached holds for all records behind the first one, too
     * @param itself whether the record itself is meant, although no record tells what lies before it
     */
    private void go(Optional<SegmentHeader> segment, Predicate<IndexRecord> reached, Predicate<IndexRecord> itself) {
        end.copy(limit);
        landed = SealedRecord.NONE;
        if (segment.isPresent()) {
            try {
                find(segment.get(), reached, itself);
            } catch (IOException e) {
                // The segment was dropped, or cannot be read: the next look tells.
                end.set(segment.get().base(), segment.get().sequence());
            }
        }
        pass();
    }

    private void find(SegmentHeader segment, Predicate<IndexRecord> reached, Predicate<IndexRecord> itself)
            throws IOException {
        base = segment.base();
        slot = 0;
        // The predicate holds for no record up to here.
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
                // A stretch without a place was taken for what comes later.
                end.set(record.endPosition(), record.endSequence());
            }
        }
    }

    /** Goes on to the next record in the range that names a place in the stream, if there is one. */
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
        // Asked behind the read: the files of a segment that is still readable have not changed until now.
        return readable.containsKey(base) ? found : dropped();
    }

    private Found dropped() {
        oldest(end);
        return Found.DROPPED;
    }

    /** The rest of a segment cannot be read. */
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

    /** Looks at the next records; where none of them says what comes next, the rest of the segment is lost. */
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
                boolean behind = record.position() > at.position();
                end.set(
                        behind ? record.position() : record.endPosition(),
                        behind ? record.sequence() : record.endSequence());
                return Found.DAMAGE;
            }
            if (record.endPosition() > limit.position()) {
                // The block is being written: the next look finds it.
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
            // The slot moves no further: the next record may not be written yet.
            slot = index.slot() + 1;
        }
        return blocks.isEmpty() ? lost(segment) : Found.BLOCKS;
    }

    private boolean follows(IndexRecord record) {
        return record.kind() == Kind.BLOCK
                && record.position() == end.position()
                && record.sequence() == end.sequence();
    }

    /** Reads the blocks that were found, up to the first one whose bytes are not those that were written. */
    private Found read(SegmentHeader segment, ByteBuffer into) {
        into.clear().limit((int) (end.position() - at.position()));
        try (Disk.File stream = disk.openToRead(FileNames.stream(base))) {
            stream.read(at.position() - segment.base(), into);
        } catch (IOException e) {
            // Bytes read until then count as far as they are whole; the first block that is not is damaged, or dropped.
        }
        int there = into.position();
        int from = 0;
        for (IndexRecord block : blocks) {
            int length = (int) block.bytes();
            if (from + length > there || !matches(into, from, length, block.crc())) {
                // The records behind it are looked at once more.
                slot = 0;
                boolean any = from > 0;
                end.set(any ? block.position() : block.endPosition(), any ? block.sequence() : block.endSequence());
                return any ? Found.BLOCKS : Found.DAMAGE;
            }
            from += length;
        }
        return Found.BLOCKS;
    }

    private boolean matches(ByteBuffer bytes, int from, int length, int expected) {
        crc.reset();
        crc.update(bytes.slice(from, length));
        return (int) crc.getValue() == expected;
    }
}
