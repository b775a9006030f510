package dev.msgrelay.server.journal.format;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.IndexRecord.Kind;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Walks over the slots of an index file. Reads in pieces, because the file's reported length may be wrong. One thread.
 *
 * <pre>
 *   header | slot 0 | slot 1 | slot 2 | ...        range(1, 3); next(): slot 1; next(): slot 2; next(): false
 * </pre>
 */
public final class IndexCursor implements Closeable {
    /** Java heap of a cursor that allocates its own memory. */
    public static final int BYTES = 1024 * IndexRecord.LENGTH;

    private final Disk.File file;
    private final long seed;
    private final ByteBuffer piece;
    private int slot = -1;
    private int next;
    private int end;
    // The number of slots in the piece, and the current slot's number there.
    private int loaded;
    private int current = -1;

    public IndexCursor(Disk disk, long base, long seed) throws IOException {
        this(disk, base, seed, ByteBuffer.allocate(BYTES));
    }

    /** @param piece memory for some slots; used until the cursor is closed */
    public IndexCursor(Disk disk, long base, long seed, ByteBuffer piece) throws IOException {
        this.file = disk.openToRead(FileNames.index(base));
        this.seed = seed;
        this.piece = piece;
        end = slots();
    }

    /** The number of whole slots in the file at present. */
    public int slots() throws IOException {
        return (int) ((Math.min(SegmentHeader.MOST_INDEX, file.length()) - SegmentHeader.LENGTH) / IndexRecord.LENGTH);
    }

    /** Restricts the walk to the slots from {@code from} to {@code to - 1}. */
    public void range(int from, int to) {
        next = from;
        end = to;
        loaded = 0;
        current = -1;
    }

    /** Moves to the next slot. Returns false if there is none. */
    public boolean next() throws IOException {
        if (++current >= loaded) {
            int wanted = Math.max(0, Math.min(piece.capacity() / IndexRecord.LENGTH, end - next));
            piece.clear().limit(wanted * IndexRecord.LENGTH);
            file.read(SegmentHeader.LENGTH + (long) next * IndexRecord.LENGTH, piece);
            loaded = piece.flip().limit() / IndexRecord.LENGTH;
            current = 0;
        }
        slot = next;
        next += current < loaded ? 1 : 0;
        return current < loaded;
    }

    public int slot() {
        return slot;
    }

    /** The current slot's record: an {@link IndexRecord}, a {@link NameRecord}, or {@link SealedRecord#NONE}. */
    public SealedRecord record() {
        int at = current * IndexRecord.LENGTH;
        SealedRecord record = IndexRecord.read(piece, at, seed);
        return record == SealedRecord.NONE ? NameRecord.read(piece, at, seed) : record;
    }

    /** The current slot's record if it is about bytes of the stream (BLOCK or LOST); otherwise {@code NONE}. */
    public SealedRecord place() {
        SealedRecord record = IndexRecord.read(piece, current * IndexRecord.LENGTH, seed);
        return record instanceof IndexRecord place && place.kind() != Kind.FORCED ? place : SealedRecord.NONE;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
