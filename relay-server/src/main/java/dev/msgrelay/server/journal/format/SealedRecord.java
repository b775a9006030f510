package dev.msgrelay.server.journal.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A record in a slot of an index: 64 bytes, so that no slot lies across two sectors of a disk. The last four bytes seal
 * it.
 */
public interface SealedRecord {
    int LENGTH = 64;

    int CRC_OFFSET = LENGTH - Integer.BYTES;

    /** The content of a slot without a record of its segment. A slot that was never used has zeros. */
    SealedRecord NONE = (target, seed) -> target.put(new byte[LENGTH]);

    /** Puts it at the buffer's position, which moves on. */
    void put(ByteBuffer target, long seed);

    /** Fills the record that begins at an offset up with zeros, and seals it. */
    static void seal(ByteBuffer target, int at, long seed) {
        target.put(new byte[at + CRC_OFFSET - target.position()]);
        target.putInt(crc(target, at, seed));
    }

    /** Whether the record at an offset was sealed with this seed. */
    static boolean isSealed(ByteBuffer index, int at, long seed) {
        return index.getInt(at + CRC_OFFSET) == crc(index, at, seed);
    }

    private static int crc(ByteBuffer index, int at, long seed) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, seed));
        crc.update(index.slice(at, CRC_OFFSET));
        return (int) crc.getValue();
    }
}
