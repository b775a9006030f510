package dev.msgrelay.server.journal;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.format.SnapshotWriter;
import dev.msgrelay.server.journal.recover.Recovery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;

/** A small journal of two lives in a directory, for tests of what reads one. */
public final class SampleJournal {
    private SampleJournal() {}

    /** Writes so many messages, half of them in each life; answers how many segments there are. */
    public static int fill(Path directory, int messages) {
        JournalSettings settings =
                new JournalSettings(8192, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, 1_000_000);
        try {
            JournalRig rig = new JournalRig(new FileDisk(directory), settings, new Random(5));
            for (int life = 0; life < 2; life++) {
                rig.open();
                rig.write(messages / 2, 200);
                rig.close();
            }
            return Recovery.inspect(rig.disk, Recovery.Depth.ALL).parts().size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a snapshot of the state, with one message, before the second segment; answers where that begins. */
    public static long snapshot(Path directory) throws IOException {
        return snapshot(new FileDisk(directory), 1);
    }

    /** As above, before this segment, counted from 0. */
    static long snapshot(Disk disk, int segment) throws IOException {
        SegmentHeader behind =
                Recovery.inspect(disk, Recovery.Depth.ALL).parts().get(segment).header();
        ByteBuffer memory = ByteBuffer.allocateDirect(SnapshotWriter.MEMORY_BYTES);
        try (SnapshotWriter writer = new SnapshotWriter(disk, TypeRanges.of(1, 99), memory)) {
            ByteBuffer frame = new Frames().frame(7, 20).buffer();
            writer.add(behind.sequence() - 1, frame, 0, frame.remaining());
            writer.finish(behind, 2, 3, 1 << 20);
            writer.replace();
        }
        return behind.sequence();
    }
}
