package dev.msgrelay.server.journal;

import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.figures.TimeHistogram.Times;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.read.BackwardPages;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.StreamHead;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream on the disk. The journal is opened before the packet log is made, and the log starts at the journal's end.
 *
 * <p>Bytes before {@link #written} survive a crash of the process, bytes before {@link #forced} also a crash of the
 * machine. If the disk is full, the journal waits for room. Any other fault ends the journal, because a force (fsync)
 * after a failed one may succeed although bytes are lost.
 */
public final class Journal implements Closeable {
    /** Called with the position up to which all bytes are written or forced, on the writer's or the forcer's thread. */
    public interface Watch {
        void written(long position);

        void forced(long position);

        /** Called once, if a fault has ended the journal. */
        void failed(Throwable cause);
    }

    /**
     * Figures for reports.
     *
     * @param freeBytes bytes that are free on the disk; -1: not known yet
     * @param fullNanos time for which the disk was full
     * @param unpreparedNanos time for which the writer waited for the files of a segment
     * @param unheld segments that were dropped before the snapshot of the state had them
     */
    public record Stats(
            int segments,
            long fileBytes,
            long freeBytes,
            long fullNanos,
            long unpreparedNanos,
            long unheld,
            Times forces) {}

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Direct memory: the writer's records, and in three threads a buffer with which the JDK copies heap buffers. */
    public static final long DIRECT_BYTES = 3L * FileDisk.PIECE + JournalWriter.RECORD_BYTES;

    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The longest time that a step takes unless the disk hangs. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final JournalParts parts;
    private final SegmentFiles files;
    private final Closeable lock;
    private final Object names = new Object();
    private boolean unlocked;
    private volatile EpochTable epochs;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private JournalWriter writer;
    private JournalForcer forcer;
    private final JournalThread writing =
            new JournalThread("relay-journal", () -> writer.look(), this::writeOrRest, this::fail);
    private final JournalThread forcing =
            new JournalThread("relay-journal-force", () -> {}, this::forceOrSleep, this::fail);
    private boolean started;
    private Optional<Thread> ending = Optional.empty();
    // Set by the thread that runs the last steps, see stop.
    private boolean closed;
    private Watch watch;

    Journal(JournalParts parts, Closeable lock, EpochTable epochs) throws IOException {
        this.parts = parts;
        this.files = parts.files();
        this.lock = () -> unlock(lock);
        this.epochs = epochs;
        files.collectSpares();
        parts.found().filled().forEach(part -> files.addReadable(part.header()));
        if (!files.isOver()) {
            // This fails if there is no room for a segment. Else, publishers would wait at a relay that seems ready.
            files.prepare();
        }
    }

    private void unlock(Closeable of) throws IOException {
        synchronized (names) {
            unlocked = true;
            of.close();
        }
    }

    /** What the opening has found in the directory, before it cut off the torn tail of a crash. */
    public Recovery recovered() {
        return parts.found();
    }

    /** The remembered lives of the stream, see {@link EpochTable}, including the present one. Any thread. */
    public EpochTable epochs() {
        return epochs;
    }

    /** Adds a life that a cluster has begun. Called before the log has a byte of that life, always on one thread. */
    public void addLife(EpochTable.Epoch life) {
        epochs = epochs.withLater(life);
    }

    /** The end of the journal at its opening. The log starts there. */
    public Mark goesOnAt() {
        return Mark.of(parts.found().endPosition(), parts.found().endSequence());
    }

    /**
     * Sets the log whose bytes the journal writes from now on.
     *
     * @param log an empty log that starts at {@link #goesOnAt}; it drops no byte that is not written yet
     * @param nanos the present time, by the clock that only goes forward
     */
    public void follow(PacketLog log, Watch newWatch, long nanos) {
        watch = newWatch;
        writer = new JournalWriter(parts, log, this::epochs, watch::written);
        forcer = new JournalForcer(parts, writer, watch::forced, nanos);
    }

    /** Starts both threads. Without this call, the caller runs all steps itself. */
    public void start() {
        started = true;
        JournalThread.stepNow(this::begin);
        forcing.start();
        writing.start();
    }

    /** Sets the times from which the last steps go on, should there be no other step before them. */
    long begin(long nanos, long millis) {
        writer.times().update(nanos, millis);
        return 0;
    }

    private long writeOrRest(long nanos, long millis) {
        long rest = writer.restNanos(nanos);
        if (rest > 0) {
            return rest;
        }
        boolean done = step(() -> writer.step(nanos, millis));
        if (done && forcer.due(nanos)) {
            forcing.wake();
        }
        return done ? 0 : JournalThread.SLEEP_NANOS;
    }

    private long forceOrSleep(long nanos, long millis) {
        boolean done = force(nanos, millis);
        if (done) {
            writing.wake();
        }
        return done ? 0 : JournalThread.SLEEP_NANOS;
    }

    private String name() {
        return "journal " + parts.disk().place();
    }

    boolean write(long nanos, long millis) {
        writer.look();
        return step(() -> writer.step(nanos, millis));
    }

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

    /** Called after a move of the log's head and a full fence. Wakes the writer if it has work. Any thread. */
    public void signal() {
        if (writer.due()) {
            writing.wake();
        }
    }

    /** Requests that all bytes before a position are written soon. Always called on the same thread. */
    public void wantWritten(long position) {
        writer.want(position);
        writing.wake();
    }

    /** Requests that all bytes before a position are written and forced at once. Always called on the same thread. */
    public void wantForced(long position) {
        wantWritten(position);
        forcer.want(position);
        forcing.wake();
    }

    /** The queue in which the core reports messages of acknowledged publishers. */
    public NameMoves moves() {
        return parts.moves();
    }

    public StreamHead written() {
        return parts.written();
    }

    public StreamHead forced() {
        return parts.forced();
    }

    /** Whether a byte of the stream before a position can be read from the journal. Any thread. */
    public boolean hasBefore(long position) {
        return !files.readable().headMap(position).isEmpty();
    }

    /** Returns a new reader, which begins at the oldest message. Any thread. */
    public BlockReader newBlockReader(ByteBuffer records) {
        return newBlockReader(records, written());
    }

    private BlockReader newBlockReader(ByteBuffer records, StreamHead end) {
        return new BlockReader(
                parts.disk(), files.readable(), end, () -> writer.times().present(), records);
    }

    // ---- the snapshot of the state, any thread ------------------------------------------------------------------

    /** Returns a new reader of the journal from a place to its beginning. */
    public BackwardPages newBackwardPages(ByteBuffer records) {
        StreamHead end = new StreamHead();
        return new BackwardPages(newBlockReader(records, end), end);
    }

    public Disk disk() {
        return parts.disk();
    }

    /** Bytes that the next segment still takes from the disk; 0: its files are ready. Any thread. */
    public long nextSegmentBytes() {
        return files.ready() ? 0 : parts.settings().filesBytes();
    }

    /** A change of the directory's names. */
    public interface Change {
        void run() throws IOException;
    }

    /** Changes names of the directory, unless it is unlocked already and may have another owner. */
    public void change(Change change) throws IOException {
        synchronized (names) {
            if (unlocked) {
                throw new DiskException(name() + ": closed");
            }
            change.run();
        }
    }

    /** The newest segment whose first byte may be the end of a snapshot: all before it is closed and forced. */
    public Optional<SegmentHeader> newestBehindForced() {
        return Optional.ofNullable(files.readable().floorEntry(forced().position()))
                .map(Map.Entry::getValue);
    }

    /** The segment that begins at a position. */
    public Optional<SegmentHeader> segmentAt(long position) {
        return Optional.ofNullable(files.readable().get(position));
    }

    /**
     * From now on, segments are dropped only if they end at a position or before it, or if the disk is full. With twice
     * the bytes to keep publishers wait.
     */
    public void hold(long position) {
        files.hold(position);
    }

    /** Until the next call of {@link #hold}, segments are dropped instead of publishers that wait. */
    public void limitHold() {
        files.limitHold();
    }

    /** Whether a segment that would have been dropped is held. */
    public boolean holds() {
        return forcer.holds();
    }

    /** The fault that ended the journal; empty if the journal still works. Any thread. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure.get());
    }

    public Stats stats() {
        return forcer.stats();
    }

    /** Releases log and files after a failure; the directory stays locked. Throws if the disk hangs. */
    public synchronized void abandon() throws IOException {
        stop(CLOSE_NANOS, this::release);
    }

    /**
     * Writes and forces the rest of the log, and releases log and directory. Waits up to ten seconds for the threads,
     * and up to ten for the rest of the log. Throws if a part of the log is not on the disk then.
     */
    @Override
    public void close() throws IOException {
        close(CLOSE_NANOS);
    }

    synchronized void close(long nanos) throws IOException {
        if (writer == null) {
            try (lock) {
                files.close();
            }
            return;
        }
        stop(nanos, () -> finishAndRelease(nanos));
        if (failure().isPresent()) {
            throw new DiskException(failureText(), failure.get());
        }
    }

    private interface LastSteps {
        void run() throws IOException;
    }

    /**
     * Ends both threads, and then runs the last steps on a further thread. If the disk hangs, that thread keeps the
     * directory's lock, and this method throws. If no threads were started, the caller runs the last steps.
     */
    private void stop(long nanos, LastSteps steps) throws IOException {
        if (!started) {
            steps.run();
            return;
        }
        writing.endSoon();
        forcing.endSoon();
        FutureTask<Void> task = new FutureTask<>(() -> {
            steps.run();
            return null;
        });
        try {
            long threadsEnd = System.nanoTime() + nanos;
            await(writing, threadsEnd, nanos);
            await(forcing, threadsEnd, nanos);
            // On a full disk, the last steps give up before this time. Only a disk that hangs makes them take longer.
            long end = System.nanoTime() + nanos + GRACE_NANOS;
            if (ending.isPresent()) {
                await(ending.get(), end, nanos);
            }
            Thread thread = new Thread(task, "relay-journal-end");
            thread.setDaemon(true);
            thread.start();
            ending = Optional.of(thread);
            await(thread, end, nanos);
            task.get();
        } catch (ExecutionException e) {
            throw new DiskException(name() + ": " + TextFile.fault(e.getCause()), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DiskException(name() + ": interrupted at its end", e);
        }
    }

    private void await(Thread thread, long end, long bound) throws IOException, InterruptedException {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        if (thread.isAlive()) {
            throw new DiskException(name() + ": the disk has not answered for " + TimeUnit.NANOSECONDS.toMillis(bound)
                    + " ms; what was forced before is there");
        }
    }

    /** Does nothing when called again. A second call may follow a {@link #close} during which the disk hung. */
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

    /** Writes and forces the rest of the log, then notes in index and table of epochs that all bytes are forced. */
    private void finish(long end) {
        // Both clocks continue from their times at the last step, because the caller of a step chooses those times.
        JournalClock last = writer.times().clock();
        long began = System.nanoTime();
        long nanos = last.nanos();
        long millis = last.wall();
        files.endSoon();
        step(() -> {
            while (!writer.caughtUp() && System.nanoTime() - end < 0) {
                writer.look();
                long passed = System.nanoTime() - began;
                long now = millis + TimeUnit.NANOSECONDS.toMillis(passed);
                boolean done = writer.step(nanos + passed, now) | forcer.step(nanos + passed, now);
                if (!done) {
                    LockSupport.parkNanos(RETRY_NANOS);
                }
            }
            forcer.forceNow();
            writer.look();
            writer.step(nanos + System.nanoTime() - began, millis);
            forcer.forceNow();
            if (!writer.caughtUp()) {
                throw new IOException("not all could be written in the time that there is at the end");
            }
            writeEnd(forced().mark());
            return true;
        });
    }

    private void writeEnd(Mark all) throws IOException {
        try {
            new EpochTable(epochs.epochs(), all.position(), all.sequence()).write(parts.disk());
        } catch (DiskException.Full e) {
            // No message is lost, because the next start finds the end in the index.
            LOG.warn("{}: the table of epochs is left as it was: {}", name(), e.words());
        }
    }

    /** For tests: leaves files and lock as a killed process does. */
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
