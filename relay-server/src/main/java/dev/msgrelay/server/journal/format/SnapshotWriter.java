package dev.msgrelay.server.journal.format;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.journal.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Writes a snapshot of the state, from the newest message to the oldest, into a temporary file, which replaces the last
 * snapshot at the end. A block is filled from its end to its beginning, so that its messages are in the order of their
 * numbers. One thread.
 *
 * <pre>
 *   memory   |        | header | 7 | 9 | 12 |        the next one, message 4, goes before 7
 *                     ^ low
 * </pre>
 */
public final class SnapshotWriter implements Closeable {
    /** Memory that a writer needs: for a block that is no single long message. */
    public static final int MEMORY_BYTES = 1 << 20;

    /** Bytes after which the file is forced, so that no single force takes long. */
    private static final long FORCE_BYTES = 8L << 20;

    private static final String FRESH = FileNames.STATE + Disk.FRESH;

    private final Disk disk;
    private final TypeRanges types;
    private final ByteBuffer memory;
    private final Disk.File file;
    private final CRC32C crc = new CRC32C();
    private long at;
    private long unforced;
    private long lastBlock;
    private long messages;
    // The block that is being filled.
    private int low;
    private int count;
    private long first;
    private long last;

    /**
     * @param memory direct memory of {@link #MEMORY_BYTES}
     * @param types the types that the state has
     */
    public SnapshotWriter(Disk disk, TypeRanges types, ByteBuffer memory) throws IOException {
        this.disk = disk;
        this.types = types;
        this.memory = memory.duplicate().clear();
        this.low = memory.capacity();
        this.at = SnapshotFile.frontLength(types);
        this.file = disk.open(FRESH);
        try {
            file.setLength(0);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /** Adds a message, whose number is lower than all before. {@code frame} is its frame's length in bytes. */
    public void add(long number, ByteBuffer from, int offset, int frame) throws IOException {
        int entry = SnapshotFile.FRAME + frame;
        if (low - SnapshotFile.BLOCK_HEADER < entry) {
            flush();
        }
        messages++;
        if (low - SnapshotFile.BLOCK_HEADER < entry) {
            addLong(number, from.slice(offset, frame));
            return;
        }
        low -= entry;
        memory.putLong(low, number);
        memory.put(low + SnapshotFile.FRAME, from, offset, frame);
        if (count++ == 0) {
            last = number;
        }
        first = number;
    }

    /** Writes a message that is too long for the memory, as a block of its own. */
    private void addLong(long number, ByteBuffer frame) throws IOException {
        first = number;
        last = number;
        count = 1;
        memory.putLong(SnapshotFile.BLOCK_HEADER, number);
        ByteBuffer front = memory.slice(SnapshotFile.BLOCK_HEADER, SnapshotFile.FRAME);
        header(0, front.remaining() + frame.remaining(), front, frame);
        write(memory.slice(0, SnapshotFile.BLOCK_HEADER + SnapshotFile.FRAME));
        write(frame.rewind());
        ended();
    }

    private void flush() throws IOException {
        if (count == 0) {
            return;
        }
        int length = memory.capacity() - low;
        int from = low - SnapshotFile.BLOCK_HEADER;
        header(from, length, memory.slice(low, length));
        write(memory.slice(from, SnapshotFile.BLOCK_HEADER + length));
        ended();
    }

    private void header(int where, int length, ByteBuffer... parts) {
        memory.putLong(where, lastBlock)
                .putLong(where + 8, first)
                .putLong(where + 16, last)
                .putInt(where + 24, count)
                .putInt(where + 28, length)
                .putInt(where + 32, 0);
        crc.reset();
        crc.update(memory.slice(where, SnapshotFile.BLOCK_CRC));
        for (ByteBuffer part : parts) {
            crc.update(part);
        }
        memory.putInt(where + SnapshotFile.BLOCK_CRC, (int) crc.getValue());
        lastBlock = at;
    }

    private void write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        file.write(at, bytes);
        at += length;
        unforced += length;
    }

    private void ended() throws IOException {
        count = 0;
        low = memory.capacity();
        if (unforced >= FORCE_BYTES) {
            file.force();
            unforced = 0;
        }
    }

    /**
     * Ends the file, which survives a crash of the machine after the return.
     *
     * @param there where the snapshot ends
     */
    public SnapshotFile finish(SegmentHeader there, long forgottenValue, long forgottenTombstone, long size)
            throws IOException {
        flush();
        SnapshotFile made = new SnapshotFile(
                there.epoch(),
                there.base(),
                there.sequence(),
                forgottenValue,
                forgottenTombstone,
                size,
                messages,
                lastBlock,
                at,
                types);
        file.write(0, made.front());
        file.force();
        file.close();
        return made;
    }

    /** Replaces the last snapshot by the file that was ended. It survives a crash of the machine after the return. */
    public void replace() throws IOException {
        disk.rename(FRESH, FileNames.STATE);
        disk.force();
    }

    /** Closes the file; if it was not finished, it stays until the next start. */
    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Gives the room of an unfinished file back, which the journal may need. */
    public void discard() throws IOException {
        file.close();
        if (disk.has(FRESH)) {
            disk.delete(FRESH);
        }
    }
}
