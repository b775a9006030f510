package dev.msgrelay.server.journal.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A record in a slot of an index. A slot has 64 bytes, so no record crosses the border of two sectors. The last four
 * bytes are the record's seal: a CRC of the segment's seed and of the record.
 */
public interface SealedRecord {
    int LENGTH = 64;

    int CRC_OFFSET = LENGTH - Integer.BYTES;

    /** Stands for the content of a slot in which there is no record of the index's segment. */
    SealedRecord NONE = (target, seed) -> target.put(new byte[LENGTH]);

    /** Puts the record at the buffer's position, and moves the position to the record's end. */
    void put(ByteBuffer target, long seed);

    /** Ends the record that begins at an offset: fills the rest with zeros, and appends the seal. */
    static void seal(ByteBuffer target, int at, long seed) {
        target.put(new byte[at + CRC_OFFSET - target.position()]);
        target.putInt(crc(seedBytes(seed), target.slice(at, CRC_OFFSET)));
    }

    static boolean isSealed(ByteBuffer index, int at, long seed) {
        return index.getInt(at + CRC_OFFSET) == crc(seedBytes(seed), index.slice(at, CRC_OFFSET));
    }

    private static ByteBuffer seedBytes(long seed) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, seed);
    }

    static int crc(ByteBuffer... parts) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer part : parts) {
            crc.update(part);
        }
        return (int) crc.getValue();
    }
}
