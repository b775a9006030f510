package dev.msgrelay.server.journal.recover;

import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.format.SnapshotFile;
import dev.msgrelay.server.journal.format.SnapshotReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Function;

/**
 * The snapshot of the state in a directory, after all of it was read. Nothing was changed.
 *
 * @param front empty: there is no snapshot, or none that can be read
 * @param fault why the snapshot cannot be used, behind the file's name; empty if it can, or if there is none
 */
public record FoundSnapshot(Optional<SnapshotFile> front, Optional<String> fault) {
    private static final int PIECE = 1 << 20;

    static final FoundSnapshot NONE = new FoundSnapshot(Optional.empty(), Optional.empty());

    /** Reads the snapshot. Before the journal, which may grow, and the snapshot with it. */
    static FoundSnapshot read(Disk disk) {
        if (!disk.has(FileNames.STATE)) {
            return NONE;
        }
        try (SnapshotReader reader = new SnapshotReader(disk, false)) {
            ByteBuffer page = ByteBuffer.allocate(PIECE);
            for (int length = reader.next(); length > 0; length = reader.next()) {
                if (length > page.capacity()) {
                    reader.check(page);
                } else {
                    reader.read(page);
                }
            }
            return new FoundSnapshot(Optional.of(reader.front()), Optional.empty());
        } catch (SnapshotFile.Unsound e) {
            return new FoundSnapshot(Optional.empty(), Optional.of(e.getMessage()));
        } catch (IOException e) {
            return new FoundSnapshot(Optional.empty(), Optional.of("cannot be read: " + TextFile.fault(e)));
        }
    }

    /**
     * Adds whether the snapshot is of the journal that was inspected after it was read.
     *
     * @param there the segment at the snapshot's end, for its position
     */
    FoundSnapshot within(
            EpochTable epochs, long endPosition, long endSequence, Function<Long, Optional<SegmentHeader>> there) {
        return front.map(made -> new FoundSnapshot(
                        front, made.strange(epochs, endPosition, endSequence, there.apply(made.position()))))
                .orElse(this);
    }
}
