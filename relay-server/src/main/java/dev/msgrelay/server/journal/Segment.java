package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.io.Closeable;
import java.io.IOException;

/** The two files of the segment that is written to. The writer's, but for what the forcer says is its own. */
final class Segment implements Closeable {
    private final SegmentHeader header;
    private final Disk.File stream;
    private final Disk.File index;
    private final long capacity;
    private final int slots;

    // Written by the writer alone.
    private int used;
    private volatile long end;
    private volatile long nanos;

    // The forcer's alone.
    private boolean forcedBefore;
    private boolean closed;

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

    /** Bytes that still go into the stream file; 0 where no further block can be recorded. */
    long room() {
        return used + 2 > slots ? 0 : capacity - (end - header.base());
    }

    /** Whether one more record that is not of a block may be written: the last places are left to blocks. */
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

    /**
     * Forces both files. Data first: a record that survives has its bytes more often than not.
     *
     * @return whether it is the first time: then the names of the files are to be forced as well
     */
    boolean force() throws IOException {
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
        closed = true;
        try (stream) {
            index.close();
        }
    }
}
