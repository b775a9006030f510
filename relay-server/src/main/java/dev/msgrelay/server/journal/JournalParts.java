package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.StreamHead;

/**
 * The parts of a journal that its writer and its forcer share. Both start from the state in {@code found}.
 *
 * @param written end of the written bytes, moved by the writer
 * @param forced end of the forced bytes, moved by the forcer; the writer records this position in the index
 */
record JournalParts(
        Disk disk,
        JournalSettings settings,
        Recovery found,
        SegmentFiles files,
        NameMoves moves,
        StreamHead written,
        StreamHead forced) {
    JournalParts(Disk disk, JournalSettings settings, Recovery found) {
        this(
                disk,
                settings,
                found,
                new SegmentFiles(disk, settings),
                new NameMoves(),
                new StreamHead(),
                new StreamHead());
        written.set(found.endPosition(), found.endSequence());
        forced.set(found.endPosition(), found.endSequence());
    }
}
