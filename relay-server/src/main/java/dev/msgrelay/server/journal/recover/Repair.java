package dev.msgrelay.server.journal.recover;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.NamesFile;
import dev.msgrelay.server.journal.format.SealedRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery.Part;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Changes a directory before a relay writes to it: each start cuts a torn tail, and {@code journal repair} writes off
 * damage. Each step may be interrupted, and repeated. Runs under the directory's lock.
 */
public final class Repair {
    private static final int PIECE = 1 << 20;

    private Repair() {}

    /** Deletes what a crash has left behind of files that were being made or dropped. */
    public static void deleteLeftovers(Disk disk, Recovery found) throws IOException {
        for (String name : found.leftovers()) {
            disk.delete(name);
        }
    }

    /** Cuts the torn tail of a sound directory, and forces all bytes that are kept. */
    public static void cut(Disk disk, Recovery found) throws IOException {
        List<String> spare = new ArrayList<>();
        for (Part part : found.parts()) {
            long base = part.header().base();
            if (part.isEmpty()) {
                spare.add(FileNames.stream(base));
                spare.add(FileNames.index(base));
            } else if (part.records() >= 0) {
                settle(disk, part, found.forcedPosition());
            }
        }
        spare.addAll(found.dropped());
        // The last file is renamed first, so that a crash in between leaves no gap between files.
        Collections.reverse(spare);
        for (String name : spare) {
            disk.rename(name, name + FileNames.SPARE);
        }
        disk.force();
    }

    /**
     * Cuts the files of a segment after its last message and record. Bytes that may not have been forced are written
     * once more, because after a failed force the system may treat bytes in its cache as forced.
     */
    private static void settle(Disk disk, Part part, long forced) throws IOException {
        long base = part.header().base();
        try (Disk.File stream = disk.open(FileNames.stream(base));
                Disk.File index = disk.open(FileNames.index(base))) {
            stream.setLength(Math.min(stream.length(), part.endPosition() - base));
            index.setLength(SegmentHeader.LENGTH + (long) part.records() * IndexRecord.LENGTH);
            if (part.endPosition() > forced) {
                copy(stream, Math.max(0, forced - base), stream);
                copy(index, 0, index);
            }
            stream.force();
            index.force();
        }
    }

    /**
     * Writes off damage. A damaged index is replaced by one with its whole records and with LOST records; the old index
     * is kept under another name. No stream file is changed.
     */
    static void mend(Disk disk, Recovery found) throws IOException {
        for (Part part : found.parts()) {
            if (part.mended().isPresent()) {
                String name = FileNames.index(part.header().base());
                copy(disk, name, aside(disk, name));
                replace(disk, name, part.header(), part.mended().get());
            }
        }
        for (String name : found.asideFiles()) {
            disk.rename(name, aside(disk, name));
        }
        disk.force();
    }

    private static String aside(Disk disk, String name) throws IOException {
        List<String> taken = disk.names();
        String free = name + FileNames.DAMAGED;
        for (int i = 2; taken.contains(free); i++) {
            free = name + FileNames.DAMAGED + '-' + i;
        }
        return free;
    }

    /**
     * Writes off all damage of a directory that is not in use, and puts a snapshot of the state aside that is of no
     * use. Returns what was found before the repair.
     */
    @SuppressWarnings("try") // the lock is held, but not used
    public static Recovery all(Disk disk) throws IOException {
        try (Closeable lock = disk.lock(true)) {
            Recovery found = Recovery.inspect(disk, Recovery.Depth.ALL);
            if (found.epochsDamaged()) {
                epochs(found).write(disk);
                found = Recovery.inspect(disk, Recovery.Depth.ALL);
            }
            if (!found.sound()) {
                mend(disk, found);
            }
            if (found.snapshot().fault().isPresent()) {
                disk.rename(FileNames.STATE, aside(disk, FileNames.STATE));
                disk.force();
            }
            if (found.namesDamaged()) {
                // With an empty table at the start of the oldest segment, the moves in all indexes count.
                new NamesFile(found.startPosition(), List.of()).write(disk);
            }
            return found;
        }
    }

    static EpochTable epochs(Recovery found) {
        List<EpochTable.Epoch> epochs = new ArrayList<>();
        EpochTable.Epoch last = new EpochTable.Epoch(0, 0, 1, 0);
        for (Part part : found.parts()) {
            SegmentHeader h = part.header();
            if (epochs.isEmpty() || last.epoch() != h.epoch()) {
                last = new EpochTable.Epoch(h.epoch(), h.base(), h.sequence(), h.timeMillis());
                epochs.add(last);
            }
        }
        return new EpochTable(epochs, last.position(), last.sequence());
    }

    private static void copy(Disk disk, String from, String to) throws IOException {
        try (Disk.File source = disk.openToRead(from);
                Disk.File target = disk.open(to)) {
            copy(source, 0, target);
            target.setLength(source.length());
            target.force();
        }
    }

    private static void copy(Disk.File source, long from, Disk.File target) throws IOException {
        long length = source.length();
        ByteBuffer piece = ByteBuffer.allocate(PIECE);
        for (long at = from; at < length; at += PIECE) {
            piece.clear().limit((int) Math.min(PIECE, length - at));
            source.read(at, piece);
            target.write(at, piece.flip());
        }
    }

    private static void replace(Disk disk, String name, SegmentHeader header, List<SealedRecord> records)
            throws IOException {
        ByteBuffer fresh = ByteBuffer.allocate(SegmentHeader.LENGTH + records.size() * IndexRecord.LENGTH);
        fresh.put(header.bytes());
        for (SealedRecord record : records) {
            record.put(fresh, header.seed());
        }
        disk.replace(name, fresh.flip());
    }
}
