package dev.msgrelay.server.journal.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.protocol.Epochs;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.format.EpochTable.Epoch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class EpochTableTest {
    private final SimDisk disk = new SimDisk(new Random(1));
    private final EpochTable table = new EpochTable(
            List.of(new Epoch(7, 0, 1, 100), new Epoch(-8, 0, 1, 200), new Epoch(9, 500, 12, 300)), 700, 15);

    @Test
    void isReadAsItWasWritten() throws IOException {
        table.write(disk);
        assertThat(EpochTable.read(disk).orElseThrow().epochs()).isEqualTo(table.epochs());
        assertThat(EpochTable.read(disk).orElseThrow().forcedPosition()).isEqualTo(700);
        assertThat(EpochTable.read(disk).orElseThrow().forcedSequence()).isEqualTo(15);
        disk.powerCut();
        assertThat(EpochTable.read(disk).orElseThrow().epochs())
                .as("after a power cut")
                .isEqualTo(table.epochs());
    }

    @Test
    void noOtherByteAndNoOtherLengthPasses() throws IOException {
        table.write(disk);
        int length = disk.bytes(FileNames.EPOCHS).length;
        for (int at = 0; at < length; at++) {
            SimDisk other = disk.copy();
            other.flip(FileNames.EPOCHS, at, at % 8);
            assertThat(EpochTable.read(other)).as("byte %d", at).isEmpty();
            SimDisk cut = disk.copy();
            cut.cut(FileNames.EPOCHS, at);
            assertThat(EpochTable.read(cut)).as("length %d", at).isEmpty();
        }
    }

    @Test
    void anotherVersionIsNamed() throws IOException {
        table.write(disk);
        ByteBuffer file = ByteBuffer.wrap(disk.bytes(FileNames.EPOCHS)).putInt(8, 2);
        CRC32C crc = new CRC32C();
        crc.update(file.slice(0, file.limit() - 4));
        file.putInt(file.limit() - 4, (int) crc.getValue());
        disk.open(FileNames.EPOCHS).write(0, file);
        assertThatIOException().isThrownBy(() -> EpochTable.read(disk)).withMessageContaining("format 2");
    }

    @Test
    void whoseMessagesLieAtAPosition() {
        assertThat(table.at(0).orElseThrow().epoch()).as("nothing is left of 7").isEqualTo(-8);
        assertThat(table.at(499).orElseThrow().epoch()).isEqualTo(-8);
        assertThat(table.at(500).orElseThrow().epoch()).isEqualTo(9);
        assertThat(table.at(-1)).isEmpty();
    }

    @Test
    void livesOfWhichNothingIsHeldAreForgottenInTheEnd() {
        EpochTable many = EpochTable.NONE;
        for (int i = 0; i < 2 * EpochTable.MOST_PAST; i++) {
            many = many.with(new Epoch(i, 10L * i, i + 1, i), 10L * i);
        }
        assertThat(many.epochs()).hasSize(EpochTable.MOST_PAST + 1);
        EpochTable held = EpochTable.NONE;
        for (int i = 0; i < 2 * EpochTable.MOST_PAST; i++) {
            held = held.with(new Epoch(i, 10L * i, i + 1, i), 5);
        }
        assertThat(held.epochs()).as("all may be asked for").hasSize(2 * EpochTable.MOST_PAST);
    }

    @Test
    void aLifeForksWhereTheFirstOfThoseBehindItBegan() {
        EpochTable lives = new EpochTable(
                List.of(
                        new Epoch(11, 0, 1, 0),
                        new Epoch(22, 5_000, 100, 0),
                        new Epoch(33, 9_000, 200, 0),
                        // Put back from a copy that had fewer files than lives.
                        new Epoch(44, 7_000, 150, 0)),
                7_000,
                150);
        assertThat(lives.forkOf(11)).isEqualTo(100);
        assertThat(lives.forkOf(22)).as("not 200").isEqualTo(150);
        assertThat(lives.forkOf(33)).as("all of it is gone").isEqualTo(150);
        assertThat(lives.forkOf(44)).isEqualTo(Long.MAX_VALUE);
        assertThat(lives.forkOf(55)).isZero();
    }

    @Test
    void clientsAreToldTheNewestOnes() {
        EpochTable lives = EpochTable.NONE;
        for (int i = 1; i <= 3; i++) {
            lives = lives.with(new Epoch(i, 10L * i, 100L * i, i), 0);
        }
        assertThat(lives.newest()).isEqualTo(Epochs.parse("3:300,2:200,1:100"));
        for (int i = 4; i <= 20; i++) {
            lives = lives.with(new Epoch(i, 10L * i, 100L * i, i), 0);
        }
        assertThat(lives.newest().rows()).hasSize(Epochs.MOST);
        assertThat(lives.newest().rows().get(0)).isEqualTo(new Epochs.Row(20, 2000));
        assertThat(lives.newest().rows().get(15)).isEqualTo(new Epochs.Row(5, 500));
        assertThat(EpochTable.NONE.newest()).isEqualTo(Epochs.NONE);
    }

    /** Of 33 all is gone; 55 and 66 gave no message, and neither did the present one so far. */
    @Test
    void clientsAreNotToldThoseOfWhichNothingIsLeft() {
        EpochTable lives = EpochTable.NONE;
        long[][] all = {{11, 1}, {22, 100}, {33, 200}, {44, 150}, {55, 300}, {66, 300}, {77, 300}};
        for (long[] life : all) {
            lives = lives.with(new Epoch(life[0], 0, life[1], 0), 0);
        }
        assertThat(lives.newest()).isEqualTo(Epochs.parse("77:300,44:150,22:100,11:1"));
    }
}
