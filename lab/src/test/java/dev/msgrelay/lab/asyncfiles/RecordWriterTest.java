package dev.msgrelay.lab.asyncfiles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.lab.Contestant.Opener;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Asynchronous;
import dev.msgrelay.lab.asyncfiles.RecordWriter.Plain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordWriterTest {
    private static final int RECORDS = 10_000;
    private static final int OUTSTANDING = 64;

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void file() {
        file = directory.resolve("records");
    }

    static Stream<Opener<Path, RecordWriter>> contestants() {
        return Stream.of(
                Plain::new,
                file -> new Asynchronous(file, 0, 0),
                file -> new Asynchronous(file, 2, 0),
                file -> new Asynchronous(file, 0, OUTSTANDING),
                file -> new Asynchronous(file, 2, OUTSTANDING));
    }

    @ParameterizedTest
    @MethodSource("contestants")
    void everyRecordIsInItsPlace(Opener<Path, RecordWriter> contestant) throws Exception {
        write(contestant, RECORDS);
        assertThat(Files.readAllBytes(file)).isEqualTo(reference(RECORDS));
        assertThatCode(() -> RecordWriter.verify(file, RECORDS)).doesNotThrowAnyException();
    }

    @Test
    void theCheckNamesTheFirstWrongRecord() throws IOException {
        byte[] records = reference(20_000);
        Files.write(file, records);
        assertThatCode(() -> RecordWriter.verify(file, 20_000)).doesNotThrowAnyException();
        assertThatThrownBy(() -> RecordWriter.verify(file, 20_001)).hasMessage("record 20000 of 20001 is missing");
        assertThatThrownBy(() -> RecordWriter.verify(file, 19_999))
                .hasMessage("the file has 160000 bytes instead of 159992");
        records[15_000 * RecordWriter.SIZE + 3]++;
        Files.write(file, records);
        assertThatThrownBy(() -> RecordWriter.verify(file, 20_000))
                .hasMessage("record 15000 of 20000 is not in its place");
    }

    private void write(Opener<Path, RecordWriter> contestant, int records) throws Exception {
        try (RecordWriter writer = contestant.open(file)) {
            for (int i = 0; i < records; i++) {
                writer.write(i);
            }
        }
    }

    private static byte[] reference(int records) {
        ByteBuffer all = ByteBuffer.allocate(records * RecordWriter.SIZE);
        for (long number = 1; number <= records; number++) {
            all.putLong(number * 0x9E3779B97F4A7C15L);
        }
        return all.array();
    }
}
