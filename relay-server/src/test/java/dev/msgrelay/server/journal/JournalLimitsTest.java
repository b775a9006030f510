package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.Repair;
import dev.msgrelay.testing.OddFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the file system, or a record with a right sum, says of a journal is not believed. */
@Timeout(120)
class JournalLimitsTest {
    private static final int MESSAGES = 300;
    private static final JournalSettings SETTINGS =
            new JournalSettings(8192, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, 1_000_000);

    @TempDir
    private Path directory;

    private FileDisk disk;

    @BeforeEach
    void fill() {
        SampleJournal.fill(directory, MESSAGES);
        disk = new FileDisk(directory);
    }

    private void lengthen(String name, long length) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve(name).toFile(), "rw")) {
            file.setLength(length);
        }
    }

    @Test
    void tablesThatSayThatTheyAreLong() throws IOException {
        lengthen(FileNames.NAMES, 8L << 30);
        assertThat(Recovery.inspect(disk, Recovery.Depth.START).namesDamaged()).isTrue();
        lengthen(FileNames.EPOCHS, 8L << 30);
        assertThat(Recovery.inspect(disk, Recovery.Depth.START).epochsDamaged()).isTrue();
        Repair.all(disk);
        assertThat(JournalRig.inspect(disk).sound()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {FileNames.INDEX, FileNames.STREAM})
    void segmentsThatSayThatTheyAreLong(String ending) throws IOException {
        List<String> files = JournalRig.files(disk, ending);
        for (String name : List.of(files.get(0), files.get(files.size() - 1))) {
            long length = Files.size(directory.resolve(name));
            lengthen(name, 1L << 40);
            assertThatThrownBy(() -> Recovery.inspect(disk, Recovery.Depth.START))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(
                            "journal " + directory + ": " + name + " has 1099511627776 bytes, and none has");
            assertThatThrownBy(() -> JournalRig.open(disk, SETTINGS)).hasMessageContaining(name);
            lengthen(name, length);
        }
        assertThat(JournalRig.inspect(disk).sound()).isTrue();
    }

    /** An index that is as long as the longest, and empty but for its front: it is not held in memory. */
    @Test
    void aLongIndexIsReadPieceByPiece() throws IOException {
        lengthen(JournalRig.files(disk, FileNames.INDEX).get(1), SegmentHeader.MOST_INDEX);
        assertThat(JournalRig.inspect(disk).sound()).isTrue();
    }

    @Test
    void aPipeInThePlaceOfAnyFile() throws Exception {
        for (String name : List.of(
                JournalRig.files(disk, FileNames.INDEX).get(1),
                JournalRig.files(disk, FileNames.STREAM).get(0),
                FileNames.NAMES,
                FileNames.EPOCHS)) {
            Path file = directory.resolve(name);
            Path kept = Files.exists(file) ? Files.move(file, directory.resolve("kept")) : null;
            OddFiles.pipe(file);
            assertThatThrownBy(() -> Recovery.inspect(disk, Recovery.Depth.START))
                    .hasMessage("journal " + directory + ": " + name + " is no regular file");
            Files.delete(file);
            if (kept != null) {
                Files.move(kept, file);
            }
        }
    }
}
