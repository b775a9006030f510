package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The files of segments. A file is made at full length before it is needed, and used again after its segment is
 * dropped.
 *
 * <pre>
 *   forcer   retire: 0..0.stream -> 0..0.stream.spare     prepare: takes a spare pair, or makes one --> ready
 *   writer                            next: header into the index, ready -> 0..4096.stream, 0..4096.index
 * </pre>
 *
 * A reused file has its blocks on the disk already, so a force writes bytes and no metadata. Old records in the file
 * are not taken for new ones, because their seals are for another position.
 *
 * <p>Owned by the forcer's thread. The writer calls {@link #next}, any thread {@link #ready} and {@link #readable}.
 */
final class SegmentFiles {
    /** After a step of the clock, the age limit of segments is longer by this time for a while. */
    static final long LONGEST_WAIT_MILLIS = TimeUnit.HOURS.toMillis(2);

    /** A complete and forced segment; {@code nanos} is its newest message's time by the monotonic clock. */
    record Sealed(long base, long end, long length, long nanos) {}

    /**
     * Segments that were dropped.
     *
     * @param aged those dropped for their age alone
     * @param unheld those dropped although {@link #hold} would have kept them
     * @param waits whether {@link #hold} keeps another one
     */
    record Dropped(int aged, int unheld, boolean waits) {}

    private record Pair(String streamName, String indexName, Disk.File stream, Disk.File index) implements Closeable {
        boolean has(String name) {
            return name.equals(streamName) || name.equals(indexName);
        }

        @Override
        public void close() throws IOException {
            try (stream) {
                index.close();
            }
        }
    }

    private final Disk disk;
    private final JournalSettings settings;
    private final AtomicReference<Optional<Pair>> ready = new AtomicReference<>(Optional.empty());
    private final ArrayDeque<Sealed> sealed = new ArrayDeque<>();
    private final ConcurrentSkipListMap<Long, SegmentHeader> readable = new ConcurrentSkipListMap<>();
    private final ArrayDeque<String> spareStreams = new ArrayDeque<>();
    private final ArrayDeque<String> spareIndexes = new ArrayDeque<>();
    private long bytes;
    private int made;
    // Segments that end after this position are kept until the state's snapshot has them. Any thread.
    private volatile long held = Long.MAX_VALUE;
    private volatile boolean holdIsLimited;
    private volatile boolean ending;

    SegmentFiles(Disk disk, JournalSettings settings) {
        this.disk = disk;
        this.settings = settings;
    }

    /** Collects the directory's spare files. Deletes surplus ones, and those of another length. */
    void collectSpares() throws IOException {
        for (String name : FileNames.spares(disk)) {
            boolean stream = name.endsWith(FileNames.STREAM + FileNames.SPARE);
            long wanted = stream ? settings.segmentBytes() : settings.indexBytes();
            ArrayDeque<String> spares = stream ? spareStreams : spareIndexes;
            if (disk.length(name) == wanted && spares.size() < JournalSettings.MOST_SPARES) {
                spares.add(name);
            } else {
                disk.delete(name);
            }
        }
    }

    void addReadable(SegmentHeader header) {
        readable.put(header.base(), header);
    }

    /** The readable segments, with the current one. The keys are start positions. A live map, for any thread. */
    NavigableMap<Long, SegmentHeader> readable() {
        return readable;
    }

    void add(Sealed segment) {
        sealed.add(segment);
        bytes += segment.length;
    }

    /** Whether all files together have too many bytes, so that the oldest segment must be dropped, whatever its age. */
    boolean isOver() {
        return allBytes() > settings.keepBytes() || sealed.size() >= JournalSettings.MOST_SEGMENTS;
    }

    private long allBytes() {
        long unsealed = readable.size() - sealed.size();
        return bytes + unsealed * settings.filesBytes();
    }

    /** Makes segments wait, which end after a position, until a later call has a higher one. Any thread. */
    void hold(long position) {
        held = position;
        holdIsLimited = false;
    }

    /** Lets segments wait for {@link #hold} only while there is not far too much, until its next call. Any thread. */
    void limitHold() {
        holdIsLimited = true;
    }

    /** Lets segments begin from now on although old ones wait for {@link #hold}: nothing raises its position again. */
    void endSoon() {
        ending = true;
    }

    /** Whether the oldest segment waits for {@link #hold}. */
    private boolean isHeld(boolean lacksRoom) {
        return !sealed.isEmpty() && sealed.getFirst().end > held && !lacksRoom && !(holdIsLimited && isFarOver());
    }

    private boolean isFarOver() {
        return allBytes() / 2 > settings.keepBytes() || sealed.size() >= JournalSettings.MOST_SEGMENTS;
    }

    /**
     * Whether the oldest segment must be dropped before files of a new one are made. The only one may be far too long,
     * if segments were longer before: a snapshot has it once the next one has begun.
     */
    boolean isCrowded(boolean lacksRoom) {
        return isOver() && (!ending && isFarOver() && sealed.size() > 1 || !isHeld(lacksRoom));
    }

