package dev.msgrelay.server.journal.format;

import dev.msgrelay.server.journal.disk.DiskException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The header of an index file. It names the stream's life, and the part of the stream in the segment. Big-endian.
 *
 * <pre>
 *    0  magic "RELAYJNL"                    int64
 *    8  version of the format               int32
 *   12  upper half of the clock's steps
 *       since the previous header, in ms    int32
 *   16  epoch of the relay that made it     int64
 *   24  position of its first byte          int64
 *   32  sequence of its first message       int64
 *   40  time it was made, ms since 1970     int64
 *   48  end of the newest earlier block
 *       with messages of a name; 0: none    int64
 *   56  lower half of the clock's steps     int32
 *   60  CRC32C of the 60 bytes before       int32
 * </pre>
 */
public record SegmentHeader(int version, long epoch, long base, long sequence, long timeMillis, long named, long step) {
    public static final int LENGTH = 64;
    static final int VERSION = 1;

    /** Bytes of the longest stream file. Offsets in the file are ints. */
    public static final int MAX_SEGMENT = 1 << 30;

    /** Bytes of the longest index: of the longest segment, if its last block contains messages of all names. */
    public static final long MOST_INDEX = LENGTH + (MAX_SEGMENT / 1024 + 16L * JournalName.MOST) * IndexRecord.LENGTH;

    private static final long MAGIC = 0x52454C41594A4E4CL;

    public SegmentHeader(long epoch, long base, long sequence, long timeMillis, long named, long step) {
        this(VERSION, epoch, base, sequence, timeMillis, named, step);
    }

    public SegmentHeader withStep(long other) {
        return new SegmentHeader(version, epoch, base, sequence, timeMillis, named, other);
    }

    /** The seed of the records' seals, which differs from that of an earlier use of the same file. */
    public long seed() {
        return epoch ^ base;
    }

    public ByteBuffer bytes() {
        ByteBuffer target = ByteBuffer.allocate(LENGTH)
                .putLong(MAGIC)
                .putInt(version)
                .putInt((int) (step >>> Integer.SIZE))
                .putLong(epoch)
                .putLong(base)
                .putLong(sequence)
                .putLong(timeMillis)
                .putLong(named)
                .putInt((int) step);
        return target.putInt(SealedRecord.crc(target.slice(0, SealedRecord.CRC_OFFSET)))
                .flip();
    }

    /** Reads the header of an index. Returns empty if the header is damaged, or the file is no index. */
    public static Optional<SegmentHeader> read(ByteBuffer index) {
        if (index.limit() < LENGTH
                || index.getInt(SealedRecord.CRC_OFFSET) != SealedRecord.crc(index.slice(0, SealedRecord.CRC_OFFSET))
                || index.getLong(0) != MAGIC) {
            return Optional.empty();
        }
        SegmentHeader header = new SegmentHeader(
                index.getInt(8),
                index.getLong(16),
                index.getLong(24),
                index.getLong(32),
                index.getLong(40),
                index.getLong(48),
                (long) index.getInt(12) << Integer.SIZE | index.getInt(56) & 0xFFFFFFFFL);
        return Optional.of(header)
                .filter(read -> read.base >= 0 && read.base <= IndexRecord.MOST)
                .filter(read -> read.sequence >= 0 && read.sequence <= IndexRecord.MOST);
    }

    public static void checkVersion(int version, String what) throws DiskException {
        if (version != VERSION) {
            throw new DiskException(what + " is of format " + version + ", this relay reads format " + VERSION);
        }
    }
}
