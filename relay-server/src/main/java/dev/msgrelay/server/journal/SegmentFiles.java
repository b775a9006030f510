package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The files of segments: made at full length and before they are needed, and used again rather than made anew.
 *
 * <pre>
 *   forcer   retire: 0..0.stream -> 0..0.stream.spare     prepare: takes a spare pair, or makes one --> ready
 *   writer                            next: header into the index, ready -> 0..4096.stream, 0..4096.index
 * </pre>
 *
 * A file that was used before has its place on the disk, so forcing it changes nothing but its bytes. Its old records do not
 * pass: they were sealed for another position.
 *
 * <p>{@link #next} is the writer's; which segments there are may be asked by any thread; everything else is the forcer's.
 */
final class SegmentFiles {
    /** A clock that steps again and again keeps no segment for longer than that beyond its time. */
    static final long LONGEST_WAIT_MILLIS = TimeUnit.HOURS.toMillis(2);

    /** A complete and forced segment, whose newest message was written at {@code nanos} of the forcer's clock. */
    record Sealed(long base, long end, long length, long nanos) {}

    private record Pair(String streamName, String indexName, Disk.File stream, Disk.File index) {
        boolean has(String name) {
            return name.equals(streamName) || name.equals(indexName);
        }
    }

    private final Disk disk;
    private final JournalSettings settings;
    private final AtomicReference<Pair> ready = new AtomicReference<>();
    private final ArrayDeque<Sealed> sealed = new ArrayDeque<>();
    // All that may be read, by their bases, the one that is written to included.
    private final ConcurrentSkipListMap<Long, SegmentHeader> readable = new ConcurrentSkipListMap<>();
    private final ArrayDeque<String> spareStreams = new ArrayDeque<>();
    private final ArrayDeque<String> spareIndexes = new ArrayDeque<>();
    private long bytes;
    private int made;

    SegmentFiles(Disk disk, JournalSettings settings) {
        this.disk = disk;
        this.settings = settings;
    }

    /** Takes up the spare files that are there; those of another length are deleted. */
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

    /** A segment of an earlier life may be read. */
    void addReadable(SegmentHeader header) {
        readable.put(header.base(), header);
    }

    /** The segments that may be read, by their bases, from the oldest on. Any thread: it changes meanwhile. */
    NavigableMap<Long, SegmentHeader> readable() {
        return readable;
    }

    /** A segment is complete and forced: it may be dropped some day. */
    void add(Sealed segment) {
        sealed.add(segment);
        bytes += segment.length;
    }

    /** Whether the oldest is to be dropped, however young; until then no next segment is made ready. */
    boolean isOver() {
        long unsealed = readable.size() - sealed.size();
        long all = bytes + unsealed * (settings.segmentBytes() + settings.indexBytes());
        return all > settings.keepBytes() || sealed.size() >= JournalSettings.MOST_SEGMENTS;
    }

    int sealed() {
        return sealed.size();
    }

    long bytes() {
        return bytes;
    }

    /** Makes a pair of files for the next segment ready. Returns whether there was something to do. */
    boolean prepare() throws IOException {
        if (ready.get() != null) {
            return false;
        }
        String streamName = spare(spareStreams, FileNames.STREAM);
        String indexName = spare(spareIndexes, FileNames.INDEX);
        Disk.File stream = null;
        Disk.File index = null;
        try {
            stream = disk.open(streamName);
            stream.setLength(settings.segmentBytes());
            index = disk.open(indexName);
            index.setLength(settings.indexBytes());
        } catch (IOException e) {
            // The same two are tried again.
            close(stream, index);
            throw e;
        }
        spareStreams.remove(streamName);
        spareIndexes.remove(indexName);
        ready.set(new Pair(streamName, indexName, stream, index));
        return true;
    }

    private String spare(ArrayDeque<String> spares, String kind) {
        if (spares.isEmpty()) {
            spares.add("made-" + ++made + kind + FileNames.SPARE);
        }
        return spares.peekFirst();
    }

    private static void close(Disk.File stream, Disk.File index) throws IOException {
        try (stream) {
            if (index != null) {
                index.close();
            }
        }
    }

    /** Whether there are files for the next segment. Any thread. */
    boolean ready() {
        return ready.get() != null;
    }

    /** Begins a segment; null where no files are ready for it. The writer's. */
    Segment next(SegmentHeader header) throws IOException {
        Pair pair = ready.get();
        if (pair == null) {
            return null;
        }
        pair.index.write(0, header.bytes());
        String streamName = FileNames.stream(header.base());
        disk.rename(pair.streamName, streamName);
        // Names take room as well: with a disk that is full between the two, the writer comes again.
        ready.set(new Pair(streamName, pair.indexName, pair.stream, pair.index));
        disk.rename(pair.indexName, FileNames.index(header.base()));
        addReadable(header);
        ready.set(null);
        return new Segment(header, pair.stream, pair.index, settings);
    }

    /**
     * Drops the oldest sealed segments that are too many, or too old.
     *
     * @param durable everything before is forced, and a record that survives says so
     * @param wait whether none is dropped for its age now, unless it has been too old for long
     * @return how many were dropped for their age alone
     */
    int retire(long durable, long nanos, boolean wait) throws IOException {
        long most = settings.keepMillis();
        if (wait) {
            most = most > Long.MAX_VALUE - LONGEST_WAIT_MILLIS ? most : most + LONGEST_WAIT_MILLIS;
        }
        boolean any = false;
        int aged = 0;
        for (Sealed oldest = sealed.peekFirst(); oldest != null; oldest = sealed.peekFirst()) {
            boolean tooMany = isOver();
            boolean tooOld = TimeUnit.NANOSECONDS.toMillis(nanos - oldest.nanos) > most;
            if (oldest.end > durable || !tooMany && !tooOld) {
                break;
            }
            sealed.pollFirst();
            bytes -= oldest.length;
            // Removed before a byte of the files changes: a reader asks behind its read whether it is still readable.
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
        return aged;
    }

    private void retire(String name, ArrayDeque<String> spares) throws IOException {
        String spare = name + FileNames.SPARE;
        Pair next = ready.get();
        while (spares.contains(spare) || next != null && next.has(spare)) {
            // An earlier life began a segment at the same place, and was rolled back: another file has the name.
            spare = "again-" + ++made + "-" + name + FileNames.SPARE;
        }
        try {
            disk.rename(name, spare);
            spares.addFirst(spare);
        } catch (DiskException.Full e) {
            // The disk has no room even for a longer name.
            disk.delete(name);
        }
    }

    /** Files that were cut when their segment was recovered are too short to be used again. */
    private void trim(ArrayDeque<String> spares, long length) throws IOException {
        int kept = 0;
        for (String name : spares.toArray(String[]::new)) {
            if (!disk.has(name)) {
                // The file is to be made, and the disk was full: that is tried again.
                continue;
            }
            if (disk.length(name) != length || ++kept > JournalSettings.MOST_SPARES) {
                spares.remove(name);
                disk.delete(name);
            }
        }
    }

    void close() throws IOException {
        Pair pair = ready.getAndSet(null);
        if (pair != null) {
            close(pair.stream, pair.index);
        }
    }
}
