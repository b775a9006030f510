package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.stream.StreamHead;

/**
 * The parts of a journal that its writer and its forcer share. Both go on from {@code found}.
 *
 * @param written the end of the written bytes, which the writer moves
 * @param forced the end of the forced bytes, which the forcer moves; the writer records it in the index
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
