package dev.msgrelay.server.journal.format;

import dev.msgrelay.server.journal.disk.DiskException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The front of an index file: the stream's life, and the part of the stream in this segment. Big-endian.
 *
 * <pre>
 *    0  magic "RELAYJNL"                    int64
 *    8  version of the format               int32
 *   12  upper half of: how far the clock
 *       has stepped since the header before int32
 *   16  epoch of the relay that made it     int64
 *   24  position of its first byte          int64
 *   32  sequence of its first message       int64
 *   40  time it was made, ms since 1970     int64
 *   48  position behind the newest block
 *       before that moved a name; 0: none    int64
 *   56  lower half of that, ms              int32
 *   60  CRC32C of the 60 bytes before       int32
 * </pre>
 *
 * @param version version of the format: a file of another version is read no further
 * @param epoch epoch of the life that made the segment
 * @param base position at which the segment starts
 * @param sequence sequence of the first message
 * @param timeMillis the time at which the header was made
 * @param named end of the newest earlier block that moved a name; 0: there is none
 * @param step sum of the steps of the machine's clock since the header of the segment before, in ms
 */
public record SegmentHeader(int version, long epoch, long base, long sequence, long timeMillis, long named, long step) {
    public static final int LENGTH = 64;
    static final int VERSION = 1;

    /** Bytes of the longest stream file, so that offsets in it are ints. */
    public static final int MAX_SEGMENT = 1 << 30;

    /** Bytes of the longest index: that of the longest segment, whose last block moved all names. */
    public static final long MOST_INDEX = LENGTH + (MAX_SEGMENT / 1024 + 16L * JournalName.MOST) * IndexRecord.LENGTH;

    private static final long MAGIC = 0x52454C41594A4E4CL;
    private static final int CRC_OFFSET = LENGTH - Integer.BYTES;

    public SegmentHeader(long epoch, long base, long sequence, long timeMillis, long named, long step) {
        this(VERSION, epoch, base, sequence, timeMillis, named, step);
    }

    public SegmentHeader withStep(long other) {
        return new SegmentHeader(version, epoch, base, sequence, timeMillis, named, other);
    }

    /** The seed of the records' seals: a record of an earlier use of the same file has another one. */
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
        return target.putInt(crc(target)).flip();
    }

    /** Reads the front of an index; empty: it is damaged, or another file. */
    public static Optional<SegmentHeader> read(ByteBuffer index) {
        if (index.limit() < LENGTH || index.getInt(CRC_OFFSET) != crc(index)) {
            return Optional.empty();
        }
        ByteBuffer front = index.slice(0, LENGTH);
        if (front.getLong() != MAGIC) {
            return Optional.empty();
        }
        int version = front.getInt();
        long upperStep = front.getInt();
        long epoch = front.getLong();
        long base = front.getLong();
        long sequence = front.getLong();
        long timeMillis = front.getLong();
        long named = front.getLong();
        long step = upperStep << Integer.SIZE | front.getInt() & 0xFFFFFFFFL;
        boolean within = base >= 0 && base <= IndexRecord.MOST && sequence >= 0 && sequence <= IndexRecord.MOST;
        return within
                ? Optional.of(new SegmentHeader(version, epoch, base, sequence, timeMillis, named, step))
                : Optional.empty();
    }

    /** @param what begins the message */
    public static void checkVersion(int version, String what) throws DiskException {
        if (version != VERSION) {
            throw new DiskException(what + " is of format " + version + ", this relay reads format " + VERSION);
        }
    }

    private static int crc(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(0, CRC_OFFSET));
        return (int) crc.getValue();
    }
}
