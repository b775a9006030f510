package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.io.Closeable;
import java.io.IOException;

/** The two files of a segment that is written to. Owned by the writer, except {@link #force}, {@link #close}. */
final class Segment implements Closeable {
    /** Used as the current segment until the first segment is made. It has no files and no room. */
    static final Segment NONE = new Segment();

    private final SegmentHeader header;
    private final Disk.File stream;
    private final Disk.File index;
    private final long capacity;
    private final int slots;

    // Only the writer changes these fields.
    private int used;
    private volatile long end;
    private volatile long nanos;

    // Only the forcer uses these fields.
    private boolean forcedBefore;
    private boolean closed;

    private Segment() {
        header = new SegmentHeader(0, 0, 0, 0, 0, 0);
        stream = null;
        index = null;
        capacity = 0;
        slots = 0;
        closed = true;
    }

    Segment(SegmentHeader header, Disk.File stream, Disk.File index, JournalSettings settings) {
        this.header = header;
        this.stream = stream;
        this.index = index;
        this.capacity = settings.segmentBytes();
        this.slots = (int) ((settings.indexBytes() - SegmentHeader.LENGTH) / IndexRecord.LENGTH);
        this.end = header.base();
    }

    SegmentHeader header() {
        return header;
    }

    Disk.File stream() {
        return stream;
    }

    Disk.File index() {
        return index;
    }

    /** The number of bytes that still fit into the stream file; 0 if the index has no slots for another block. */
    long room() {
        return used + 2 > slots ? 0 : capacity - (end - header.base());
    }

    /** Whether a record without a block may be written. The last slots are kept for blocks. */
    boolean hasSpareSlot() {
        return used + 4 <= slots;
    }

    long nextRecord() {
        return SegmentHeader.LENGTH + (long) used * IndexRecord.LENGTH;
    }

    void recorded(int records) {
        used += records;
    }

    void blockEnded(long position, long nowNanos) {
        end = position;
        nanos = nowNanos;
    }

    long endPosition() {
        return end;
    }

    /** The time of the newest block, by the clock that only goes forward. */
    long nanos() {
        return nanos;
    }

    /** Forces both files. Returns whether this was their first force. If so, their names must be forced, too. */
    boolean force() throws IOException {
        // The stream is forced first, so that a record that survives a crash has its bytes in most cases.
        stream.force();
        index.force();
        boolean first = !forcedBefore;
        forcedBefore = true;
        return first;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try (stream) {
            index.close();
        }
    }
}
