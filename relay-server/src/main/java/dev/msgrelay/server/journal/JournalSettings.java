package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery;

/**
 * The sizes and time limits of a journal.
 *
 * @param segmentBytes length of a stream file
 * @param keepBytes the oldest segments are dropped while the files of all segments have more bytes
 * @param keepMillis a segment is dropped once its newest message is older
 * @param forceNanos longest time until written bytes are forced; they are forced sooner if a client waits for them
 */
public record JournalSettings(long segmentBytes, long keepBytes, long keepMillis, long forceNanos) {
    /** The value of {@code keepBytes} or {@code keepMillis} that stands for no limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    static final long MIN_SEGMENT = 4 << 10;

    /** The largest number of spare stream files, and of spare index files. */
    static final int MOST_SPARES = 2;

    /** The largest number of segments. Each takes a few hundred bytes of memory, and two files. */
    public static final int MOST_SEGMENTS = 1 << 16;

    // Bytes of Java heap: for the header and file names of a segment, for the name of a publisher, and for an index
    // record while the journal is opened. The opening reads the records of one segment at a time.
    private static final int BYTES_PER_SEGMENT = 600;
    private static final int BYTES_PER_NAME = 300;
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

    /** The largest total length of the files, including next segment and spares. Not valid without a limit. */
    long mostBytes() {
        return keepBytes + (1 + MOST_SPARES) * filesBytes();
    }

    /** Length of an index file: a header, and a record for each KiB of the segment. */
    public long indexBytes() {
        return SegmentHeader.LENGTH + segmentBytes / 1024 * IndexRecord.LENGTH;
    }

    /** Length of both files of a segment. */
    public long filesBytes() {
        return segmentBytes + indexBytes();
    }

    /** The largest Java heap that a journal uses. Most of the heap is needed only while the journal is opened. */
    public long heapBytes() {
        long records = indexBytes() / IndexRecord.LENGTH;
        // Twice as many, since segments may wait for the snapshot of the state.
        long segments = Math.min(MOST_SEGMENTS, 2 * (keepBytes / segmentBytes)) + 1;
        return Recovery.HEAP_BYTES
                + records * BYTES_PER_RECORD
                + segments * BYTES_PER_SEGMENT
                + (long) JournalName.MOST * BYTES_PER_NAME
                + NameMoves.BYTES;
    }
}
