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
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the packet log down: first the bytes, from where they lie in the log, then the record of them. The log keeps
 * all bytes that are not written, since the writer's position is a limit of the gate.
 *
 * <p>Owned by its thread; the forcer reads {@link #written}, {@link #current} and {@link #complete}.
 */
final class JournalWriter {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long FULL_LINE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int RECORDS_AT_ONCE = 1024;

    /** A smaller block for which no client waits is not written sooner than PATIENT_NANOS after the one before. */
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

    // The place and the number of the records that are being put.
    private long recordsAt;
    private int count;
    private IOException refused;

    // The lives that the table on the disk has.
    private EpochTable tabled;

    private long restUntil;
    private long lastFullLine;

    // The forcer has no room for the names, or for the next files.
    private volatile Optional<DiskException.Full> lacking = Optional.empty();

    private volatile long wanted;
    private volatile boolean patient;
    private volatile Segment current = Segment.NONE;
    private volatile long named;
    private volatile NamesFile snapshot;
    private volatile long recorded;

    /**
     * @param log its head is where the journal goes on
     * @param written moved by the writer
     * @param forced moved by the forcer; the writer records it in the index
     * @param epochs the lives of the stream; at present the table on the disk has all of them
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

    /** The time for which the writer may wait for more bytes of a block, in ns: each block has a cost of its own. */
    long restNanos(long nanos) {
        long rest = current == Segment.NONE ? 0 : restUntil - nanos;
        // Set before the look: a core that moves the head after the look sees the flag.
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

    /** Writes one block, or a record of the forced position. Returns whether something was written. */
    boolean step(long nanos, long millis) throws IOException {
        times.update(nanos, millis);
        log.head().read(head);
        boolean idle = reader.position() == head.position();
        try {
            boolean wrote = idle ? recordForced(true) : block(nanos) || recordForced(false);
            Optional<DiskException.Full> lack = lacking;
            if (lack.isPresent()) {
                noteFull(lack.get(), nanos);
            } else {
                full.stop(nanos);
            }
            return wrote;
        } catch (DiskException.Full e) {
            // A later step writes the same bytes to the same place.
            noteFull(e, nanos);
            return !idle && recordForcedIfItFits();
        }
    }

    /** Says whether the forcer lacks room for the names, or for the files of the next segment. The forcer's thread. */
    void setLacking(Optional<DiskException.Full> lack) {
        lacking = lack;
    }

    /**
     * A full disk is one state of the journal, with one line a minute and one counter, also where the forcer lacks
     * room.
     */
    private void noteFull(DiskException.Full e, long nanos) {
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
        if (current.room() < bytes && !roll(bytes, nanos)) {
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
        // A backlog is written at once.
        restUntil = end == head.position() ? nanos + PATIENT_NANOS : nanos;
        written.set(end, endSequence);
        reader.advance(bytes);
        onWritten.accept(end);
        return true;
    }

    /** Copies bytes of the log to the stream file. Returns their CRC. */
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
     * Records the forced position without a block: the log has none, or there is no room for one. A segment is dropped
     * only behind such a record, so where the next block waits for that, the record may take the last slots, too. A
     * step of the clock is marked likewise, so that a reader of a time knows it before the next block.
     */
    private boolean recordForced(boolean ifSpare) throws IOException {
        if (current == Segment.NONE || ifSpare && !current.hasSpareSlot() || !forcedIsNew() && !times.isMarkDue()) {
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

    private void put(SealedRecord record) {
        if (!records.hasRemaining()) {
            // The records of many names take more than one write; they count with the block behind them.
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
        Optional<Segment> made =
                files.next(new SegmentHeader(epoch, at.position(), at.sequence(), times.time(), named, times.skew()));
        if (made.isEmpty()) {
            unprepared.start(nanos);
            return false;
        }
        unprepared.stop(nanos);
        Segment next = made.get();
        if (next.room() < bytes) {
            next.close();
            throw new IOException("a block of " + bytes + " bytes is longer than a segment");
        }
        if (current != Segment.NONE) {
            // Added before the next segment is shown: the forcer looks at that first, and then finds all others here.
            complete.add(current);
        }
        current = next;
        times.begun(at.position());
        snapshot = new NamesFile(at.position(), named > snapshot.position() ? names.written() : snapshot.names());
        return true;
    }

    /** The position behind the newest block that moved a name. Any thread. */
    long named() {
        return named;
    }

    /** The names at the beginning of the newest segment; before the first segment, at the place where it will begin. */
    NamesFile snapshot() {
        return snapshot;
    }

    IndexTimes times() {
        return times;
    }

    /** The segment that is written to. */
    Segment current() {
        return current;
    }

    /** The complete segments, which the forcer takes, forces and closes. */
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
