package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.Recovery.Part;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.log.StreamHead;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The stream on the disk: opened before the log is made, since it says where the stream goes on; fed by the log; closed after
 * the last message is in it.
 *
 * <p>{@link #written} survives the end of the process, {@link #forced} that of the machine. Any fault but a full disk ends it
 * for good: after a force that failed, a later one may succeed although bytes are lost.
 */
public final class Journal implements Closeable {
    /** Who is told what becomes of it. */
    public interface Watch {
        /** What lies before the position is written. On the writer's thread. */
        void written(long position);

        /** What lies before the position is forced. On the forcer's thread. */
        void forced(long position);

        /** It has ended: no more is written. On either thread, once. */
        void failed(Throwable cause);
    }

    /** Direct memory of each thread that reads or writes from the heap (the opening one, the writer, the forcer), and of records. */
    public static final long DIRECT_BYTES = 3L * FileDisk.PIECE + JournalWriter.RECORD_BYTES;

    /** Of the Java heap, for each segment that is held: what is known of it, for those who read it too, and its files' names. */
    private static final int BYTES_PER_SEGMENT = 600;

    /** Likewise for each name: what is known of it, and how it is written down. */
    private static final int BYTES_PER_NAME = 300;

    /** Likewise for each record of the one whose records are looked at, when it is opened. */
    private static final int BYTES_PER_RECORD = 96;

    /** At the end, for what is still to be written and forced. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A step that does not hang is done within that. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Disk disk;
    private final JournalSettings settings;
    private final Closeable lock;
    private final Recovery recovered;
    private final EpochTable epochs;
    private final SegmentFiles files;
    private final NameMoves moves = new NameMoves();
    private final StreamHead written = new StreamHead();
    private final StreamHead forced = new StreamHead();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private JournalWriter writer;
    private JournalForcer forcer;
    private JournalThread writing;
    private JournalThread forcing;
    // Guarded by this: what does the last steps; null: not yet.
    private Thread last;
    // Of the thread that does the last steps.
    private boolean closed;
    private Watch watch;

    private Journal(Disk disk, JournalSettings settings, Closeable lock, Recovery recovered, EpochTable epochs)
            throws IOException {
        this.disk = disk;
        this.settings = settings;
        this.lock = lock;
        this.recovered = recovered;
        this.epochs = epochs;
        files = new SegmentFiles(disk, settings);
        files.collectSpares();
        for (Part part : recovered.parts()) {
            if (part.endPosition() > part.header().base()) {
                files.hold(part.header());
            }
        }
        written.set(recovered.endPosition(), recovered.endSequence());
        forced.set(recovered.endPosition(), recovered.endSequence());
    }

    /** Bytes of the Java heap that it takes at most: most of them when it is opened. */
    public static long heapBytes(JournalSettings settings) {
        long records = settings.indexBytes() / IndexRecord.LENGTH;
        return Recovery.PIECE
                + IndexInput.BYTES
                + records * BYTES_PER_RECORD
                + settings.mostSegments() * BYTES_PER_SEGMENT
                + (long) JournalName.MOST * BYTES_PER_NAME
                + NameMoves.BYTES;
    }

    /**
     * Opens a directory: takes its lock, cuts a torn tail, and begins an epoch.
     *
     * @param epoch of the stream from here on
     * @param millis the time, since 1970
     * @throws IOException somebody else has it, or it is damaged, or cannot be written to; the message names the place. Nothing
     *     was changed by us where it is damaged
     */
    public static Journal open(Disk disk, JournalSettings settings, long epoch, long millis) throws IOException {
        return open(disk, settings, epoch, millis, Recovery.Progress.NOBODY);
    }

    /** As above, and tells how far it is. */
    public static Journal open(Disk disk, JournalSettings settings, long epoch, long millis, Recovery.Progress progress)
            throws IOException {
        return open(disk, settings, epoch, millis, null, progress);
    }

    /**
     * As above, of a stream that other relays have as well, and that goes on there when this one ends.
     *
     * @param others from where on they can give it, in the same epoch; null: there are none, and the epoch is a new one
     * @throws IOException likewise; or it is of another stream, or messages are missing between it and what others can give
     */
    public static Journal open(
            Disk disk, JournalSettings settings, long epoch, long millis, Mark others, Recovery.Progress progress)
            throws IOException {
        try {
            return locked(disk, settings, epoch, millis, others, progress);
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).startsWith("journal ")) {
                throw e;
            }
            throw new IOException("journal " + disk.place() + " cannot be used: " + JournalThread.said(e), e);
        }
    }

    private static Journal locked(
            Disk disk, JournalSettings settings, long epoch, long millis, Mark others, Recovery.Progress progress)
            throws IOException {
        Closeable lock = disk.lock(true);
        boolean open = false;
        try {
            Recovery found = Recovery.look(disk, Recovery.Depth.START, progress);
            if (!found.sound()) {
                throw new IOException(refusal(disk, found));
            }
            checkRoom(disk, settings, found);
            if (others != null && found.isNew()) {
                new EpochTable(List.of(), others.position(), others.sequence()).write(disk);
                found = Recovery.look(disk, Recovery.Depth.START, progress);
            } else if (others != null) {
                checkGoesOn(disk, found, epoch, others);
            }
            Repair.cut(disk, found);
            if (others != null) {
                dropSpares(disk);
            }
            EpochTable epochs = found.epochs()
                    .with(
                            new EpochTable.Epoch(epoch, found.endPosition(), found.endSequence(), millis),
                            found.startPosition());
            epochs.write(disk);
            Journal journal = new Journal(disk, settings, lock, found, epochs);
            open = true;
            return journal;
        } finally {
            if (!open) {
                lock.close();
            }
        }
    }

    /** What lies on the disk is of the same stream, and reaches as far as what the others have. */
    private static void checkGoesOn(Disk disk, Recovery found, long epoch, Mark others) throws IOException {
        if (found.epochs().last().epoch() != epoch) {
            throw new IOException("journal " + disk.place() + " is of another stream than the cluster's: give each"
                    + " cluster, and each relay that is alone, a directory of its own");
        }
        if (found.endPosition() < others.position()) {
            throw new IOException("journal " + disk.place() + " ends before message " + found.endSequence()
                    + ", and the cluster's log on this node begins at message " + others.sequence()
                    + ": what lies between is at other nodes only. Put the journal of one of them there while that one is"
                    + " stopped, or begin with an empty directory");
        }
    }

    /**
     * What was cut off is sealed for this epoch, which goes on: used again for a segment that begins at the same place, its old
     * records would pass.
     */
    private static void dropSpares(Disk disk) throws IOException {
        for (String name : disk.names()) {
            if (name.endsWith(FileNames.SPARE)) {
                disk.delete(name);
            }
        }
    }

    /** What it may grow to has to fit: otherwise publishers would wait for ever, some day. */
    private static void checkRoom(Disk disk, JournalSettings settings, Recovery found) throws IOException {
        if (settings.keepBytes() == JournalSettings.UNLIMITED) {
            return;
        }
        long has = found.length();
        for (String name : disk.names()) {
            if (name.endsWith(FileNames.SPARE)) {
                try (Disk.File spare = disk.openToRead(name)) {
                    has += spare.length();
                }
            }
        }
        long most = settings.mostBytes();
        long free = disk.free();
        if (most - has > free) {
            throw new IOException("journal keep " + settings.keepBytes()
                    + " is more than there is room for: the disk of " + disk.place() + " has " + free
                    + " bytes free, and the journal has " + has + " so far and takes " + most
                    + " with three segments more");
        }
    }

    private static String refusal(Disk disk, Recovery found) {
        List<Loss> damage = found.damage();
        String first = damage.isEmpty()
                ? "the table of " + (found.epochsDamaged() ? "epochs" : "names") + " is missing or damaged"
                : damage.get(0).text();
        String more = damage.size() > 1 ? ", and " + (damage.size() - 1) + " more" : "";
        return "journal " + disk.place() + " is damaged: " + first + more
                + ". 'relay-server journal check' tells all; 'relay-server journal repair' writes off what is lost";
    }

    // ---- what was found ----------------------------------------------------------------------------------------

    /** What was found in the directory as it was opened, the cut of its torn tail included. */
    public Recovery recovered() {
        return recovered;
    }

    /** All lives of the stream that are remembered, this one included. */
    public EpochTable epochs() {
        return epochs;
    }

    /** Where the stream goes on: the log is made to start here. */
    public Mark goesOnAt() {
        Mark start = new Mark();
        start.set(recovered.endPosition(), recovered.endSequence());
        return start;
    }

    // ---- at work -----------------------------------------------------------------------------------------------

    /**
     * Takes the log that it writes down from now on.
     *
     * @param log starts at {@link #goesOnAt}, and is not written to yet. Its gate keeps it from running so far ahead that it
     *     drops what was not written
     * @param whom is told
     * @param nanos now, of the clock that only goes forward
     */
    public void feed(PacketLog log, Watch whom, long nanos) {
        watch = whom;
        List<JournalForcer.Earlier> earlier = new ArrayList<>();
        long newest = -1;
        long skew = 0;
        long newestSkew = 0;
        for (Part part : recovered.parts()) {
            long base = part.header().base();
            skew += part.header().step();
            if (part.endPosition() > base) {
                long length = part.records() < 0
                        ? part.length()
                        : part.endPosition() - base + SegmentHeader.LENGTH + (long) part.records() * IndexRecord.LENGTH;
                earlier.add(
                        new JournalForcer.Earlier(base, part.endPosition(), length, part.timeMillis(), part.skew()));
                newest = base;
                newestSkew = skew;
            }
        }
        writer = new JournalWriter(
                log,
                files,
                written,
                forced,
                epochs.last().epoch(),
                new IndexTimes(recovered.clock(), newest, newestSkew),
                settings.segmentBytes(),
                new WrittenNames(moves, recovered.states()),
                recovered.named(),
                watch);
        forcer = new JournalForcer(
                disk,
                settings,
                files,
                writer,
                written,
                forced,
                recovered.namesPosition(),
                watch,
                recovered.clock(),
                earlier,
                nanos);
    }

    /** Starts its threads, on what it is fed with. */
    public void start() {
        writing = new JournalThread(
                "relay-journal",
                (nanos, millis) -> {
                    long rest = writer.rest(nanos);
                    if (rest > 0) {
                        return rest;
                    }
                    boolean done = write(nanos, millis);
                    if (done && forcer.due(nanos)) {
                        forcing.wake();
                    }
                    return sleep(done);
                },
                this::fail);
        forcing = new JournalThread(
                "relay-journal-force",
                (nanos, millis) -> {
                    boolean done = force(nanos, millis);
                    if (done) {
                        writing.wake();
                    }
                    return sleep(done);
                },
                this::fail);
        forcing.start();
        writing.start();
    }

    private static long sleep(boolean done) {
        return done ? 0 : JournalThread.SLEEP_NANOS;
    }

    /** One step of the writer; answers whether it did something. */
    boolean write(long nanos, long millis) {
        return step(() -> writer.work(nanos, millis));
    }

    /** One step of the forcer; answers whether it did something. */
    boolean force(long nanos, long millis) {
        return step(() -> forcer.work(nanos, millis));
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
        if (writing != null && writer.due()) {
            writing.wake();
        }
    }

    /** Somebody waits until everything before a position is written. One thread. */
    public void wantWritten(long position) {
        writer.want(position);
        if (writing != null) {
            writing.wake();
        }
    }

    /** Somebody waits until everything before a position is forced. One thread. */
    public void wantForced(long position) {
        wantWritten(position);
        forcer.want(position);
        if (forcing != null) {
            forcing.wake();
        }
    }

    /** What names move is put there. The core's. */
    public NameMoves moves() {
        return moves;
    }

    /** Up to where it is written: survives the end of this process. Any thread. */
    public StreamHead written() {
        return written;
    }

    /** Up to where it is forced: survives the end of the machine. Any thread. */
    public StreamHead forced() {
        return forced;
    }

    /** Whether something of the stream is held that lies before a position. Any thread. */
    public boolean hasBefore(long position) {
        var oldest = files.held().firstEntry();
        return oldest != null && oldest.getKey() < position;
    }

    /** Reads what is written, from its oldest message on. Any thread; each reader has one of its own. */
    public JournalFeed newFeed(ByteBuffer records) {
        return new JournalFeed(disk, files.held(), written, () -> writer.times().present(), records);
    }

    /** What ended it; null: nothing. Any thread. */
    public Throwable failure() {
        return failure.get();
    }

    /** What there is to say of it. Any thread. */
    public JournalStats stats() {
        return forcer.stats();
    }

    /**
     * After a failure: lets go of the log, which goes on without it. The directory stays locked. The relay may be closed
     * meanwhile, so one thread at a time.
     *
     * @throws IOException a thread hangs in the disk
     */
    public synchronized void abandon() throws IOException {
        endThreads(CLOSE_NANOS);
        lastSteps(CLOSE_NANOS, () -> {
            writer.release();
            closeFiles();
        });
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
        endThreads(nanos);
        lastSteps(nanos, () -> finishAndLetGo(nanos));
        if (failure.get() != null) {
            throw new IOException(failureText(), failure.get());
        }
    }

    /** Once: a thread that hung in the disk at the first close may have done so since. */
    private void finishAndLetGo(long nanos) throws IOException {
        if (!closed) {
            closed = true;
            try (lock) {
                finish(System.nanoTime() + nanos);
                writer.release();
                closeFiles();
            }
        }
    }

    /** What ended it, in words. */
    public String failureText() {
        return "journal " + disk.place() + " has failed: " + JournalThread.said(failure.get());
    }

    private void endThreads(long nanos) throws IOException {
        if (writing != null) {
            writing.tellEnd();
            forcing.tellEnd();
            long end = System.nanoTime() + nanos;
            await(writing.thread(), end, nanos);
            await(forcing.thread(), end, nanos);
        }
    }

    private interface LastSteps {
        void run() throws IOException;
    }

    /**
     * What is done behind the end of the journal's threads. On a thread of its own, since it may hang in the disk as they may:
     * then it keeps the directory, and the caller goes on. Where a caller does all steps itself, it does these, too.
     */
    private void lastSteps(long nanos, LastSteps steps) throws IOException {
        if (writing == null) {
            steps.run();
            return;
        }
        // A full disk is asked again until the time is over, and is no disk that hangs.
        long end = System.nanoTime() + nanos + GRACE_NANOS;
        if (last != null) {
            await(last, end, nanos);
        }
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        last = new Thread(
                () -> {
                    try {
                        steps.run();
                    } catch (Throwable e) {
                        thrown.set(e);
                    }
                },
                "relay-journal-end");
        last.setDaemon(true);
        last.start();
        await(last, end, nanos);
        if (thrown.get() != null) {
            throw new IOException("journal " + disk.place() + ": " + JournalThread.said(thrown.get()), thrown.get());
        }
    }

    /** Waits for the end of a thread until a time; the bound is for people. */
    private void await(Thread thread, long end, long nanos) throws IOException {
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("journal " + disk.place() + ": interrupted at its end", e);
        }
        if (thread.isAlive()) {
            throw new IOException("journal " + disk.place() + ": the disk has not answered for "
                    + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms; what was forced before is there");
        }
    }

    /** With both threads gone: the rest, and at last the record that all of it is forced. */
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
                boolean done = writer.work(nanos + passed, now) | forcer.work(nanos + passed, now);
                if (!done) {
                    LockSupport.parkNanos(RETRY_NANOS);
                }
            }
            forcer.forceNow();
            writer.work(nanos + System.nanoTime() - began, millis);
            forcer.forceNow();
            if (writer.caughtUp()) {
                Mark all = new Mark();
                forced.read(all);
                epochs.forced(all.position(), all.sequence()).write(disk);
            } else {
                throw new IOException("not all could be written in the time that there is at the end");
            }
            return true;
        });
    }

    /** For tests, of a process that has gone: lets go of the log, and of nothing else. */
    void letGo() {
        writer.release();
    }

    private void closeFiles() throws IOException {
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
