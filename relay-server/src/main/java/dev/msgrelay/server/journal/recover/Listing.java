package dev.msgrelay.server.journal.recover;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexCursor;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Kind;
import dev.msgrelay.server.journal.format.NamesFile;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery.Part;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is known of a directory before the walk over its records: the files, the two tables, the header of each segment,
 * and the forced position. One thread.
 */
final class Listing {
    enum Header {
        WHOLE,
        /** The header is damaged, and was restored from the records. */
        DAMAGED,
        /** There is no index, or neither its header nor its first record is whole. */
        NONE
    }

    @FunctionalInterface
    interface Reading {
        void read() throws IOException;
    }

    /** A segment. Its files may be missing or damaged. */
    static final class Entry {
        final long base;
        final boolean stream;
        final boolean index;
        Header state = Header.NONE;
        SegmentHeader header;
        long streamLength;
        long indexLength;

        private Entry(long base, boolean stream, boolean index) {
            this.base = base;
            this.stream = stream;
            this.index = index;
        }

        boolean usable() {
            return stream && state != Header.NONE;
        }

        String name() {
            return FileNames.index(base);
        }

        void addFilesTo(List<String> names) {
            if (stream) {
                names.add(FileNames.stream(base));
            }
            if (index) {
                names.add(name());
            }
        }

        /**
         * Reads the segment's files. Returns false, and forgives what failed, if a running relay has dropped the
         * segment since the directory was listed. Files of a dropped segment are renamed before a byte of them changes,
         * so what was read is right if this returns true.
         */
        boolean readUnlessDropped(Disk disk, Reading reading) throws IOException {
            try {
                reading.read();
            } catch (IOException e) {
                if (!isDropped(disk)) {
                    throw e;
                }
            }
            return !isDropped(disk);
        }

        private boolean isDropped(Disk disk) {
            return stream && !disk.has(FileNames.stream(base)) || index && !disk.has(name());
        }
    }

    private final Disk disk;
    final List<Entry> entries = new ArrayList<>();
    final List<String> leftovers = new ArrayList<>();
    EpochTable epochs = EpochTable.NONE;
    boolean epochsDamaged;
    private boolean epochsMissing;
    NamesFile names = NamesFile.NONE;
    private boolean namesThere;
    private boolean namesDamaged;
    long forced;
    long forcedSequence;
    boolean droppedMeanwhile;

    private Listing(Disk disk) {
        this.disk = disk;
    }

    /** @throws IOException the directory cannot be read, or is of another version of the format */
    static Listing of(Disk disk, RecoveryProgress progress) throws IOException {
        Listing listing = new Listing(disk);
        listing.tables();
        listing.segments();
        listing.headers(progress);
        listing.findForced();
        return listing;
    }

    /** Reads the tables. Called before segments are listed, so that the list has all segments of the tables. */
    private void tables() throws IOException {
        if (disk.has(FileNames.NAMES)) {
            namesThere = true;
            Optional<NamesFile> read = NamesFile.read(disk);
            namesDamaged = read.isEmpty();
            names = read.orElse(names);
        }
        if (disk.has(FileNames.EPOCHS)) {
            Optional<EpochTable> read = EpochTable.read(disk);
            epochsDamaged = read.isEmpty();
            epochs = read.orElse(epochs);
        } else {
            epochsMissing = true;
        }
    }

    /**
     * Whether the table of names is missing or damaged. If a running relay has dropped segments since the table was
     * read, a table may be sound although it does not fit the segments.
     */
    boolean namesDamaged(List<Part> parts, long end) {
        boolean missing =
                !namesThere && !parts.isEmpty() && parts.get(0).header().named() > 0;
        // With a table from a position after the stream's end, new messages would be taken for duplicates.
        boolean ahead = names.position() > end;
        return namesDamaged || missing && !droppedMeanwhile || ahead && !(droppedMeanwhile && parts.isEmpty());
    }

