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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream on the disk: opened before the log is made, since it says where the stream goes on; fed by the log; closed after
 * the last message is in it.
 *
 * <p>{@link #written} survives the end of the process, {@link #forced} that of the machine. Any fault but a disk without room
 * ends it for good: after a force that failed, a later one may succeed although bytes are lost.
 */
public final class Journal implements Closeable {
    public interface Watch {
        /** Everything before the position is written. Called by the writer's thread. */
        void written(long position);

        /** Everything before the position is forced. Called by the forcer's thread. */
        void forced(long position);

        /** The journal has ended, and writes no more. Called by either thread, once. */
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

    /** Direct memory of each thread that reads or writes from the heap (the opening one, the writer, the forcer), and of records. */
    public static final long DIRECT_BYTES = 3L * FileDisk.PIECE + JournalWriter.RECORD_BYTES;

    /** The time at the end for what is still to be written and forced. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Disk disk;
    private final JournalSettings settings;
    private final Closeable lock;
    private final Recovery recovered;
    // Changed by one thread alone.
    private volatile EpochTable epochs;
    private final SegmentFiles files;
    private final NameMoves moves = new NameMoves();
    private final StreamHead written = new StreamHead();
    private final StreamHead forced = new StreamHead();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private JournalWriter writer;
    private JournalForcer forcer;
    // Null: the caller does all steps itself.
    private JournalThreads threads;
    // Written by the thread of the last steps alone.
    private boolean closed;
    private Watch watch;

    Journal(Disk disk, JournalSettings settings, Closeable lock, Recovery recovered, EpochTable epochs)
            throws IOException {
        this.disk = disk;
        this.settings = settings;
        this.lock = lock;
        this.recovered = recovered;
        this.epochs = epochs;
        files = new SegmentFiles(disk, settings);
        files.collectSpares();
        recovered.filled().forEach(part -> files.addReadable(part.header()));
        if (!files.isOver()) {
            // Without room for the first segment, the first publishers would wait behind a relay that seems to be
            // ready.
            files.prepare();
        }
        written.set(recovered.endPosition(), recovered.endSequence());
        forced.set(recovered.endPosition(), recovered.endSequence());
    }

    // ---- what was found ----------------------------------------------------------------------------------------

    /** The findings in the directory when it was opened, the torn tail included. */
    public Recovery recovered() {
        return recovered;
    }

    /** All lives of the stream that are remembered, this one included. Any thread. */
    public EpochTable epochs() {
        return epochs;
    }

    /**
     * The stream goes on in another life, which other relays have as well: before any byte of it is in the log. The table on the
     * disk has it before a file is begun there. One thread.
     */
    public void begins(EpochTable.Epoch life) {
        epochs = epochs.withLater(life);
    }

    /** The place where the stream goes on: the log is made to start here. */
    public Mark goesOnAt() {
        return Mark.of(recovered.endPosition(), recovered.endSequence());
    }

    // ---- at work -----------------------------------------------------------------------------------------------

    /**
     * Takes the log that the journal writes down from now on.
     *
     * @param log starts at {@link #goesOnAt}, and is not written to yet. Its gate keeps it from running so far ahead that it
     *     drops what was not written
     * @param whom gets what becomes of the journal
     * @param nanos now, of the clock that only goes forward
     */
    public void follow(PacketLog log, Watch whom, long nanos) {
        watch = whom;
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

    /** Starts the threads, on the log that the journal is fed with. */
    public void start() {
        threads = new JournalThreads(
                name(),
                (nanos, millis) -> {
                    long rest = writer.restNanos(nanos);
                    if (rest > 0) {
                        return rest;
                    }
                    boolean done = write(nanos, millis);
                    if (done && forcer.due(nanos)) {
                        threads.forcing.wake();
                    }
                    return sleep(done);
                },
                (nanos, millis) -> {
                    boolean done = force(nanos, millis);
                    if (done) {
                        threads.writing.wake();
                    }
                    return sleep(done);
                },
                this::fail);
        threads.start();
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
        if (failure.get() != null) {
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
        if (threads != null && writer.due()) {
            threads.writing.wake();
        }
    }

    /** Asks for everything before a position to be written soon. One thread. */
    public void wantWritten(long position) {
        writer.want(position);
        if (threads != null) {
            threads.writing.wake();
        }
    }

    /** Asks for everything before a position to be written and forced at once. One thread. */
    public void wantForced(long position) {
        wantWritten(position);
        forcer.want(position);
        if (threads != null) {
            threads.forcing.wake();
        }
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

    /** Whether something of the stream is held that lies before a position. Any thread. */
    public boolean hasBefore(long position) {
        var oldest = files.readable().firstEntry();
        return oldest != null && oldest.getKey() < position;
    }

    /** Reads what is written, from its oldest message on. Any thread; each reader has one of its own. */
    public BlockReader newBlockReader(ByteBuffer records) {
        return new BlockReader(
                disk, files.readable(), written, () -> writer.times().present(), records);
    }

    /** The fault that ended the journal; null: there is none. Any thread. */
    public Throwable failure() {
        return failure.get();
    }

    public Stats stats() {
        return forcer.stats();
    }

    /**
     * After a failure: lets go of the log, which goes on without it. The directory stays locked. One thread at a time,
     * since the relay may be closed meanwhile; throws where a thread hangs in the disk.
     */
    public synchronized void abandon() throws IOException {
        endThreads(CLOSE_NANOS, this::release);
    }

    /**
     * Writes and forces what is in the log, and lets go of log and directory. The log is no longer written to. Bounded: ten
     * seconds for the journal's threads, and as many for what they have left.
     *
     * @throws IOException not all of it is on the disk
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
        endThreads(nanos, () -> finishAndLetGo(nanos));
        if (failure.get() != null) {
            throw new DiskException(failureText(), failure.get());
        }
    }

    /** Runs once: a thread that hung in the disk at the first close may do it later. */
    private void finishAndLetGo(long nanos) throws IOException {
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

    private void endThreads(long nanos, JournalThreads.LastSteps then) throws IOException {
        if (threads == null) {
            then.run();
        } else {
            threads.stop(nanos, then);
        }
    }

    /** Writes the rest, with both threads gone, and at last the record that all of it is forced. */
    private void finish(long end) {
        // Both clocks go on from where their threads have seen them last: so they are those that the threads had.
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
            if (writer.caughtUp()) {
                Mark all = forced.mark();
                sayItEnds(all);
            } else {
                throw new IOException("not all could be written in the time that there is at the end");
            }
            return true;
        });
    }

    /** Without room for the table all is on the disk the same: the next start looks for the end in the index. */
    private void sayItEnds(Mark all) throws IOException {
        try {
            new EpochTable(epochs.epochs(), all.position(), all.sequence()).write(disk);
        } catch (DiskException.Full e) {
            LOG.warn("{}: the table of epochs is left as it was: {}", name(), e.words());
        }
    }

    /** For tests, of a process that has gone: lets go of the log, and of nothing else. */
    void letGo() {
        writer.release();
    }

    /** Lets go of the log, and of the files. */
    private void release() throws IOException {
        writer.release();
        files.close();
        for (Segment s = writer.complete().poll();
                s != null;
                s = writer.complete().poll()) {
            s.close();
        }
        if (writer.current() != null) {
            writer.current().close();
        }
    }
}
