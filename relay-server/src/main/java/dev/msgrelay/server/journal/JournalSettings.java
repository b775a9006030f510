package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery;

/**
 * How a journal is kept.
 *
 * @param segmentBytes length of a stream file: at least {@link #MIN_SEGMENT}
 * @param keepBytes the oldest sealed segments are dropped once all files have more bytes
 * @param keepMillis segments are dropped once their newest message is older
 * @param forceNanos written bytes are forced after this time, or sooner if a client waits for them
 */
public record JournalSettings(long segmentBytes, long keepBytes, long keepMillis, long forceNanos) {
    /** The value of {@code keepBytes} or {@code keepMillis} with which nothing is dropped for that reason. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    static final long MIN_SEGMENT = 4 << 10;

    /** Spare files of each kind that are kept at most. */
    static final int MOST_SPARES = 2;

    /** Segments that are held at most: each is a few hundred bytes of memory, and two files. */
    public static final int MOST_SEGMENTS = 1 << 16;

    /** Java heap for each segment that is held: its header, for readers too, and the names of its files. */
    private static final int BYTES_PER_SEGMENT = 600;

    /** Java heap for each name of a publisher: its state, and its records. */
    private static final int BYTES_PER_NAME = 300;

    /** Java heap for each record of the segment whose records are read when the journal is opened. */
    private static final int BYTES_PER_RECORD = 96;

    public JournalSettings {
        if (segmentBytes < MIN_SEGMENT || segmentBytes > SegmentHeader.MAX_SEGMENT) {
            throw new IllegalArgumentException("journal segment " + segmentBytes + " is not within " + MIN_SEGMENT
                    + ".." + SegmentHeader.MAX_SEGMENT);
        }
        if (keepBytes < 2 * segmentBytes) {
            throw new IllegalArgumentException(
                    "journal keep " + keepBytes + " is less than two segments of " + segmentBytes);
        }
        if (keepMillis <= 0) {
            throw new IllegalArgumentException("journal keep " + keepMillis + " ms is less than 1 ms");
        }
        if (forceNanos <= 0) {
            throw new IllegalArgumentException("journal force " + forceNanos + " ns is not over 0");
        }
    }

    /**
     * Bytes of all files: those that are kept, the next segment, and the spare ones. Not for a journal that drops
     * nothing.
     */
    long mostBytes() {
        return keepBytes + (1 + MOST_SPARES) * (segmentBytes + indexBytes());
    }

    /** Length of an index file: a record for each KiB of the stream, and its header. */
    public long indexBytes() {
        return SegmentHeader.LENGTH + segmentBytes / 1024 * IndexRecord.LENGTH;
    }

    /** Java heap that a journal takes at most; most of it while it is opened. */
    public long heapBytes() {
        long records = indexBytes() / IndexRecord.LENGTH;
        long segments = Math.min(MOST_SEGMENTS, keepBytes / segmentBytes) + 1;
        return Recovery.HEAP_BYTES
                + records * BYTES_PER_RECORD
                + segments * BYTES_PER_SEGMENT
                + (long) JournalName.MOST * BYTES_PER_NAME
                + NameMoves.BYTES;
    }
}
