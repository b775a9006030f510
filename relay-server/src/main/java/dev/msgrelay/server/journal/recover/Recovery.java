package dev.msgrelay.server.journal.recover;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexCursor;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.format.JournalClock;
import dev.msgrelay.server.journal.format.JournalClock.Step;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.journal.format.SealedRecord;
import dev.msgrelay.server.journal.format.SegmentHeader;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The result of an inspection, which changes nothing in a directory: messages, damage, a crash's torn tail.
 *
 * @param forcedPosition all bytes before this position were forced
 * @param epochsDamaged whether the table of epochs is missing or damaged although there are segments
 * @param states the last message of each name, in no particular order
 * @param named end of the newest block with messages of a name; 0: there is none
 * @param namesPosition position of the table of names
 * @param namesDamaged whether the table of names is missing or damaged, so that numbers of some names may be too low
 * @param damage forced messages that are missing; no relay writes to a damaged directory before a repair
 * @param lost messages that earlier repairs have written off
 * @param cut the torn tail, which the next start cuts off
 * @param dropped files of later segments, which are in the torn tail
 * @param asideFiles unusable files before the forced position
 * @param leftovers files that are left because the drop of a segment, or the replacement of a file, was interrupted
 * @param stepCount number of steps of the clock in the records that were read
 * @param checkedBytes bytes of the stream that were compared with their CRC
 * @param snapshot the snapshot of the state; with {@link Depth#START} it is not read, and none is found
 */
public record Recovery(
        long endPosition,
        long endSequence,
        long forcedPosition,
        EpochTable epochs,
        boolean epochsDamaged,
        List<JournalName.State> states,
        long named,
        long namesPosition,
        boolean namesDamaged,
        List<Part> parts,
        List<Loss> damage,
        List<Loss> lost,
        Optional<Cut> cut,
        List<String> dropped,
        List<String> asideFiles,
        List<String> leftovers,
        List<Step> steps,
        long stepCount,
        long checkedBytes,
        FoundSnapshot snapshot) {
    public enum Depth {
        /** The headers of all segments, and all bytes that may not have been forced. */
        START,
        /** All bytes. */
        ALL
    }

    /**
     * One segment.
     *
     * @param header the header in the index, or one that was restored from the records
     * @param records slots in use; -1: the records were not read
     * @param timeMillis time of the newest message, or a little later
     * @param skew sum of the clock's steps up to that time, from the oldest segment on
     * @param mended if the segment is damaged, the records that a repair writes
     */
    public record Part(
            SegmentHeader header,
            long endPosition,
            long endSequence,
            int records,
            long length,
            long timeMillis,
            long skew,
            Optional<List<SealedRecord>> mended) {
        public boolean isEmpty() {
            return endPosition == header.base();
        }

        public long lengthAfterCut() {
            return records < 0
                    ? length
                    : endPosition - header.base() + SegmentHeader.LENGTH + (long) records * IndexRecord.LENGTH;
        }
    }

    /** The torn tail: from the position where the journal will continue to the end of the last record found. */
    public record Cut(long position, long sequence, long endPosition, long endSequence) {
        public long messages() {
            return endSequence - sequence;
        }

        public long bytes() {
            return endPosition - position;
        }
    }

    /** Java heap of an inspection, without its result. */
    public static final long HEAP_BYTES = RecoveryWalk.PIECE + IndexCursor.BYTES;

    /** @throws IOException the directory cannot be read, or is of another version of the format */
    public static Recovery inspect(Disk disk, Depth depth) throws IOException {
        return inspect(disk, depth, RecoveryProgress.NOBODY);
    }

    public static Recovery inspect(Disk disk, Depth depth, RecoveryProgress progress) throws IOException {
        FoundSnapshot snapshot = depth == Depth.ALL ? FoundSnapshot.read(disk) : FoundSnapshot.NONE;
        return new RecoveryWalk(disk, depth, Listing.of(disk, progress)).run(snapshot);
    }

    /** Whether a directory contains a journal's file. */
    public static boolean hasAny(Disk disk) throws IOException {
        return disk.names().stream().anyMatch(name -> name.equals(FileNames.EPOCHS) || FileNames.base(name) >= 0);
    }

    public long startPosition() {
        return parts.isEmpty() ? endPosition : parts.get(0).header.base();
    }

    public long startSequence() {
        return parts.isEmpty() ? endSequence : parts.get(0).header.sequence();
    }

    /** Whether the directory is new: no relay has written a journal there yet. */
    public boolean isNew() {
        return epochs.epochs().isEmpty() && parts.isEmpty();
    }

    /** Whether all is well: a relay may write to the directory, and its next start finds the state. */
    public boolean allSound() {
        return sound() && snapshot.fault().isEmpty();
    }

    /** Whether a relay may write to the directory. */
    public boolean sound() {
        return damage.isEmpty() && !epochsDamaged && !namesDamaged && asideFiles.isEmpty();
    }

    public List<Part> filled() {
        return parts.stream().filter(part -> !part.isEmpty()).toList();
    }

    public long length() {
        return parts.stream().mapToLong(Part::length).sum();
    }

    public JournalClock clock() {
        if (parts.isEmpty()) {
            return new JournalClock();
        }
        Part newest = parts.get(parts.size() - 1);
        return new JournalClock(newest.timeMillis, newest.skew);
    }
}
