package dev.msgrelay.server.journal;

import dev.msgrelay.server.figures.Stopwatch;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Kind;
import dev.msgrelay.server.journal.format.NamesFile;
import dev.msgrelay.server.journal.format.SealedRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.LogReader;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.StreamHead;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what it reads from the packet log: first the bytes, from where they lie in the log, then the record of them. What it
 * has not written the log keeps: its position is a limit of the gate.
 *
 * <p>Owned by its thread; {@link #written}, {@link #current} and {@link #complete} are read by the forcer.
 */
final class JournalWriter {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long FULL_LINE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int RECORDS_AT_ONCE = 1024;

    /** A block smaller than this, which nobody waits for, is not written sooner than PATIENT_NANOS after the one before. */
    private static final int PATIENT_BYTES = 512 << 10;

    private static final long PATIENT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    static final int RECORD_BYTES = RECORDS_AT_ONCE * IndexRecord.LENGTH;

    private final Disk disk;
    private final PacketLog log;
    private final LogReader reader;
    private final SegmentFiles files;
    private final StreamHead written;
    private final StreamHead forced;
    private final Supplier<EpochTable> epochs;
    private final int most;
    private final LongConsumer onWritten;
    private final Queue<Segment> complete = new ConcurrentLinkedQueue<>();
    private final Stopwatch full = new Stopwatch();
    private final Stopwatch unprepared = new Stopwatch();
    private final CRC32C crc = new CRC32C();
    private final WrittenNames names;
    private final ByteBuffer records = ByteBuffer.allocateDirect(RECORD_BYTES);
    private final Mark head = new Mark();
    private final Mark at = new Mark();
    private final Mark known = new Mark();
    private final IndexTimes times;

    // The place of the records that are being put, and how many there are.
    private long recordsAt;
    private int count;
    private IOException refused;

    // The lives that the table on the disk has.
    private EpochTable tabled;

    private long restUntil;
    private long lastFullLine;

    // The forcer has no room for what is needed next; null: it has.
    private volatile DiskException.Full lacking;

    private volatile long wanted;
    private volatile boolean patient;
    private volatile Segment current;
    private volatile long named;
    private volatile NamesFile snapshot;
    private volatile long recorded;

    /**
     * @param log stands where the journal goes on
     * @param written moved by the writer
     * @param forced moved by the forcer; the writer records it in the index
     * @param epochs the lives of the stream; those of now are on the disk
     * @param segmentBytes length of a stream file; a frame has three quarters of it at most
     * @param found the journal that goes on
     */
    JournalWriter(
            Disk disk,
            PacketLog log,
            SegmentFiles files,
            StreamHead written,
            StreamHead forced,
            Supplier<EpochTable> epochs,
            long segmentBytes,
            NameMoves moves,
            Recovery found,
            LongConsumer onWritten) {
        this.disk = disk;
        this.log = log;
        this.reader = new LogReader(log);
        this.files = files;
        this.written = written;
        this.forced = forced;
        this.epochs = epochs;
        this.tabled = epochs.get();
        this.times = new IndexTimes(found);
        this.most = (int) Math.min(IndexRecord.MOST_BLOCK, segmentBytes / 4);
        this.names = new WrittenNames(moves, found.states());
        this.named = found.named();
        this.onWritten = onWritten;
        this.recorded = forced.position();
        this.snapshot = new NamesFile(forced.position(), names.written());
    }

    /** Asks for everything before a position to be written soon. One thread. */
    void want(long position) {
        wanted = Math.max(wanted, position);
    }

    /** How long the writer may wait for more bytes of a block, in ns; 0: not at all. Each block costs something by itself. */
    long restNanos(long nanos) {
        long rest = current == null ? 0 : restUntil - nanos;
        // Set before the look: a core that brings more after it sees the flag.
        patient = rest > 0;
        VarHandle.fullFence();
        if (rest <= 0 || caughtUp() || pressing()) {
            patient = false;
            return 0;
        }
        return rest;
    }

    private boolean pressing() {
        long at = written.position();
        return log.head().position() - at >= PATIENT_BYTES || wanted > at;
    }

    /** Whether the writer has work now. Any thread. */
    boolean due() {
        return !patient || pressing();
    }

    /** One block, or the record of what was forced; returns whether something was written. */
    boolean step(long nanos, long millis) throws IOException {
        times.update(nanos, millis);
        log.head().read(head);
        boolean idle = reader.position() == head.position();
        try {
            boolean wrote = idle ? recordForced(true) : block(nanos) || recordForced(false);
            DiskException.Full next = lacking;
            if (next == null) {
                full.stop(nanos);
            } else {
                isFull(next, nanos);
            }
            return wrote;
        } catch (DiskException.Full e) {
            // The same bytes go to the same place again, later.
            isFull(e, nanos);
            return !idle && recordForcedIfItFits();
        }
    }

    /** The forcer has no room for the files of the next segment, or for the names; null: it has again. Its thread. */
    void lacks(DiskException.Full room) {
        lacking = room;
    }

    /** One state, with one line and one counter, whatever is short, and whoever needs it. */
    private void isFull(DiskException.Full e, long nanos) {
        if (full.starts() == 0 || nanos - lastFullLine >= FULL_LINE_NANOS) {
            lastFullLine = nanos;
            LOG.warn(
                    "journal {}: {}: publishers wait until there is room (said once a minute; the system says: {})",
                    disk.place(),
                    disk.shortage(),
                    e.words());
        }
        full.start(nanos);
    }

    private boolean recordForcedIfItFits() throws IOException {
        try {
            return recordForced(false);
        } catch (DiskException.Full e) {
            return false;
        }
    }

    private boolean block(long nanos) throws IOException {
        long backlog = head.position() - reader.position();
        if (!reader.pinNext((int) Math.min(most, backlog), head)) {
            throw new IOException("the log has dropped position " + reader.position() + " before it was written");
        }
        int bytes = reader.restToBoundary();
        if ((current == null || current.room() < bytes) && !roll(bytes, nanos)) {
            return false;
        }
        written.read(at);
        long from = at.position();
        long end = from + bytes;
        long endSequence = reader.boundary().sequence();
        IndexRecord block = new IndexRecord(
                Kind.BLOCK, copy(from, bytes), from, at.sequence(), end, endSequence, times.time(), times.skew());
        boolean more = forcedIsNew();
        names.gatherMoves(endSequence);
        beginRecords();
        if (names.movesAny()) {
            names.records(current.header().base(), this::put);
        }
        if (more) {
            put(forcedRecord());
        }
        put(block);
        endRecords(more);
        if (names.movesAny()) {
            names.markWritten();
            named = end;
        }
        current.blockEnded(end, nanos);
        // The rest is for the next block, at once.
        restUntil = end == head.position() ? nanos + PATIENT_NANOS : nanos;
        written.set(end, endSequence);
        reader.advance(bytes);
        onWritten.accept(end);
        return true;
    }

    /** Copies bytes that are held to the stream file. Returns their CRC. */
    private int copy(long from, int bytes) throws IOException {
        crc.reset();
        long base = current.header().base();
        long to = from + bytes;
        for (long p = from; p < to; ) {
            int part = (int) Math.min(to - p, reader.leftInChunk(p));
            ByteBuffer piece = reader.chunkAt(p).memory().nioBuffer(reader.offsetInChunk(p), part);
            crc.update(piece);
            current.stream().write(p - base, piece.rewind());
            p += part;
        }
        return (int) crc.getValue();
    }

    /**
     * Records what was forced, with nothing else to write, or no place for it. Only then are segments dropped, so
     * where the next block waits for that, the record goes behind the last place, too. A step of the clock is marked likewise,
     * so that it is known also to who comes before the next block.
     */
    private boolean recordForced(boolean ifSpare) throws IOException {
        if (current == null || ifSpare && !current.hasSpareSlot() || !forcedIsNew() && !times.isMarkDue()) {
            return false;
        }
        beginRecords();
        put(forcedRecord());
        endRecords(true);
        return true;
    }

    private IndexRecord forcedRecord() {
        return IndexRecord.forced(known.position(), known.sequence(), times.time(), times.skew());
    }

    private boolean forcedIsNew() {
        forced.read(known);
        return known.position() > recorded;
    }

    private void beginRecords() {
        records.clear();
        recordsAt = current.nextRecord();
        count = 0;
        refused = null;
    }

    /** Many names take more than one write; records count with the block behind them. */
    private void put(SealedRecord record) {
        if (!records.hasRemaining()) {
            flush();
        }
        record.put(records, current.header().seed());
        count++;
    }

    private void flush() {
        int length = records.position();
        try {
            if (refused == null) {
                current.index().write(recordsAt, records.flip());
            }
        } catch (IOException e) {
            refused = e;
        }
        recordsAt += length;
        records.clear();
    }

    private void endRecords(boolean withForced) throws IOException {
        flush();
        if (refused != null) {
            throw refused;
        }
        current.recorded(count);
        times.written();
        if (withForced) {
            recorded = known.position();
        }
    }

    private boolean roll(int bytes, long nanos) throws IOException {
        written.read(at);
        EpochTable lives = epochs.get();
        if (lives != tabled) {
            // A file of a life that the table lacks would count as damaged.
            lives.write(disk);
            tabled = lives;
        }
        long epoch = lives.at(at.position()).orElseThrow().epoch();
        Segment next =
                files.next(new SegmentHeader(epoch, at.position(), at.sequence(), times.time(), named, times.skew()));
        if (next == null) {
            unprepared.start(nanos);
            return false;
        }
        unprepared.stop(nanos);
        if (next.room() < bytes) {
            next.close();
            throw new IOException("a block of " + bytes + " bytes is longer than a segment");
        }
        if (current != null) {
            // Added before the next one is to be seen: the forcer, which looks at that first, then finds all of them.
            complete.add(current);
        }
        current = next;
        times.begun(at.position());
        snapshot = new NamesFile(at.position(), named > snapshot.position() ? names.written() : snapshot.names());
        return true;
    }

    /** Behind the newest block that moved a name. Any thread. */
    long named() {
        return named;
    }

    /** The names at the beginning of the newest segment; before the first one, at the place where it will begin. */
    NamesFile snapshot() {
        return snapshot;
    }

    IndexTimes times() {
        return times;
    }

    /** The segment that is written to; null: none yet. */
    Segment current() {
        return current;
    }

    /** Segments that are complete; whoever takes them forces and closes them. */
    Queue<Segment> complete() {
        return complete;
    }

    long recorded() {
        return recorded;
    }

    long fullNanos(long now) {
        return full.nanos(now);
    }

    long unpreparedNanos(long now) {
        return unprepared.nanos(now);
    }

    /** Whether everything that readers of the log see is written. */
    boolean caughtUp() {
        return reader.position() == log.head().position();
    }

    void release() {
        reader.release();
    }
}
