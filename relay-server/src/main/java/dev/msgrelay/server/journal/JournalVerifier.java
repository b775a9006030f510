package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.IndexRecord.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what was written long ago, all of it once a day, and says where it is no longer what was written: before somebody
 * needs it, and while there still is a copy elsewhere. Slow, so that nobody notices.
 *
 * <pre>
 *   | segment | segment | segment | the newest: is being written to, and its turn comes tomorrow |
 *        ^ records of its index, one block of its stream after the other
 * </pre>
 *
 * <p>Owned by its thread.
 */
final class JournalVerifier {
    static final long BYTES_PER_SECOND = 8L << 20;
    static final long ROUND_NANOS = TimeUnit.DAYS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger("relay");
    private static final int STEP_BYTES = 1 << 20;
    private static final int PIECE = FileDisk.PIECE;
    private static final int RECORDS = 1024 * IndexRecord.LENGTH;

    /** Of the Java heap. */
    static final long HEAP_BYTES = PIECE + RECORDS;

    /** A segment whose bytes lie between its base and that of the next one. */
    private record Due(long base, long end) {}

    private final Disk disk;
    private final NavigableMap<Long, SegmentHeader> held;
    private final Deque<Due> due = new ArrayDeque<>();
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE);
    private final ByteBuffer records = ByteBuffer.allocate(RECORDS);
    private long roundNanos;
    private boolean begun;
    private long nextNanos;

    // Of the segment that it is in; null: of none.
    private Due in;
    private Disk.File stream;
    private Disk.File index;
    private SegmentHeader header;
    private long recordsAt;
    private long position;
    private long sequence;

    private long read;

    private volatile long bytes;
    private volatile long rounds;
    private volatile long damaged;

    /** @param held segments by their bases, the one that is written to included */
    JournalVerifier(Disk disk, NavigableMap<Long, SegmentHeader> held) {
        this.disk = disk;
        this.held = held;
    }

    /** Bytes that it has read and found whole. Any thread. */
    long bytes() {
        return bytes;
    }

    /** How often it has read everything. Any thread. */
    long rounds() {
        return rounds;
    }

    /** Places that were no longer what was written, each once a round. Any thread. */
    long damaged() {
        return damaged;
    }

    /** Some of it, where it is time for that. */
    void work(long nanos) {
        if (begun && nanos - nextNanos < 0) {
            return;
        }
        if (in == null && due.isEmpty() && begun && nanos - roundNanos < ROUND_NANOS) {
            return;
        }
        long before = read;
        try {
            step(nanos);
        } catch (IOException e) {
            unreadable(e);
        }
        nextNanos = nanos + TimeUnit.SECONDS.toNanos(read - before) / BYTES_PER_SECOND;
    }

    private void step(long nanos) throws IOException {
        if (in != null) {
            blocks();
        } else if (!due.isEmpty()) {
            open(due.poll());
        } else {
            begun = true;
            roundNanos = nanos;
            list();
        }
    }

    private void list() {
        long base = -1;
        for (long next : held.keySet()) {
            if (base >= 0) {
                due.add(new Due(base, next));
            }
            base = next;
        }
        if (due.isEmpty()) {
            rounds++;
        }
    }

    private void open(Due segment) throws IOException {
        in = segment;
        position = segment.base;
        sequence = 0;
        recordsAt = SegmentHeader.LENGTH;
        stream = disk.openToRead(FileNames.stream(segment.base));
        index = disk.openToRead(FileNames.index(segment.base));
        ByteBuffer front = ByteBuffer.allocate(SegmentHeader.LENGTH);
        index.read(0, front);
        header = SegmentHeader.read(front.flip());
        if (header == null || header.base() != segment.base) {
            damage(segment.end, 0, FileNames.index(segment.base) + ": its header is damaged");
            close();
        } else {
            sequence = header.sequence();
        }
    }

    /** About as many blocks as make up a step. */
    private void blocks() throws IOException {
        long until = position + STEP_BYTES;
        while (position < until && position < in.end) {
            records.clear();
            index.read(recordsAt, records);
            records.flip();
            if (records.remaining() < IndexRecord.LENGTH) {
                damage(in.end, 0, FileNames.index(in.base) + ": it ends too soon");
            }
            int at = 0;
            while (at + IndexRecord.LENGTH <= records.limit() && position < until && position < in.end) {
                record(IndexRecord.read(records, at, header.seed()));
                at += IndexRecord.LENGTH;
            }
            recordsAt += at;
        }
        if (position >= in.end) {
            close();
        }
    }

    /** @param record null: one of a name's, or nothing that is whole; what comes behind it tells */
    private void record(IndexRecord record) throws IOException {
        if (record == null || record.kind() == Kind.FORCED || record.position() < position) {
            return;
        }
        if (record.position() > position) {
            damage(record.position(), record.sequence(), FileNames.index(in.base) + ": a record is damaged");
        }
        if (record.kind() == Kind.BLOCK) {
            read += record.bytes();
            String fault = record.fault(stream, in.base, piece);
            if (fault == null) {
                bytes += record.bytes();
            } else {
                damage(
                        record.endPosition(),
                        record.endSequence(),
                        FileNames.stream(in.base) + ": the bytes of a block " + fault);
            }
        }
        position = record.endPosition();
        sequence = record.endSequence();
    }

    private void unreadable(IOException cause) {
        try {
            if (in == null) {
                LOG.error("journal {} cannot be looked at: {}", disk.place(), JournalThread.said(cause));
            } else {
                damage(in.end, 0, "it cannot be read: " + JournalThread.said(cause));
                close();
            }
        } catch (IOException e) {
            failed(e);
        }
    }

    /** It cannot go on, and the journal can. */
    void failed(Throwable cause) {
        LOG.error("journal {} is not looked at any more: {}", disk.place(), JournalThread.said(cause));
        due.clear();
        in = null;
    }

    /**
     * Nothing is whole up to here.
     *
     * @param endSequence 0: nobody knows
     */
    private void damage(long end, long endSequence, String why) {
        // One that the retention has dropped meanwhile may have others' bytes by now.
        if (held.containsKey(in.base)) {
            damaged++;
            LOG.error(
                    "journal {} is damaged: {}. 'relay-server journal check' tells all",
                    disk.place(),
                    sequence > 0 && endSequence > 0
                            ? new Loss(position, sequence, end, endSequence, why).text()
                            : "positions " + position + " to " + end + ": " + why);
        }
        position = end;
    }

    private void close() throws IOException {
        Disk.File first = stream;
        Disk.File second = index;
        in = null;
        stream = null;
        index = null;
        if (due.isEmpty()) {
            rounds++;
        }
        try (first) {
            if (second != null) {
                second.close();
            }
        }
    }

    /** Lets go of what it has open. */
    void end() throws IOException {
        due.clear();
        if (in != null) {
            close();
        }
    }
}
