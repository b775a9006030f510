package dev.msgrelay.server.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Reads a table that is a file of its own, piece by piece: big-endian, with a number for what it is in front, and the CRC32C of
 * all of it at its end. What the file system says of its length costs no memory.
 */
final class TableInput {
    private static final int PIECE = 64 << 10;

    private final Disk.File file;
    private final long end;
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE).flip();
    private long at;

    private TableInput(Disk.File file, long end) {
        this.file = file;
        this.end = end;
    }

    /**
     * Checks all of it.
     *
     * @param most longer than any that was ever written
     * @return what stands behind the first number; null: it is another file, or damaged
     */
    static TableInput of(Disk.File file, long magic, int least, long most) throws IOException {
        long length = file.length();
        if (length < least + Integer.BYTES || length > most) {
            return null;
        }
        long end = length - Integer.BYTES;
        TableInput all = new TableInput(file, length);
        if (all.getLong() != magic) {
            return null;
        }
        CRC32C crc = new CRC32C();
        for (TableInput rest = new TableInput(file, end); rest.remaining() > 0; ) {
            rest.fill(1);
            crc.update(rest.piece);
        }
        all.skipTo(end);
        if (all.getInt() != (int) crc.getValue()) {
            return null;
        }
        TableInput table = new TableInput(file, end);
        table.skipTo(Long.BYTES);
        return table;
    }

    /** Before the sum at its end. */
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

    /** @param length no more than a piece has */
    byte[] bytes(int length) throws IOException {
        fill(length);
        byte[] bytes = new byte[length];
        piece.get(bytes);
        return bytes;
    }

    private void skipTo(long offset) {
        at = offset;
        piece.position(piece.limit());
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
