package dev.msgrelay.server.journal;

import dev.msgrelay.server.figures.RepeatedWarning;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.format.NamesFile;
import dev.msgrelay.server.journal.recover.Recovery.Part;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.StreamHead;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forces (fsync) written bytes and their index records. While a client waits, forces follow each other without a pause;
 * each covers all bytes that were written during the previous one. The forcer also makes files ready for the writer,
 * and drops old segments. Owned by its own thread.
 */
final class JournalForcer {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final List<Double> BOUNDS =
            List.of(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NAMES_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** For this time after a step of the clock, old segments are kept longer, so that people can correct the clock. */
    static final long WAIT_NANOS = TimeUnit.HOURS.toNanos(1);

    /** If this many bytes are unforced, they are forced at once, because a larger force would delay the writer. */
    private static final long MUCH_BYTES = 32L << 20;

    private final Disk disk;
    private final JournalSettings settings;
    private final SegmentFiles files;
    private final JournalWriter writer;
    private final StreamHead written;
    private final StreamHead forced;
    private final LongConsumer onForced;
    private final Mark upTo = new Mark();
    private final TimeHistogram times = new TimeHistogram(BOUNDS);
    // The time of the last call of step.
    private volatile long now;
    private volatile int segments;
    private volatile long fileBytes;
    private volatile long freeBytes = -1;
    private long namesPosition;
    private long lastNames;
    private long lastNamesFull;
    private long lastLook;
    private volatile long durable;
    private volatile long lastForce;
    private long lastFull;
    // Set while there is no room for the table of names, or for the files of the next segment.
    private Optional<DiskException.Full> namesLack = Optional.empty();
    private Optional<DiskException.Full> filesLack = Optional.empty();
    // With one of these: whether the process has too many files open. Clients can cause that, and a drop does not help.
    private boolean lacksHandles;
    private final JournalClock clock;
    // Segments that existed at the start. The first call of step takes them. Their age is not known before.
    private List<Part> earlier;
    private boolean clockSeen;
    private long lastStep;
    private final RepeatedWarning stepLines = new RepeatedWarning(Duration.ofMinutes(1));
    private final RepeatedWarning unheldLines = new RepeatedWarning(Duration.ofMinutes(1));
    // Segments that were dropped before the state's snapshot had them, and whether one waits for that.
    private volatile long unheld;
    private volatile boolean holds;
    // Whether the oldest segment must be forced and then dropped before the next one can begin.
    private volatile boolean crowded;
    private volatile long wanted;

    JournalForcer(JournalParts parts, JournalWriter writer, LongConsumer onForced, long nanos) {
        this.disk = parts.disk();
        this.settings = parts.settings();
        this.files = parts.files();
        this.writer = writer;
        this.written = parts.written();
        this.forced = parts.forced();
        this.onForced = onForced;
        this.namesPosition = parts.found().namesPosition();
        this.clock = parts.found().clock();
        this.earlier = parts.found().filled();
        this.lastForce = nanos;
        this.now = nanos;
        this.durable = forced.position();
        this.wanted = forced.position();
    }

    void want(long position) {
        wanted = Math.max(wanted, position);
    }

    /**
     * Does at most one force, and one step of the work on files. Returns whether there was work. Not called again after
     * an exception.
     */
    boolean step(long nanos, long millis) throws IOException {
        now = nanos;
        watchClock(nanos, millis);
        written.read(upTo);
        boolean done = false;
        if (mustForce(upTo.position(), nanos)) {
            long began = System.nanoTime();
            force();
            times.add(System.nanoTime() - began);
            lastForce = nanos;
            done = true;
        }
        if (filesLack.isEmpty() || nanos - lastFull >= RETRY_NANOS) {
            done |= files(nanos);
        }
        return done;
    }

    private void watchClock(long nanos, long millis) {
        long step = clock.update(nanos, millis);
        if (!clockSeen) {
            clockSeen = true;
            // These times are in the past, so that the first step waits for no interval.
            lastNames = nanos - NAMES_NANOS;
            lastNamesFull = nanos - RETRY_NANOS;
            lastLook = nanos - LOOK_NANOS;
            lastStep = nanos - WAIT_NANOS;
            for (Part part : earlier) {
                long newest = clock.nanosOf(part.timeMillis(), part.skew());
                files.add(new SegmentFiles.Sealed(
                        part.header().base(), part.endPosition(), part.lengthAfterCut(), newest));
            }
            earlier = List.of();
        }
        if (step != 0) {
            lastStep = nanos;
            stepLines.warn(
                    nanos,
                    "the machine's clock has stepped by " + Duration.ofMillis(step) + ", to "
                            + JournalClock.timeText(millis) + ": journal " + disk.place()
                            + " marks that in its index, and drops nothing for its age for an hour");
        }
    }

    private boolean mustForce(long position, long nanos) {
        long unforced = position - forced.position();
        boolean late = nanos - lastForce >= settings.forceNanos();
        boolean awaited = Math.min(wanted, position) > forced.position();
        return awaited || unforced >= MUCH_BYTES || (late || crowded) && (unforced > 0 || writer.recorded() > durable);
    }

    /** Whether the forcer must be woken for work that cannot wait until its sleep ends. Called by the writer. */
    boolean due(long nanos) {
        return mustForce(written.position(), nanos) || !files.ready();
    }

    private boolean files(long nanos) throws IOException {
        long current = writer.current() == Segment.NONE ? 0 : settings.filesBytes();
        writeNames(nanos, files.isOver());
        // Moves of names since the table was written are only in the later indexes, so later segments are kept.
        long kept = writer.named() <= namesPosition ? Long.MAX_VALUE : namesPosition;
        boolean lacks = filesLack.isPresent() || namesLack.isPresent();
        boolean lacksRoom = lacks && !lacksHandles || writer.isFull();
        SegmentFiles.Dropped dropped =
                files.retire(Math.min(durable, kept), nanos, nanos - lastStep < WAIT_NANOS, lacksRoom);
        tell(dropped, nanos, lacksRoom);
        unheld += dropped.unheld();
        holds = dropped.waits();
        segments = files.sealed() + (current == 0 ? 0 : 1);
        fileBytes = files.bytes() + current;
        if (nanos - lastLook >= LOOK_NANOS) {
            lastLook = nanos;
            freeBytes = disk.free();
        }
        crowded = files.isCrowded(lacksRoom);
        if (crowded) {
            // The next segment will use the files of the oldest one, so no new files are lacking.
            filesLack = Optional.empty();
        }
        boolean prepared = !crowded && prepare(nanos);
        writer.setLacking(filesLack.isPresent() ? filesLack : namesLack);
        return prepared;
    }

    private void tell(SegmentFiles.Dropped dropped, long nanos, boolean lacksRoom) {
        if (dropped.aged() > 1) {
            LOG.warn(
                    "journal {}: {} segments were too old at once, and are dropped: their newest messages are older"
                            + " than {}",
                    disk.place(),
                    dropped.aged(),
                    Duration.ofMillis(settings.keepMillis()));
        }
        if (dropped.unheld() > 0) {
            unheldLines.warn(
                    nanos,
                    () -> "journal " + disk.place() + ": "
                            + (lacksRoom ? disk.shortage() : "it has twice the bytes to keep")
                            + ": the oldest messages are dropped before the snapshot of the state has them. Until then"
                            + " a start of the relay finds a state that is not whole");
        }
    }

    /** Writes the table of names if forced messages have changed it. Limited to once a second unless {@code needed}. */
    private void writeNames(long nanos, boolean needed) throws IOException {
        NamesFile newest = writer.snapshot();
        if (newest.position() <= namesPosition
                || writer.named() <= namesPosition
                || newest.position() > forced.position()
                || nanos - lastNamesFull < RETRY_NANOS
                || !needed && nanos - lastNames < NAMES_NANOS) {
            return;
        }
        try {
            newest.write(disk);
            namesPosition = newest.position();
            lastNames = nanos;
            namesLack = Optional.empty();
        } catch (DiskException.Full e) {
            lastNamesFull = nanos;
            namesLack = Optional.of(e);
            lacksHandles = !disk.opens();
        }
    }

    private boolean prepare(long nanos) throws IOException {
        try {
            filesLack = Optional.empty();
            return files.prepare();
        } catch (DiskException.Full e) {
            filesLack = Optional.of(e);
            lacksHandles = !disk.opens();
            lastFull = nanos;
            return false;
        }
    }

    Journal.Stats stats() {
        long at = now;
        return new Journal.Stats(
                segments,
                fileBytes,
                freeBytes,
                writer.fullNanos(at),
                writer.unpreparedNanos(at),
                unheld,
                times.times());
    }

    /** Whether a segment is kept only for the state's snapshot. Any thread. */
    boolean holds() {
        return holds;
    }

    void forceNow() throws IOException {
        written.read(upTo);
        force();
    }

    /** Forces all bytes before {@code upTo}, which the caller has set to {@code written}. */
    private void force() throws IOException {
        // The segments are read after upTo, so that all bytes before upTo are in them.
        long recorded = writer.recorded();
        Segment current = writer.current();
        boolean newNames = false;
        while (!writer.complete().isEmpty()) {
            Segment s = writer.complete().remove();
            newNames |= s.force();
            s.close();
            files.add(new SegmentFiles.Sealed(s.header().base(), s.endPosition(), settings.filesBytes(), s.nanos()));
        }
        // To begin a segment, the writer first queues the old one, and then replaces it as current. So the segment that
        // was read as current may also have been in the queue. In this case the segment is forced and closed already.
        if (!current.isClosed()) {
            newNames |= current.force();
        }
        if (newNames) {
            disk.force();
        }
        if (upTo.position() > forced.position()) {
            forced.set(upTo.position(), upTo.sequence());
            onForced.accept(upTo.position());
        }
        durable = Math.max(durable, recorded);
    }
}
