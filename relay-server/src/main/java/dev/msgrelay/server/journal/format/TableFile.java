package dev.msgrelay.server.journal.format;

import dev.msgrelay.server.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A table that is a file of its own: read in pieces, replaced as a whole. Big-endian.
 *
 * <pre>
 *   magic (int64) | version (int32) | what the table holds | CRC32C of all of it (int32)
 * </pre>
 *
 * The length that the file system reports costs no memory: it may be made up.
 */
final class TableFile {
    /** Bytes before the table's own fields. */
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

    /** Reads the fields of a table whose seal is right; empty where they make no table. */
    interface Reading<T> {
        Optional<T> read(TableFile fields) throws IOException;
    }

    /**
     * Checks and reads a table.
     *
     * @param least bytes of the fields that every table has
     * @param most a length that no table ever had
     * @return empty where the file is damaged, or another one
     * @throws IOException the file cannot be read, or is of another version
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

    /** Memory for a table whose own fields have this length, with the front in it. */
    static ByteBuffer withFront(long magic, int fieldsLength) {
        return ByteBuffer.allocate(FRONT + fieldsLength + Integer.BYTES)
                .putLong(magic)
                .putInt(SegmentHeader.VERSION);
    }

    /** Seals a table, and replaces the file: the new one survives the machine when this returns. */
    static void replace(Disk disk, String name, ByteBuffer table) throws IOException {
        CRC32C crc = new CRC32C();
        crc.update(table.duplicate().flip());
        disk.replace(name, table.putInt((int) crc.getValue()).flip());
    }

    /** Bytes of fields that are still to be read. */
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

    /** @param length at most that of a piece */
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
