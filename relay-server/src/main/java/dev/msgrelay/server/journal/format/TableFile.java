package dev.msgrelay.server.journal.format;

import dev.msgrelay.server.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A table in a file of its own, replaced as a whole. Big-endian. The file is read in pieces, because the length that
 * the file system reports may be wrong.
 *
 * <pre>
 *   magic (int64) | version (int32) | the table's fields | CRC32C of all bytes before (int32)
 * </pre>
 */
final class TableFile {
    static final int FRONT = Long.BYTES + Integer.BYTES;

    private static final int PIECE = 64 << 10;

    private final Disk.File file;
    private final long end;
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE).flip();
    private long at;

    private TableFile(Disk.File file, long end) {
        this.file = file;
        this.end = end;
    }

    /** Reads the fields of a table whose seal is right. Returns empty if the fields are not valid. */
    interface Reading<T> {
        Optional<T> read(TableFile fields) throws IOException;
    }

    /**
     * Checks and reads a table. Returns empty if the file is damaged, or is not this table; throws if it cannot be
     * read, or has another version.
     *
     * @param least length of the fields in the smallest table
     * @param most length of the largest file
     */
    static <T> Optional<T> read(Disk disk, String name, long magic, int least, long most, Reading<T> reading)
            throws IOException {
        try (Disk.File file = disk.openToRead(name)) {
            long length = file.length();
            if (length < FRONT + Integer.BYTES || length > most || !isSealed(file, length - Integer.BYTES)) {
                return Optional.empty();
            }
            TableFile fields = new TableFile(file, length - Integer.BYTES);
            if (fields.getLong() != magic) {
                return Optional.empty();
            }
            SegmentHeader.checkVersion(fields.getInt(), "journal " + disk.place());
            return fields.remaining() < least ? Optional.empty() : reading.read(fields);
        }
    }

    private static boolean isSealed(Disk.File file, long end) throws IOException {
        CRC32C crc = new CRC32C();
        TableFile all = new TableFile(file, end);
        while (all.remaining() > 0) {
            all.fill(1);
            crc.update(all.piece);
        }
        ByteBuffer seal = ByteBuffer.allocate(Integer.BYTES);
        file.read(end, seal);
        return !seal.hasRemaining() && seal.getInt(0) == (int) crc.getValue();
    }

    /** Returns memory for a table, with magic and version in it. The caller appends the fields. */
    static ByteBuffer withFront(long magic, int fieldsLength) {
        return ByteBuffer.allocate(FRONT + fieldsLength + Integer.BYTES)
                .putLong(magic)
                .putInt(SegmentHeader.VERSION);
    }

    /** Seals a table, and replaces the file, see {@link Disk#replace}. */
    static void replace(Disk disk, String name, ByteBuffer table) throws IOException {
        disk.replace(
                name, table.putInt(SealedRecord.crc(table.duplicate().flip())).flip());
    }

    long remaining() {
        return end - at + piece.remaining();
    }

    int getInt() throws IOException {
        fill(Integer.BYTES);
        return piece.getInt();
    }

    long getLong() throws IOException {
        fill(Long.BYTES);
        return piece.getLong();
    }

    /** @param length at most {@link #PIECE} */
    byte[] bytes(int length) throws IOException {
        fill(length);
        byte[] bytes = new byte[length];
        piece.get(bytes);
        return bytes;
    }

    private void fill(int wanted) throws IOException {
        if (piece.remaining() >= wanted) {
            return;
        }
        piece.compact();
        int before = piece.position();
        piece.limit((int) Math.min(piece.capacity(), before + end - at));
        file.read(at, piece);
        at += piece.position() - before;
        piece.flip();
        if (piece.remaining() < wanted) {
            throw new IOException("a table ends too soon");
        }
    }
}
