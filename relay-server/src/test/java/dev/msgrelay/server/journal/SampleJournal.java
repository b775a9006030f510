package dev.msgrelay.server.journal;

import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.recover.Recovery;
import java.io.IOException;
import java.io.UncheckedIOException;
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
}
