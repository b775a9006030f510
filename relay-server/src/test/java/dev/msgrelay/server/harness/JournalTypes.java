package dev.msgrelay.server.harness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.IndexRecord.Loss;
import dev.msgrelay.server.journal.read.JournalReader;
import dev.msgrelay.server.journal.recover.Recovery;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The messages of a journal that nobody writes to, of which none may be missing. */
public final class JournalTypes implements JournalReader.Sink {
    private final List<Integer> types = new ArrayList<>();

    private JournalTypes() {}

    /** Their types, in order. */
    public static List<Integer> of(Path directory) throws IOException {
        FileDisk disk = new FileDisk(directory);
        JournalTypes found = new JournalTypes();
        JournalReader.read(disk, Recovery.inspect(disk, Recovery.Depth.ALL), 1, found);
        return found.types;
    }

    @Override
    public boolean message(long sequence, int type, ByteBuffer body) {
        types.add(type);
        assertThat(sequence).isEqualTo(types.size());
        return true;
    }

    @Override
    public void lost(Loss loss) {
        throw new AssertionError(loss.description());
    }
}
