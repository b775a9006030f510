package dev.msgrelay.server.assembly;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.figures.RepeatedWarning;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.format.SnapshotFile;
import dev.msgrelay.server.journal.format.SnapshotReader;
import dev.msgrelay.server.journal.format.SnapshotWriter;
import dev.msgrelay.server.journal.read.BackwardPages;
import dev.msgrelay.server.journal.read.BackwardPages.Before;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.memory.Bytes;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.state.TypeSet;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.RunScan;
import io.netty.buffer.ByteBuf;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the next snapshot of the state, from the journal's closed segments and the last snapshot, and never from the
 * core's memory. It goes backwards: what it meets first of a type is the type's newest message, and is written; a set
 * of the types that it has met is all that it remembers.
 *
 * <pre>
 *   last snapshot             closed segments         the segment that is written to
 *   | oldest ... newest | --> | segment | segment |   | ...
 *      <----- then this ---      <-- this first ---   ^ end of the next snapshot: all before it is forced
 * </pre>
 *
 * <p>Each step takes a page or a block, and writes no more. Owned by one thread; {@link #figures} is for any thread.
 */
final class StateFold implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_MILLIS = 100;
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private enum Stage {
        IDLE,
        JOURNAL,
        SNAPSHOT,
        END
    }

    /**
     * Figures of the last snapshot.
     *
     * @param sequence the last message that it knows of; 0: there is no snapshot
     * @param forgotten the highest number that a message which it lacks may have; 0: it lacks none
     */
    record Figures(long sequence, long forgotten) {}

    private final Journal journal;
    private final TypeRanges kept;
    private final long size;
    private final int maxBody;
    private final BackwardPages pages;
    private final ByteBuffer page;
    private final ByteBuffer block;
    private final TypeSet met;
    private final RunScan scan = new RunScan(Integer.MAX_VALUE, FrameLayout.MAX_MAX_BODY, true);
    // A line for each kind, so that none keeps another from being said.
    private final Consumer<String> warns;
    private final RepeatedWarning failures;
    private final RepeatedWarning damages;
    private int[] places = new int[1024];

    private Optional<SnapshotFile> last;
    private volatile Figures figures;
    private Stage stage = Stage.IDLE;
    private boolean scheduled;
    private long notBefore;
    private boolean waits;
    // Where damage was found. A fault that passes, such as too few files to open, is not taken for damage.
    private long damaged = -1;
    // The same of the last snapshot.
    private long unread = -1;
    // Whether the last snapshot's loss was told. It is lost at each attempt, until the next one is there.
    private boolean lossTold;

    // The snapshot that is being made.
    private SegmentHeader end;
    private Optional<SnapshotWriter> writer = Optional.empty();
    private Optional<SnapshotReader> reader = Optional.empty();
    private long floor;
    // The newest messages from this number on were found in the last snapshot.
    private long known;
    private long room;
    private boolean full;
    private long forgottenValue;
    private long forgottenTombstone;

    /** Bytes of direct memory that it needs. */
    static long memoryBytes(long size, int maxBody) {
        return BackwardPages.pageBytes(maxBody)
                + SnapshotWriter.MEMORY_BYTES
                + BlockReader.RECORD_BYTES
                + TypeSet.memoryBytes(mostTypes(size));
    }

    // Twice as many types as the state has: those that it has forgotten count until the newest forgotten value is
    // known.
    private static long mostTypes(long size) {
        return 2 * size / StateIndex.leastSize(0);
    }

    /**
     * @param memory {@link #memoryBytes} bytes
     * @param size bytes of the state's memory
     * @param seed a random number that clients do not know
     * @param last the snapshot that is there; a snapshot that does not fit is replaced
     * @param warns takes lines for people
     */
    StateFold(
            Journal journal,
            TypeRanges kept,
            long size,
            int maxBody,
            ByteBuf memory,
            long seed,
            Optional<SnapshotFile> last,
            Consumer<String> warns) {
        this.journal = journal;
        this.kept = kept;
        this.size = size;
        this.maxBody = maxBody;
        int pageBytes = BackwardPages.pageBytes(maxBody);
        int blockAt = pageBytes;
        int recordsAt = blockAt + SnapshotWriter.MEMORY_BYTES;
        int typesAt = recordsAt + BlockReader.RECORD_BYTES;
        page = part(memory, 0, pageBytes);
        block = part(memory, blockAt, SnapshotWriter.MEMORY_BYTES);
        pages = journal.newBackwardPages(memory.nioBuffer(recordsAt, BlockReader.RECORD_BYTES));
        met = new TypeSet(part(memory, typesAt, memory.capacity() - typesAt), mostTypes(size), seed);
        this.last = last;
        this.warns = warns;
        failures = new RepeatedWarning(Duration.ofMinutes(1), warns);
        damages = new RepeatedWarning(Duration.ofMinutes(1), warns);
        figures = figuresOf(last);
    }

    private static ByteBuffer part(ByteBuf memory, int at, int bytes) {
        return memory.nioBuffer(at, bytes).slice().order(ByteOrder.nativeOrder());
    }

    private static Figures figuresOf(Optional<SnapshotFile> of) {
        return of.map(front -> new Figures(front.sequence() - 1, front.forgotten()))
                .orElse(new Figures(0, 0));
    }

    Figures figures() {
        return figures;
    }

    /** Makes a loop do the steps: for some milliseconds, and then not for as long as they took. */
    void workOn(EngineLoop loop) {
        loop.every(LOOK_MILLIS, now -> {
            if (!scheduled) {
                work(loop);
            }
        });
    }

    private void work(EngineLoop loop) {
        scheduled = false;
        long began = loop.nanoTime();
        boolean more = step(began);
        while (more && loop.nanoTime() - began < BURST_NANOS) {
            more = step(began);
        }
        scheduled = more;
        if (more) {
            loop.io().schedule(() -> work(loop), loop.nanoTime() - began, TimeUnit.NANOSECONDS);
        }
    }

    /** Does one step, if there is something to do; returns whether there is more. */
    boolean step(long nanos) {
        if (waits && nanos - notBefore < 0) {
            return false;
        }
        waits = false;
        if (journal.failure().isPresent()) {
            abandon();
            return false;
        }
        try {
            if (stage == Stage.JOURNAL || stage == Stage.SNAPSHOT) {
                checkRoom(0);
            }
            return switch (stage) {
                case IDLE -> begin();
                case JOURNAL -> journalPage(nanos);
                case SNAPSHOT -> snapshotBlock();
                case END -> finish();
            };
        } catch (IOException | RuntimeException e) {
            fail(nanos, "cannot be written: " + TextFile.fault(e));
            return false;
        }
    }

    private void fail(long nanos, String why) {
        writer.ifPresent(unfinished -> close(() -> journal.change(unfinished::discard)));
        writer = Optional.empty();
        abandon();
        journal.limitHold();
        waits = true;
        notBefore = nanos + RETRY_NANOS;
        failures.warn(
                nanos,
                "journal " + journal.disk().place() + ": the snapshot of the state " + why
                        + ". It is tried again every " + TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS)
                        + " s; until then the last one, up to message " + figures.sequence + ", is there");
    }

    // ---- stages ------------------------------------------------------------------------------------------------

    private boolean begin() throws IOException {
        Optional<SegmentHeader> newest = journal.newestBehindForced();
        if (newest.isEmpty() || !isDue(newest.get())) {
            return false;
        }
        checkRoom(last.map(SnapshotFile::length).orElse(0L));
        end = newest.get();
        met.clear();
        journal.change(() -> writer = Optional.of(new SnapshotWriter(journal.disk(), kept, block)));
        pages.start(end.base(), end.sequence());
        floor = last.map(SnapshotFile::position).orElse(0L);
        known = Long.MAX_VALUE;
        room = size;
        full = false;
        forgottenValue = 0;
        forgottenTombstone = 0;
        stage = Stage.JOURNAL;
        return true;
    }

    /** Whether so many bytes are new as are written again, or the journal waits for the next snapshot. */
    private boolean isDue(SegmentHeader newest) {
        long fresh = newest.base() - last.map(SnapshotFile::position).orElse(0L);
        long again = last.map(SnapshotFile::length).orElse(0L);
        return fresh > 0 && journal.hasBefore(newest.base()) && (fresh >= again || journal.holds());
    }

    /** Throws if so many bytes would leave the journal no room for its next segment. */
    private void checkRoom(long bytes) throws IOException {
        long least = bytes + journal.nextSegmentBytes();
        long free = journal.disk().free();
        if (free < least) {
            throw new DiskException("the disk has " + free + " bytes free, and " + least
                    + " are needed, with the journal's next segment");
        }
    }

    private boolean journalPage(long nanos) throws IOException {
        Before before = pages.previous(page, floor);
        if (before == Before.DAMAGE) {
            long number = pages.from().sequence() - 1;
            if (damaged != pages.from().position()) {
                damaged = pages.from().position();
                fail(nanos, "needs message " + number + ", which cannot be read");
                return false;
            }
            damages.warn(
                    nanos,
                    "journal " + journal.disk().place() + ": message " + number + " still cannot be read: the next"
                            + " snapshot of the state lacks it and all before it");
        }
        int length = pages.length();
        if (scan.scan(page, 0, length, 0).wholeBytes() != length) {
            throw new IllegalStateException("blocks of the journal are not whole frames: " + scan.problemText());
        }
        for (int k = scan.stretches() - 1; k >= 0 && stage == Stage.JOURNAL; k--) {
            keep(pages.from().sequence() + scan.framesThrough(k) - 1, scan.lastStart(k));
        }
        if (stage == Stage.JOURNAL && before != Before.MORE) {
            long first = Math.min(pages.from().sequence(), known);
            end(first - 1, first - 1);
        } else if (stage == Stage.JOURNAL && pages.from().position() <= floor) {
            beginSnapshot();
        }
        return true;
    }

    private void beginSnapshot() throws IOException {
        if (floor == 0) {
            stage = Stage.END;
        } else if (!journal.disk().has(FileNames.STATE)) {
            lose("is gone");
        } else {
            try {
                reader = Optional.of(new SnapshotReader(journal.disk(), false));
                stage = Stage.SNAPSHOT;
            } catch (IOException e) {
                loseIfLost(e, 0);
            }
        }
    }

    /** Loses the last snapshot if it is damaged, or cannot be read at a place for a second time; else throws. */
    private void loseIfLost(IOException e, long at) throws IOException {
        if (e instanceof SnapshotFile.Unsound) {
            lose(e.getMessage());
        } else if (unread == at && journal.disk().opens()) {
            lose("cannot be read: " + TextFile.fault(e));
        } else {
            unread = at;
            throw e;
        }
    }

    /** Goes on in the journal instead of the rest of the last snapshot. */
    private void lose(String why) {
        reader.ifPresent(StateFold::close);
        reader = Optional.empty();
        floor = 0;
        stage = Stage.JOURNAL;
        if (lossTold) {
            return;
        }
        lossTold = true;
        Mark oldest = new Mark();
        journal.newBlockReader(ByteBuffer.allocate(0)).oldest(oldest);
        warns.accept("journal " + journal.disk().place() + ": the last snapshot of the state " + why
                + ". The next one is made of the journal, and of what could be read: all before message "
                + Math.min(oldest.sequence(), known) + " is forgotten");
    }

    private boolean snapshotBlock() throws IOException {
        SnapshotReader old = reader.orElseThrow();
        int length;
        try {
            length = old.next();
            if (length > page.capacity()) {
                old.check(page);
            } else if (length > 0) {
                old.read(page);
            }
        } catch (IOException e) {
            loseIfLost(e, old.at());
            return true;
        }
        if (length == 0) {
            end(old.front().forgottenValue(), old.front().forgottenTombstone());
        } else if (length > page.capacity()) {
            // It has one message, which is longer than any that can be sent.
            end(old.last(), old.last());
        } else {
            keepAll(length);
        }
        return true;
    }

    private void keepAll(int length) throws IOException {
        ByteBuffer bytes = page.duplicate();
        int count = 0;
        for (int at = 0; at < length; count++) {
            if (count == places.length) {
                places = Arrays.copyOf(places, 2 * count);
            }
            places[count] = at;
            int frame = at + SnapshotFile.FRAME;
            at = frame + FrameLayout.frameLength(FrameLayout.bodyLength(bytes, frame));
        }
        while (--count >= 0 && stage == Stage.SNAPSHOT) {
            keep(bytes.getLong(places[count]), places[count] + SnapshotFile.FRAME);
        }
        known = bytes.getLong(0);
    }

    /** Writes a message, whose frame is in the page, unless a newer one of its type was met. */
    private void keep(long number, int frame) throws IOException {
        int type = Bytes.bigEndian(page.getInt(frame + FrameLayout.TYPE_OFFSET));
        int length = Bytes.bigEndian(page.getInt(frame + FrameLayout.LENGTH_OFFSET));
        if (!kept.contains(type) || met.contains(type)) {
            return;
        }
        if (length > maxBody || met.isFull()) {
            end(number, number);
            return;
        }
        met.add(type);
        long bytes = StateIndex.leastSize(length);
        full |= bytes > room;
        if (!full) {
            room -= bytes;
            writer.orElseThrow().add(number, page, frame, FrameLayout.frameLength(length));
        } else if (length == 0) {
            forgottenTombstone = Math.max(forgottenTombstone, number);
        } else {
            end(number, number);
        }
    }

    /** Ends the messages: what is older is not known, or has no room. */
    private void end(long value, long tombstone) {
        forgottenValue = Math.max(forgottenValue, value);
        forgottenTombstone = Math.max(forgottenTombstone, tombstone);
        stage = Stage.END;
    }

    private boolean finish() throws IOException {
        SnapshotWriter ended = writer.orElseThrow();
        SnapshotFile made = ended.finish(end, forgottenValue, forgottenTombstone, size);
        journal.change(ended::replace);
        last = Optional.of(made);
        unread = -1;
        lossTold = false;
        figures = figuresOf(last);
        journal.hold(made.position());
        abandon();
        return false;
    }

    /** Ends the work on a snapshot, whole or not. */
    private void abandon() {
        stage = Stage.IDLE;
        reader.ifPresent(StateFold::close);
        reader = Optional.empty();
        writer.ifPresent(StateFold::close);
        writer = Optional.empty();
    }

    private static void close(Closeable file) {
        try {
            file.close();
        } catch (IOException e) {
            // Nothing depends on it: what was not finished is made anew.
            LOG.warn("a file of the snapshot of the state cannot be closed or removed: {}", e.toString());
        }
    }

    /** Leaves an unfinished file where it is, for the next start to remove. */
    @Override
    public void close() {
        abandon();
    }
}
