package dev.msgrelay.server.journal;

/**
 * How a journal is kept.
 *
 * @param segmentBytes length of a stream file: at least {@link #MIN_SEGMENT}
 * @param keepBytes files of sealed segments are dropped, oldest first, once all together have more
 * @param keepMillis and those whose newest message is older
 * @param forceNanos what was written is forced after so long, if nobody wants it sooner
 */
public record JournalSettings(long segmentBytes, long keepBytes, long keepMillis, long forceNanos) {
    /** Of {@code keepBytes} and {@code keepMillis}: nothing is dropped for that. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    static final long MIN_SEGMENT = 4 << 10;

    static final long MAX_SEGMENT = SegmentHeader.MAX_SEGMENT;

    /** Spare files of each kind that are kept at most. */
    static final int MOST_SPARES = 2;

    /** Segments that are held at most: each is a few hundred bytes of memory, and two files. */
    public static final int MOST_SEGMENTS = 1 << 16;

    public JournalSettings {
        if (segmentBytes < MIN_SEGMENT || segmentBytes > MAX_SEGMENT) {
            throw new IllegalArgumentException(
                    "journal segment " + segmentBytes + " is not within " + MIN_SEGMENT + ".." + MAX_SEGMENT);
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

    /** Segments that may be held at a time. */
    public long mostSegments() {
        return Math.min(MOST_SEGMENTS, keepBytes / segmentBytes) + 1;
    }

    /** Of all files: what is kept, the segment that is next, and two that wait to be used again. Not where nothing is dropped. */
    long mostBytes() {
        return keepBytes + (1 + MOST_SPARES) * (segmentBytes + indexBytes());
    }

    /** Length of an index file: a record for each KiB of the stream, and its header. */
    public long indexBytes() {
        return SegmentHeader.LENGTH + segmentBytes / 1024 * IndexRecord.LENGTH;
    }
}
