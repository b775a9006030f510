package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.client.Position;
import dev.msgrelay.client.PositionStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The place of a reader moves after the output, and not beyond it. */
class PrintedPositionsTest {
    @TempDir
    private Path directory;

    private final MessageMeter meter =
            new MessageMeter(new PrintWriter(new StringWriter()), (sequence, type, body) -> {}, false, true, 2, 100);

    @Test
    void whatIsNotWrittenOutIsNotBehindThePlace() throws Exception {
        PositionStore file = PositionStore.file(directory.resolve("p"));
        PrintedPositions unread = new PrintedPositions(file, () -> false, meter, ReadUntil.never());
        assertThat(unread.load()).isEmpty();
        assertThatIOException().isThrownBy(() -> unread.save(new Position(5, 3)));
        PrintedPositions full = new PrintedPositions(
                file,
                () -> {
                    throw new IOException("No space left on device");
                },
                meter,
                ReadUntil.never());
        assertThatIOException().isThrownBy(() -> full.save(new Position(5, 3)));
        unread.release();
        assertThat(file.load()).isEmpty();
        file.release();
    }

    @Test
    void thePlaceIsThatOfTheLastOneWanted() throws Exception {
        PositionStore file = PositionStore.file(directory.resolve("p"));
        PrintedPositions positions = new PrintedPositions(file, () -> true, meter, ReadUntil.never());
        positions.load();
        meter.onMessage(41, 1, ByteBuffer.allocate(0));
        positions.save(new Position(5, 42));
        positions.release();
        assertThat(file.load()).hasValueSatisfying(at -> assertThat(at.next()).isEqualTo(42));
        meter.onMessage(42, 1, ByteBuffer.allocate(0));
        meter.onMessage(43, 1, ByteBuffer.allocate(0));
        positions.save(new Position(5, 44));
        positions.release();
        assertThat(file.load()).hasValueSatisfying(at -> assertThat(at.next()).isEqualTo(43));
        file.release();
    }

    /** Within a state messages are printed while the place stays before it. */
    @Test
    void thePlaceIsNotBehindTheOneThatIsKept() throws Exception {
        PositionStore file = PositionStore.file(directory.resolve("p"));
        PrintedPositions positions = new PrintedPositions(file, () -> true, meter, ReadUntil.never());
        positions.load();
        meter.onMessage(42, 1, ByteBuffer.allocate(0));
        meter.onMessage(43, 1, ByteBuffer.allocate(0));
        positions.save(new Position(5, 40));
        positions.release();
        assertThat(file.load()).hasValueSatisfying(at -> assertThat(at.next()).isEqualTo(40));
        file.release();
    }
}
