package dev.msgrelay.server.journal;

import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.figures.TimeHistogram.Times;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.StreamHead;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream on the disk. The journal is opened before the log is made, since it says where the stream goes on; it is
 * closed after the last message is in it.
 *
 * <p>{@link #written} survives the end of the process, {@link #forced} that of the machine. Any fault but a disk
 * without room ends the journal for good: after a force that failed, a later force may succeed although bytes are lost.
 */
public final class Journal implements Closeable {
    /** Gets the journal's progress, on the thread that made it: the writer's or the forcer's. */
    public interface Watch {
        /** Everything before the position is written. */
        void written(long position);

        /** Everything before the position is forced. */
        void forced(long position);

        /** The journal writes no more. Called once. */
        void failed(Throwable cause);
    }

    /**
     * Figures for reports.
     *
     * @param freeBytes bytes that are free on the disk; -1: not known
     * @param fullNanos time for which the disk was full
     * @param unpreparedNanos time for which the writer waited for the files of a segment
     */
    public record Stats(
            int segments, long fileBytes, long freeBytes, long fullNanos, long unpreparedNanos, Times forces) {}

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /**
     * Direct memory of the three threads that read or write from the heap (opening, writer, forcer), and of records.
     */
    public static final long DIRECT_BYTES = 3L * FileDisk.PIECE + JournalWriter.RECORD_BYTES;

    /** The time at the end for bytes that are not written or forced yet. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Disk disk;
    private final JournalSettings settings;
    private final Closeable lock;
    private final Recovery recovered;
    private volatile EpochTable epochs;
    private final SegmentFiles files;
    private final NameMoves moves = new NameMoves();
    private final StreamHead written = new StreamHead();
    private final StreamHead forced = new StreamHead();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private JournalWriter writer;
    private JournalForcer forcer;
    private final JournalThreads threads;
    // Written by the thread of the last steps.
    private boolean closed;
    private Watch watch;

    Journal(Disk disk, JournalSettings settings, Closeable lock, Recovery recovered, EpochTable epochs)
            throws IOException {
        this.disk = disk;
        this.settings = settings;
        this.lock = lock;
        this.recovered = recovered;
        this.epochs = epochs;
        threads = new JournalThreads(name(), this::writeOrRest, this::forceOrSleep, this::fail);
        files = new SegmentFiles(disk, settings);
        files.collectSpares();
        recovered.filled().forEach(part -> files.addReadable(part.header()));
        if (!files.isOver()) {
            // Without room for a first segment, publishers would wait at a relay that seems to be ready.
            files.prepare();
        }
        written.set(recovered.endPosition(), recovered.endSequence());
        forced.set(recovered.endPosition(), recovered.endSequence());
    }

    /** The findings in the directory when it was opened, the torn tail included. */
    public Recovery recovered() {
        return recovered;
    }

    /** The lives of the stream that are remembered, this one included. Any thread. */
    public EpochTable epochs() {
        return epochs;
    }

    /**
     * Adds a life that a cluster has begun, before the log has a byte of it. The table on the disk gets the life before
     * a file of it is begun. One thread.
     */
    public void addLife(EpochTable.Epoch life) {
        epochs = epochs.withLater(life);
    }

    /** The place where the stream goes on: the log is made to start here. */
    public Mark goesOnAt() {
        return Mark.of(recovered.endPosition(), recovered.endSequence());
    }

    /**
     * Writes a log down from now on.
     *
     * @param log starts at {@link #goesOnAt}, and is empty. Its gate keeps it from dropping bytes that are not written
     * @param nanos now, of the clock that only goes forward
     */
    public void follow(PacketLog log, Watch newWatch, long nanos) {
        watch = newWatch;
        writer = new JournalWriter(
                disk,
                log,
                files,
                written,
                forced,
                this::epochs,
                settings.segmentBytes(),
                moves,
                recovered,
                watch::written);
        forcer = new JournalForcer(disk, settings, files, writer, written, forced, recovered, watch::forced, nanos);
    }

    /** Starts the threads, on the log that the journal follows. Without them the caller does all steps itself. */
    public void start() {
        threads.start();
    }

    private long writeOrRest(long nanos, long millis) {
        long rest = writer.restNanos(nanos);
        if (rest > 0) {
            return rest;
        }
        boolean done = write(nanos, millis);
        if (done && forcer.due(nanos)) {
            threads.wakeForcer();
        }
        return sleep(done);
    }

    private long forceOrSleep(long nanos, long millis) {
        boolean done = force(nanos, millis);
        if (done) {
            threads.wakeWriter();
        }
        return sleep(done);
    }

    private String name() {
        return "journal " + disk.place();
    }

    private static long sleep(boolean done) {
        return done ? 0 : JournalThread.SLEEP_NANOS;
    }

    /** One step of the writer. Returns whether it did something. */
    boolean write(long nanos, long millis) {
        return step(() -> writer.step(nanos, millis));
    }

    /** One step of the forcer. Returns whether it did something. */
    boolean force(long nanos, long millis) {
        return step(() -> forcer.step(nanos, millis));
    }

    private interface Step {
        boolean run() throws IOException;
    }

    private boolean step(Step step) {
        if (failure().isPresent()) {
            return false;
        }
        try {
            return step.run();
        } catch (IOException | RuntimeException e) {
            fail(e);
            return false;
        }
    }

    private void fail(Throwable cause) {
        if (failure.compareAndSet(null, cause)) {
            watch.failed(cause);
        }
    }

    /** The log's head has moved, or there is no room for more moves of names. Any thread, after a full fence. */
    public void signal() {
        if (writer.due()) {
            threads.wakeWriter();
        }
    }

    /** Asks for everything before a position to be written soon. One thread. */
    public void wantWritten(long position) {
        writer.want(position);
        threads.wakeWriter();
    }

    /** Asks for everything before a position to be written and forced at once. One thread. */
    public void wantForced(long position) {
        wantWritten(position);
        forcer.want(position);
        threads.wakeForcer();
    }

    /** The queue for the moves of names, which the core fills. */
    public NameMoves moves() {
        return moves;
    }

    public StreamHead written() {
        return written;
    }

    public StreamHead forced() {
        return forced;
    }

    /** Whether the journal has a byte of the stream before a position. Any thread. */
    public boolean hasBefore(long position) {
        return !files.readable().headMap(position).isEmpty();
    }

    /** A reader of the journal, from its oldest message on. Any thread. */
    public BlockReader newBlockReader(ByteBuffer records) {
        return new BlockReader(
                disk, files.readable(), written, () -> writer.times().present(), records);
    }

    /** The fault that ended the journal. Any thread. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure.get());
    }

    public Stats stats() {
        return forcer.stats();
    }

    /**
     * Releases the log and the files after a failure: the relay goes on without a journal. The directory stays locked.
     * One thread at a time, since the relay may be closed meanwhile.
     *
     * @throws IOException a thread hangs in the disk
     */
    public synchronized void abandon() throws IOException {
        threads.stop(CLOSE_NANOS, this::release);
    }

    /**
     * Writes and forces the rest of the log, to which nobody writes any more, and releases log and directory. Bounded:
     * ten seconds for the journal's threads, and as many for the rest.
     *
     * @throws IOException not all of the log is on the disk
     */
    @Override
    public void close() throws IOException {
        close(CLOSE_NANOS);
    }

    /** As {@link #close()}, with other bounds. */
    synchronized void close(long nanos) throws IOException {
        if (writer == null) {
            try (lock) {
                files.close();
            }
            return;
        }
        threads.stop(nanos, () -> finishAndRelease(nanos));
        if (failure().isPresent()) {
            throw new DiskException(failureText(), failure.get());
        }
    }

    /** Runs once: a thread that hung in the disk at the first close may run it later. */
    private void finishAndRelease(long nanos) throws IOException {
        if (!closed) {
            closed = true;
            try (lock) {
                finish(System.nanoTime() + nanos);
                release();
            }
        }
    }

    public String failureText() {
        return name() + " has failed: " + TextFile.fault(failure.get());
    }

    /** Writes the rest after the end of both threads, and at last the record that all of it is forced. */
    private void finish(long end) {
        // The clocks go on from where the threads have seen them last: a caller without threads has clocks of its own.
        JournalClock last = writer.times().clock();
        long began = System.nanoTime();
        long nanos = last.nanos();
        long millis = last.wall();
        step(() -> {
            while (!writer.caughtUp() && System.nanoTime() - end < 0) {
                long passed = System.nanoTime() - began;
                long now = millis + TimeUnit.NANOSECONDS.toMillis(passed);
                boolean done = writer.step(nanos + passed, now) | forcer.step(nanos + passed, now);
                if (!done) {
                    LockSupport.parkNanos(RETRY_NANOS);
                }
            }
            forcer.forceNow();
            writer.step(nanos + System.nanoTime() - began, millis);
            forcer.forceNow();
            if (!writer.caughtUp()) {
                throw new IOException("not all could be written in the time that there is at the end");
            }
            writeEnd(forced.mark());
            return true;
        });
    }

    private void writeEnd(Mark all) throws IOException {
        try {
            new EpochTable(epochs.epochs(), all.position(), all.sequence()).write(disk);
        } catch (DiskException.Full e) {
            // All messages are on the disk the same: the next start looks for the end in the index.
            LOG.warn("{}: the table of epochs is left as it was: {}", name(), e.words());
        }
    }

    /** Releases the log, and leaves files and lock as the end of a process does. For tests. */
    void releaseLog() {
        writer.release();
    }

    private void release() throws IOException {
        writer.release();
        files.close();
        while (!writer.complete().isEmpty()) {
            writer.complete().remove().close();
        }
        writer.current().close();
    }
}
