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
 * Writes the packet log to the disk: first a block of bytes, straight from the log's memory, then a record about it in
 * the index. The log keeps all bytes that are not written yet, because its gate waits for the writer.
 *
 * <p>Owned by its own thread. The forcer uses {@link #complete}, and reads the volatile fields.
 */
final class JournalWriter {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long FULL_LINE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int RECORDS_AT_ONCE = 1024;

    // Each block has a fixed cost, so the writer pauses before it unless a client waits, or PATIENT_BYTES have come.
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

    // The index file's offset for the next write of records, and the number of records since beginRecords.
    private long recordsAt;
    private int count;
    // The table of lives as it is on the disk.
    private EpochTable tabled;
    private long restUntil;
    private long lastFullLine;
    // Set while the forcer has no room for the table of names or for the files of the next segment.
    private volatile Optional<DiskException.Full> lacking = Optional.empty();
    private volatile boolean refused;
    private volatile long wanted;
    private volatile boolean patient;
    private volatile Segment current = Segment.NONE;
    private volatile long named;
    private volatile NamesFile snapshot;
    private volatile long recorded;

    /** @param epochs the lives of the stream; the table on the disk must contain all of them already */
    JournalWriter(JournalParts parts, PacketLog log, Supplier<EpochTable> epochs, LongConsumer onWritten) {
        this.disk = parts.disk();
        this.log = log;
        this.reader = new LogReader(log);
        this.files = parts.files();
        this.written = parts.written();
        this.forced = parts.forced();
        this.epochs = epochs;
        this.tabled = epochs.get();
        this.times = new IndexTimes(parts.found());
        this.most = (int) Math.min(IndexRecord.MOST_BLOCK, parts.settings().segmentBytes() / 4);
        this.names = new WrittenNames(parts.moves(), parts.found().states());
        this.named = parts.found().named();
        this.onWritten = onWritten;
        this.recorded = forced.position();
        this.snapshot = new NamesFile(forced.position(), names.written());
    }

    void want(long position) {
        wanted = Math.max(wanted, position);
    }

    /** How long the writer should pause now, in ns; 0: not at all. */
    long restNanos(long nanos) {
        long rest = current == Segment.NONE ? 0 : restUntil - nanos;
        // The flag is set before the head is read, so that a core that moves the head later sees the flag.
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

    /** Reads how far the stream has got. Called before the clocks are read, so that no message gets an earlier time. */
    void look() {
        log.head().read(head);
    }

    /**
     * Writes a block of what the last look has seen, or a record of the forced position. Returns whether something was
     * written, or came since that look.
     */
    boolean step(long nanos, long millis) throws IOException {
        times.update(nanos, millis);
        boolean idle = reader.position() == head.position();
        if (idle && !caughtUp()) {
            return true;
        }
        try {
            boolean wrote = idle ? recordForced(true) : block(nanos) || recordForced(false);
            refused = false;
            Optional<DiskException.Full> lack = lacking;
            if (lack.isPresent()) {
                noteFull(lack.get(), nanos);
            } else {
                full.stop(nanos);
            }
            return wrote;
        } catch (DiskException.Full e) {
            // Nothing is lost, because a later step writes the same bytes to the same offset.
            refused = true;
            noteFull(e, nanos);
            return !idle && recordForcedIfItFits();
        }
    }

    /** Called on the forcer's thread. */
    void setLacking(Optional<DiskException.Full> lack) {
        lacking = lack;
    }

    /** Logs once a minute that the disk is full, and measures how long. Also called if only the forcer lacks room. */
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
        names.records(current.header().base(), this::put);
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
        // If more bytes are waiting, the next block is written at once.
        restUntil = end == head.position() ? nanos + PATIENT_NANOS : nanos;
        written.set(end, endSequence);
        reader.advance(bytes);
        onWritten.accept(end);
        return true;
    }

    /** Copies bytes of the log to the stream file. Returns their CRC32C. */
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
     * Records the forced position, or a step of the clock, without a block. With {@code ifSpare} the last slots stay
     * free for blocks. Otherwise they may be used, because the drop of an old segment needs this record.
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
    }

    private void put(SealedRecord record) throws IOException {
        if (!records.hasRemaining()) {
            // The records of many names take several writes, and count only with the block that follows them.
            flush();
        }
        record.put(records, current.header().seed());
        count++;
    }

    private void flush() throws IOException {
        int length = records.position();
        current.index().write(recordsAt, records.flip());
        recordsAt += length;
        records.clear();
    }

    private void endRecords(boolean withForced) throws IOException {
        flush();
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
            // The table is written first. A segment whose life is not in the table would count as damaged.
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
            // Queued before current changes, so that a forcer that reads current finds all earlier segments queued.
            complete.add(current);
        }
        current = next;
        times.begun(at.position());
        snapshot = new NamesFile(at.position(), named > snapshot.position() ? names.written() : snapshot.names());
        return true;
    }

    /** The end of the newest block with messages of acknowledged publishers. */
    long named() {
        return named;
    }

    /** Each name's last message before the newest segment, or before the first one if no segment has begun. */
    NamesFile snapshot() {
        return snapshot;
    }

    IndexTimes times() {
        return times;
    }

    Segment current() {
        return current;
    }

    /** The complete segments, which the forcer removes, forces and closes. */
    Queue<Segment> complete() {
        return complete;
    }

    long recorded() {
        return recorded;
    }

    /** Whether the last write found no room. Any thread. */
    boolean isFull() {
        return refused;
    }

    long fullNanos(long now) {
        return full.nanos(now);
    }

    long unpreparedNanos(long now) {
        return unprepared.nanos(now);
    }

    boolean caughtUp() {
        return reader.position() == log.head().position();
    }

    void release() {
        reader.release();
    }
}
