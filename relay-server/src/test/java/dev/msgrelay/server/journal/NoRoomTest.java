package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.protocol.text.SystemWords;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.journal.disk.Disk;
import dev.msgrelay.server.journal.disk.DiskException;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.recover.Recovery;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal without room, of bytes, of inodes or of something else, on a system that speaks any language. */
class NoRoomTest {
    private static final SystemWords GERMAN = new SystemWords("Datenübergabe unterbrochen", "Eingabe-/Ausgabefehler");
    private static final JournalSettings SMALL =
            new JournalSettings(64 << 10, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, 5_000_000);

    @TempDir
    private Path directory;

    private final SimDisk disk = new SimDisk(Seeds.random("NoRoomTest"));
    private final JournalRig rig = new JournalRig(disk, SMALL, Seeds.random("NoRoomTest"));

    private Disk.File failing(Supplier<IOException> with) throws IOException {
        FileChannel real =
                FileChannel.open(directory.resolve("x"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        return new FileDisk(directory, GERMAN).over(new ShortChannel(real) {
            @Override
            public int write(ByteBuffer from, long position) throws IOException {
                throw with.get();
            }

            @Override
            public void force(boolean metaData) throws IOException {
                throw with.get();
            }
        });
    }

    private void writeFails(Supplier<IOException> with) throws IOException {
        try (Disk.File file = failing(with)) {
            file.write(0, ByteBuffer.allocate(10));
        }
    }

    @Test
    void whatIsNoBrokenDiskIsWaitedForInAnyLanguage() {
        for (String words : List.of(
                "No space left on device",
                "Auf dem Gerät ist kein Speicherplatz mehr verfügbar",
                "Der zugewiesene Plattenplatz ist überschritten",
                "Die Datei ist zu groß",
                "what nobody has ever heard of")) {
            assertThatIOException()
                    .isThrownBy(() -> writeFails(() -> new IOException(words)))
                    .isInstanceOf(DiskException.Full.class)
                    .withMessage("journal " + directory + ": " + words);
        }
    }

    @Test
    void aBrokenDiskIsNone() {
        for (String words : List.of("Input/output error", "Eingabe-/Ausgabefehler")) {
            assertThatIOException()
                    .isThrownBy(() -> writeFails(() -> new IOException(words)))
                    .isNotInstanceOf(DiskException.Full.class)
                    .withMessage(words);
        }
        assertThatIOException()
                .isThrownBy(() -> writeFails(ClosedChannelException::new))
                .isInstanceOf(ClosedChannelException.class);
    }

    /** After a force that failed nobody knows what is on the disk, whatever it says. */
    @Test
    void aForceThatFailsIsNeverWaitedFor() throws IOException {
        String words = "Auf dem Gerät ist kein Speicherplatz mehr verfügbar";
        try (Disk.File file = failing(() -> new IOException(words))) {
            assertThatIOException().isThrownBy(file::force).isNotInstanceOf(DiskException.class);
        }
    }

    /** Publishers wait for the files of the next segment: that is the state of a full disk, and counted as such. */
    @Test
    void withoutInodesTheJournalIsFullAndGoesOn() throws IOException {
        rig.open();
        rig.write(10, 100);
        assertThat(rig.journal.stats().fullNanos()).isZero();
        disk.noNewFiles(true);
        int waits = 0;
        while (waits < 100) {
            waits = rig.append(400) ? 0 : waits + 1;
            rig.step();
        }
        assertThat(rig.journal.written().position()).isLessThan(rig.end());
        assertThat(rig.journal.stats().fullNanos()).isPositive();
        assertThat(disk.refusals()).isPositive();
        disk.noNewFiles(false);
        rig.write(200, 400);
        rig.step();
        long full = rig.journal.stats().fullNanos();
        rig.write(200, 400);
        assertThat(rig.journal.stats().fullNanos()).isEqualTo(full);
        closedAndSound();
    }

    @Test
    void allOfItIsForcedAndTheEndNeedsNoInode() throws IOException {
        rig.open();
        rig.write(10, 100);
        disk.noNewFiles(true);
        closedAndSound();
    }

    private void closedAndSound() throws IOException {
        rig.close();
        Recovery found = JournalRig.inspect(disk);
        assertThat(found.sound()).isTrue();
        assertThat(found.endPosition()).isEqualTo(rig.end());
        assertThat(rig.read(found, "all")).isEmpty();
    }

    @Test
    void withoutRoomForTheFirstSegmentThereIsNoStart() throws IOException {
        rig.open();
        rig.write(10, 100);
        rig.close();
        // Its table of epochs can be written, and the next files cannot be made.
        disk.open("epochs.new").close();
        byte[] epochs = disk.bytes("epochs");
        disk.noNewFiles(true);
        for (int i = 0; i < 3; i++) {
            assertThatIOException()
                    .isThrownBy(rig::open)
                    .isInstanceOf(DiskException.class)
                    .withMessageStartingWith("journal sim: no space left: it cannot be opened");
            assertThat(disk.bytes("epochs")).isEqualTo(epochs);
        }
        disk.noNewFiles(false);
        rig.open();
        rig.write(10, 100);
        closedAndSound();
    }

    @Test
    void theLookLeavesNothing() {
        FileDisk real = new FileDisk(directory);
        assertThat(real.shortage()).startsWith("a small file fits");
        assertThat(directory).isEmptyDirectory();
    }
}
