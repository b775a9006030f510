package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.format.FileNames;
import dev.msgrelay.server.journal.format.IndexRecord;
import dev.msgrelay.server.journal.format.IndexRecord.Kind;
import dev.msgrelay.server.journal.format.Loss;
import dev.msgrelay.server.journal.format.SegmentHeader;
import dev.msgrelay.server.journal.read.JournalReader;
import dev.msgrelay.server.journal.recover.Recovery;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.journal.recover.Repair;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
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

    /** The segments' files with this ending, from the oldest on. */
    private List<String> files(String ending) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    // ---- lengths -----------------------------------------------------------------------------------------------

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
        for (String name :
                List.of(files(ending).get(0), files(ending).get(files(ending).size() - 1))) {
            long length = Files.size(directory.resolve(name));
            lengthen(name, 1L << 40);
            assertThatThrownBy(() -> Recovery.inspect(disk, Recovery.Depth.START))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(
                            "journal " + directory + ": " + name + " has 1099511627776 bytes, and none has");
            assertThatThrownBy(() -> new JournalOpening(disk, SETTINGS, 7, 0, null, RecoveryProgress.NOBODY).open())
                    .hasMessageContaining(name);
            lengthen(name, length);
        }
        assertThat(JournalRig.inspect(disk).sound()).isTrue();
    }

    /** An index that is as long as the longest, and empty but for its front: it is not held in memory. */
    @Test
    void aLongIndexIsReadPieceByPiece() throws IOException {
        lengthen(files(FileNames.INDEX).get(1), SegmentHeader.MOST_INDEX);
        assertThat(JournalRig.inspect(disk).sound()).isTrue();
    }

    @Test
    void aPipeInThePlaceOfAnyFile() throws Exception {
        for (String name : List.of(
                files(FileNames.INDEX).get(1), files(FileNames.STREAM).get(0), FileNames.NAMES, FileNames.EPOCHS)) {
            Path file = directory.resolve(name);
            Path kept = Files.exists(file) ? Files.move(file, directory.resolve("kept")) : null;
            assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                    .isZero();
            assertThatThrownBy(() -> Recovery.inspect(disk, Recovery.Depth.START))
                    .hasMessage("journal " + directory + ": " + name + " is no regular file");
            Files.delete(file);
            if (kept != null) {
                Files.move(kept, file);
            }
        }
    }

    // ---- records and frames with right sums ------------------------------------------------------------------------

    /** Changes a frame of the second segment's first block, and makes the sums right again. */
    private void change(IntConsumer inTheStream) throws IOException {
        String index = files(FileNames.INDEX).get(1);
        ByteBuffer records = ByteBuffer.wrap(Files.readAllBytes(directory.resolve(index)));
        long base = FileNames.base(index);
        long seed = SegmentHeader.read(records).seed();
        int at = SegmentHeader.LENGTH;
        IndexRecord block = null;
        while (block == null || block.kind() != Kind.BLOCK) {
            at += block == null && at == SegmentHeader.LENGTH ? 0 : IndexRecord.LENGTH;
            block = IndexRecord.read(records, at, seed);
            at += block == null ? IndexRecord.LENGTH : 0;
        }
        inTheStream.accept((int) (block.position() - base));
        byte[] bytes = new byte[(int) block.bytes()];
        try (RandomAccessFile stream =
                new RandomAccessFile(directory.resolve(FileNames.stream(base)).toFile(), "r")) {
            stream.seek(block.position() - base);
            stream.readFully(bytes);
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        records.position(at);
        new IndexRecord(
                        Kind.BLOCK,
                        (int) crc.getValue(),
                        block.position(),
                        block.sequence(),
                        block.endPosition(),
                        block.endSequence(),
                        block.timeMillis(),
                        block.skew())
                .put(records, seed);
        Files.write(directory.resolve(index), records.array());
    }

    private void put(long at, int value) {
        try (RandomAccessFile stream = new RandomAccessFile(
                directory.resolve(files(FileNames.STREAM).get(1)).toFile(), "rw")) {
            stream.seek(at);
            stream.writeInt(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"length -1", "length too long", "reserved type", "one message less"})
    void framesThatNoReaderPasses(String what) throws IOException {
        change(frame -> {
            switch (what) {
                case "length -1" -> put(frame + 4, -1);
                case "length too long" -> put(frame + 4, Integer.MAX_VALUE);
                case "reserved type" -> put(frame, ControlFrames.HELLO);
                default -> put(frame + 4, lengthOfTwo(frame));
            }
        });
        Recovery found = JournalRig.inspect(disk);
        assertThat(found.sound()).isFalse();
        assertThat(found.damage()).hasSize(1);
        assertThat(found.damage().get(0).why()).contains(".stream: the bytes of record ", " are no whole messages");
        Repair.all(disk);
        assertThat(JournalRig.inspect(disk).sound()).isTrue();
        List<Long> read = new ArrayList<>();
        JournalReader.read(disk, Recovery.inspect(disk, Recovery.Depth.START), 1, new JournalReader.Sink() {
            @Override
            public boolean message(long sequence, int type, ByteBuffer body) {
                read.add(sequence);
                return true;
            }

            @Override
            public void lost(Loss loss) {
                read.add(-loss.sequence());
            }
        });
        assertThat(read).contains(1L, (long) MESSAGES).anyMatch(sequence -> sequence < 0);
    }

    /** So that the first frame has the second one within. */
    private int lengthOfTwo(int frame) {
        try {
            ByteBuffer stream = ByteBuffer.wrap(
                    Files.readAllBytes(directory.resolve(files(FileNames.STREAM).get(1))));
            int first = stream.getInt(frame + 4);
            return first + 8 + stream.getInt(frame + 8 + first + 4);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
