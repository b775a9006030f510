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
 * The result of a look at a directory: its messages, its damage, and the rest that a crash left behind. A look changes
 * nothing, so the same directory always gives the same result.
 *
 * @param endPosition where the stream goes on
 * @param endSequence number of the next message
 * @param forcedPosition everything before this position was forced
 * @param epochsDamaged whether the table of epochs is missing or damaged although there are segments
 * @param states the last message of each name that is in the journal, in no order
 * @param named position behind the newest block that moved a name; 0: there is none
 * @param namesPosition position of the table of names
 * @param namesDamaged whether the table of names is missing or damaged: numbers of some names may be too low
 * @param parts the segments, from the oldest on
 * @param damage forced messages that are missing; until a repair no relay writes to the directory
 * @param lost messages that earlier repairs have written off
 * @param cut the torn tail, which the next start cuts off
 * @param dropped files behind the cut
 * @param asideFiles useless files among what was forced
 * @param leftovers files that an interrupted retention or replacement left behind
 * @param steps the last steps of the machine's clock
 * @param stepCount steps of the clock in all segments whose records were read
 * @param checkedBytes bytes of the stream that were read and compared with their sums
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
        long checkedBytes) {
    public enum Depth {
        /** The headers of all segments, and all of those that may hold what was not forced. */
        START,
        /** Every byte. */
        ALL
    }

    /**
     * One segment.
     *
     * @param header as the index has it, or as it follows from the records of the index
     * @param endPosition where the next segment starts
     * @param endSequence number of the first message there
     * @param records slots in use at the front of the index; -1: they were not looked at
     * @param length bytes of both files
     * @param timeMillis of the newest message, or a little later
     * @param skew steps of the clock up to then, from the oldest segment on
     * @param mended the records that a repair writes, where the index or bytes of the stream are damaged
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

        /** Bytes of both files once a torn tail is cut. */
        public long lengthAfterCut() {
            return records < 0
                    ? length
                    : endPosition - header.base() + SegmentHeader.LENGTH + (long) records * IndexRecord.LENGTH;
        }
    }

    /**
     * The torn tail.
     *
     * @param position where it starts: the journal goes on there
     * @param sequence number of the first message there
     * @param endPosition behind the last record that was found in it
     * @param endSequence number of the first message there
     */
    public record Cut(long position, long sequence, long endPosition, long endSequence) {
        public long messages() {
            return endSequence - sequence;
        }

        public long bytes() {
            return endPosition - position;
        }
    }

    /** Java heap that a look takes besides its result. */
    public static final long HEAP_BYTES = RecoveryWalk.PIECE + IndexCursor.BYTES;

    /** Looks at a directory; throws where it cannot be read, or is of another version of the format. */
    public static Recovery inspect(Disk disk, Depth depth) throws IOException {
        return inspect(disk, depth, RecoveryProgress.NOBODY);
    }

    public static Recovery inspect(Disk disk, Depth depth, RecoveryProgress progress) throws IOException {
        return new RecoveryWalk(disk, depth, Listing.of(disk, progress)).run();
    }

    /** Whether a directory has a file of a journal: a directory without one is no sound journal without messages. */
    public static boolean hasAny(Disk disk) throws IOException {
        return disk.names().stream().anyMatch(name -> name.equals(FileNames.EPOCHS) || FileNames.base(name) >= 0);
    }

    public long startPosition() {
        return parts.isEmpty() ? endPosition : parts.get(0).header.base();
    }

    public long startSequence() {
        return parts.isEmpty() ? endSequence : parts.get(0).header.sequence();
    }

    /** Whether no relay has ever begun an epoch in the directory. */
    public boolean isNew() {
        return epochs.epochs().isEmpty() && parts.isEmpty();
    }

    /** Whether a relay may write to the directory. */
    public boolean sound() {
        return damage.isEmpty() && !epochsDamaged && !namesDamaged && asideFiles.isEmpty();
    }

    public List<Part> filled() {
        return parts.stream().filter(part -> !part.isEmpty()).toList();
    }

    /** Bytes of the files of all segments. */
    public long length() {
        return parts.stream().mapToLong(Part::length).sum();
    }

    /** The machine's clock as the newest record has it. */
    public JournalClock clock() {
        if (parts.isEmpty()) {
            return new JournalClock();
        }
        Part newest = parts.get(parts.size() - 1);
        return new JournalClock(newest.timeMillis, newest.skew);
    }
}