    int sealed() {
        return sealed.size();
    }

    long bytes() {
        return bytes;
    }

    /** Makes the files of the next segment, unless they are ready. Returns whether it did. */
    boolean prepare() throws IOException {
        if (ready()) {
            return false;
        }
        String streamName = spare(spareStreams, FileNames.STREAM);
        String indexName = spare(spareIndexes, FileNames.INDEX);
        Disk.File stream = open(streamName, settings.segmentBytes());
        Disk.File index;
        try {
            index = open(indexName, settings.indexBytes());
        } catch (IOException e) {
            stream.close();
            throw e;
        }
        spareStreams.remove(streamName);
        spareIndexes.remove(indexName);
        ready.set(Optional.of(new Pair(streamName, indexName, stream, index)));
        return true;
    }

    private Disk.File open(String name, long length) throws IOException {
        Disk.File file = disk.open(name);
        try {
            file.setLength(length);
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private String spare(ArrayDeque<String> spares, String kind) {
        if (spares.isEmpty()) {
            spares.add("made-" + ++made + kind + FileNames.SPARE);
        }
        return spares.peekFirst();
    }

    boolean ready() {
        return ready.get().isPresent();
    }

    /** Begins a segment. Returns empty if its files are not ready. */
    Optional<Segment> next(SegmentHeader header) throws IOException {
        if (!ready()) {
            return Optional.empty();
        }
        Pair pair = ready.get().get();
        pair.index.write(0, header.bytes());
        String streamName = FileNames.stream(header.base());
        disk.rename(pair.streamName, streamName);
        // If the disk has no room for the second name, the next call continues from here.
        ready.set(Optional.of(new Pair(streamName, pair.indexName, pair.stream, pair.index)));
        disk.rename(pair.indexName, FileNames.index(header.base()));
        addReadable(header);
        ready.set(Optional.empty());
        return Optional.of(new Segment(header, pair.stream, pair.index, settings));
    }

    /**
     * Drops the oldest sealed segments while all files together have too many bytes, and those that are too old.
     *
     * @param durable a position; a segment that ends after it is not dropped
     * @param wait true: segments may become older by {@link #LONGEST_WAIT_MILLIS}
     * @param lacksRoom whether the disk is full, so that segments are dropped that {@link #hold} would keep
     * @return what was dropped
     */
    Dropped retire(long durable, long nanos, boolean wait, boolean lacksRoom) throws IOException {
        long most = settings.keepMillis();
        if (wait) {
            most = most > Long.MAX_VALUE - LONGEST_WAIT_MILLIS ? most : most + LONGEST_WAIT_MILLIS;
        }
        boolean any = false;
        boolean waits = false;
        int aged = 0;
        int unheld = 0;
        while (!sealed.isEmpty()) {
            Sealed oldest = sealed.getFirst();
            boolean tooMany = isOver();
            boolean tooOld = TimeUnit.NANOSECONDS.toMillis(nanos - oldest.nanos) > most;
            if (oldest.end > durable || !tooMany && !tooOld) {
                break;
            }
            if (isHeld(lacksRoom)) {
                waits = true;
                break;
            }
            unheld += oldest.end > held ? 1 : 0;
            sealed.pollFirst();
            bytes -= oldest.length;
            // The map is changed before the files, because a BlockReader checks the map after each read.
            readable.remove(oldest.base);
            retire(FileNames.stream(oldest.base), spareStreams);
            retire(FileNames.index(oldest.base), spareIndexes);
            any = true;
            aged += tooMany ? 0 : 1;
        }
        if (any) {
            disk.force();
            trim(spareStreams, settings.segmentBytes());
            trim(spareIndexes, settings.indexBytes());
        }
        return new Dropped(aged, unheld, waits);
    }

    private void retire(String name, ArrayDeque<String> spares) throws IOException {
        String spare = name + FileNames.SPARE;
        Optional<Pair> next = ready.get();
        while (spares.contains(spare) || next.isPresent() && next.get().has(spare)) {
            // A spare file has this name if a segment from the same position was cut off with a torn tail.
            spare = "again-" + ++made + "-" + name + FileNames.SPARE;
        }
        try {
            disk.rename(name, spare);
            spares.addFirst(spare);
        } catch (DiskException.Full e) {
            // A full disk may have no room even for a longer name.
            disk.delete(name);
        }
    }

    /** Deletes surplus spare files, and those that are too short because a start has cut off a torn tail. */
    private void trim(ArrayDeque<String> spares, long length) throws IOException {
        int kept = 0;
        for (String name : spares.toArray(String[]::new)) {
            if (!disk.has(name)) {
                // The method prepare has chosen this name, but could not make the file on a full disk.
                continue;
            }
            if (disk.length(name) != length || ++kept > JournalSettings.MOST_SPARES) {
                spares.remove(name);
                disk.delete(name);
            }
        }
    }

    void close() throws IOException {
        Optional<Pair> pair = ready.getAndSet(Optional.empty());
        if (pair.isPresent()) {
            pair.get().close();
        }
    }
}
