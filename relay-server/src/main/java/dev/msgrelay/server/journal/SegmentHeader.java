package dev.msgrelay.server.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The front of an index file: which piece of which stream its segment is. Big-endian.
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
 * @param version of the format: a header of another one is read no further
 * @param epoch of the relay's life that made it
 * @param base position of the stream at which the segment starts
 * @param sequence number of the message that starts there
 * @param timeMillis when it was made
 * @param named behind the newest block before that moved a name; 0: there is none
 * @param step how far the machine's clock has stepped since the header of the segment before was written, in ms
 */
record SegmentHeader(int version, long epoch, long base, long sequence, long timeMillis, long named, long step) {
    static final int LENGTH = 64;
    static final int VERSION = 1;

    private static final long MAGIC = 0x52454C41594A4E4CL;
    private static final int MAGIC_OFFSET = 0;
    private static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    private static final int STEP_UPPER_OFFSET = VERSION_OFFSET + Integer.BYTES;
    private static final int EPOCH_OFFSET = STEP_UPPER_OFFSET + Integer.BYTES;
    private static final int BASE_OFFSET = EPOCH_OFFSET + Long.BYTES;
    private static final int SEQUENCE_OFFSET = BASE_OFFSET + Long.BYTES;
    private static final int TIME_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    private static final int NAMED_OFFSET = TIME_OFFSET + Long.BYTES;
    private static final int STEP_LOWER_OFFSET = NAMED_OFFSET + Long.BYTES;
    private static final int CRC_OFFSET = LENGTH - Integer.BYTES;

    /** Of a clock that has not stepped. */
    SegmentHeader(long epoch, long base, long sequence, long timeMillis, long named) {
        this(epoch, base, sequence, timeMillis, named, 0);
    }

    SegmentHeader(long epoch, long base, long sequence, long timeMillis, long named, long step) {
        this(VERSION, epoch, base, sequence, timeMillis, named, step);
    }

    /** The same with other steps before it. */
    SegmentHeader withStep(long other) {
        return new SegmentHeader(version, epoch, base, sequence, timeMillis, named, other);
    }

    /** What the records of this segment are sealed with, so that one of another use of the same file never passes. */
    long seed() {
        return epoch ^ base;
    }

    ByteBuffer bytes() {
        ByteBuffer target = ByteBuffer.allocate(LENGTH);
        target.putLong(MAGIC_OFFSET, MAGIC)
                .putInt(VERSION_OFFSET, version)
                .putLong(EPOCH_OFFSET, epoch)
                .putLong(BASE_OFFSET, base)
                .putLong(SEQUENCE_OFFSET, sequence)
                .putLong(TIME_OFFSET, timeMillis)
                .putLong(NAMED_OFFSET, named)
                .putInt(STEP_UPPER_OFFSET, (int) (step >>> Integer.SIZE))
                .putInt(STEP_LOWER_OFFSET, (int) step);
        return target.putInt(CRC_OFFSET, crc(target));
    }

    /** Reads the front of an index; null where it is none, or damaged. */
    static SegmentHeader read(ByteBuffer index) {
        if (index.limit() < LENGTH || index.getLong(MAGIC_OFFSET) != MAGIC || index.getInt(CRC_OFFSET) != crc(index)) {
            return null;
        }
        long base = index.getLong(BASE_OFFSET);
        long sequence = index.getLong(SEQUENCE_OFFSET);
        boolean within = base >= 0 && base <= IndexRecord.MOST && sequence >= 0 && sequence <= IndexRecord.MOST;
        return within
                ? new SegmentHeader(
                        index.getInt(VERSION_OFFSET),
                        index.getLong(EPOCH_OFFSET),
                        base,
                        sequence,
                        index.getLong(TIME_OFFSET),
                        index.getLong(NAMED_OFFSET),
                        (long) index.getInt(STEP_UPPER_OFFSET) << Integer.SIZE
                                | index.getInt(STEP_LOWER_OFFSET) & 0xFFFFFFFFL)
                : null;
    }

    private static int crc(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(0, CRC_OFFSET));
        return (int) crc.getValue();
    }
}