    private void segments() throws IOException {
        Set<String> all = new TreeSet<>(disk.names());
        Set<Long> bases = new TreeSet<>();
        for (String name : all) {
            long base = FileNames.base(name);
            if (base >= 0) {
                bases.add(base);
            } else if (name.endsWith(Disk.FRESH)) {
                leftovers.add(name);
            }
        }
        for (long base : bases) {
            boolean stream = all.contains(FileNames.stream(base));
            boolean index = all.contains(FileNames.index(base));
            if (entries.isEmpty() && !stream && all.contains(FileNames.stream(base) + FileNames.SPARE)) {
                // The drop of the segment was interrupted after the rename of its stream file, which comes first.
                leftovers.add(FileNames.index(base));
            } else {
                entries.add(new Entry(base, stream, index));
            }
        }
        epochsDamaged |= epochsMissing && !entries.isEmpty();
    }

    private void headers(RecoveryProgress progress) throws IOException {
        int looked = 0;
        Set<Entry> dropped = new HashSet<>();
        for (Entry e : entries) {
            progress.looked(looked++, entries.size());
            if (!e.readUnlessDropped(disk, () -> header(e))) {
                dropped.add(e);
            }
        }
        droppedMeanwhile = entries.removeAll(dropped);
    }

    private void header(Entry e) throws IOException {
        if (e.stream) {
            e.streamLength = disk.length(FileNames.stream(e.base));
            checkLength(FileNames.stream(e.base), e.streamLength, SegmentHeader.MAX_SEGMENT);
        }
        if (e.index) {
            readHeader(e);
        }
    }

    /** Refuses a length that no segment has, because the sum of the lengths decides which segments are dropped. */
    private void checkLength(String name, long length, long most) throws IOException {
        if (length > most) {
            throw new DiskException(
                    "journal " + disk.place() + ": " + name + " has " + length + " bytes, and none has more"
                            + " than " + most + ": put it back from a backup, or cut off what is too long"
                            + " (truncate --size=" + most + ")");
        }
    }

    private void readHeader(Entry e) throws IOException {
        ByteBuffer front = ByteBuffer.allocate(SegmentHeader.LENGTH);
        try (Disk.File index = disk.openToRead(e.name())) {
            e.indexLength = index.length();
            checkLength(e.name(), e.indexLength, SegmentHeader.MOST_INDEX);
            index.read(0, front);
        }
        Optional<SegmentHeader> header = SegmentHeader.read(front.flip());
        if (header.isPresent()) {
            SegmentHeader.checkVersion(header.get().version(), "journal " + disk.place() + ": " + e.name());
        }
        Optional<Long> epoch = epochs.at(e.base).map(EpochTable.Epoch::epoch);
        header = header.filter(read -> read.base() == e.base)
                .filter(read ->
                        epochsDamaged || epoch.filter(id -> id == read.epoch()).isPresent());
        if (header.isPresent()) {
            e.header = header.get();
            e.state = Header.WHOLE;
        } else if (epoch.isPresent()) {
            restoreHeader(e, epoch.get());
        }
    }

    /** Restores a damaged header from the segment's first record, whose seal proves epoch and base. */
    private void restoreHeader(Entry e, long epoch) throws IOException {
        try (IndexCursor index = new IndexCursor(disk, e.base, epoch ^ e.base)) {
            while (index.next()) {
                if (index.place() instanceof IndexRecord record && record.position() == e.base) {
                    e.header = new SegmentHeader(epoch, e.base, record.sequence(), record.timeMillis(), e.base, 0);
                    e.state = Header.DAMAGED;
                    return;
                }
            }
        }
    }

    /** Finds the last FORCED record. Positions of such records only grow, so no segment before its position is read. */
    private void findForced() throws IOException {
        forced = epochs.forcedPosition();
        forcedSequence = epochs.forcedSequence();
        for (int i = entries.size() - 1; i >= 0; i--) {
            Entry e = entries.get(i);
            if (e.state == Header.NONE) {
                continue;
            }
            // If a relay has dropped this segment, the older ones are gone, too.
            if (!e.readUnlessDropped(disk, () -> forced(e)) || forced >= e.base) {
                return;
            }
        }
    }

    private void forced(Entry e) throws IOException {
        try (IndexCursor index = new IndexCursor(disk, e.base, e.header.seed())) {
            while (index.next()) {
                if (index.record() instanceof IndexRecord record
                        && record.kind() == Kind.FORCED
                        && record.position() > forced) {
                    forced = record.position();
                    forcedSequence = record.sequence();
                }
            }
        }
    }
}
