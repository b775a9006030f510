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
 * The changes to a directory before anybody writes to it: a torn tail is cut at every start; damage is written off only
 * where a person asks for it. Each step may be interrupted, and done again. Under the lock.
 */
public final class Repair {
    /** Longest piece of a file that is copied at once. */
    private static final int PIECE = 1 << 20;

    private Repair() {}

    /** Cuts what is torn off a sound directory, and forces what is kept, so that this survives the machine. */
    public static void cut(Disk disk, Recovery found) throws IOException {
        for (String name : found.leftovers()) {
            disk.delete(name);
        }
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
        // From the end on: what is left after a crash is the beginning of what was.
        Collections.reverse(spare);
        for (String name : spare) {
            disk.rename(name, name + FileNames.SPARE);
        }
        disk.force();
    }

    /**
     * The files of a segment end where its messages and its records end. What may not have been forced is written once
     * more: after a force that failed the machine shows bytes that are not on the disk, and takes them for forced.
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
     * Writes off what is damaged. The index of such a segment is made anew from the records that are whole, and says
     * what is lost; the old one is kept beside it, and no byte of a stream file is changed.
     *
     * @param found every byte was looked at
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

    /** A name that is free, also after several repairs. */
    private static String aside(Disk disk, String name) throws IOException {
        List<String> taken = disk.names();
        String free = name + FileNames.DAMAGED;
        for (int i = 2; taken.contains(free); i++) {
            free = name + FileNames.DAMAGED + '-' + i;
        }
        return free;
    }

    /**
     * Writes off all damage of a directory that is not in use.
     *
     * @return the findings before the repair: their damage is written off now
     * @throws IOException another process has the directory, or it cannot be written to
     */
    @SuppressWarnings("try") // the lock is held, and not looked at
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
            if (found.namesDamaged()) {
                // Moves in the indexes that are held are found there, from the first one on.
                new NamesFile(found.startPosition(), List.of()).write(disk);
            }
            return found;
        }
    }

    /** A table of epochs that is damaged follows from the headers: each says who made its segment. */
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
