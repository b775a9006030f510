package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.log.PacketLog;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal in a directory of this machine, with its threads. */
class FileDiskTest {
    @TempDir
    Path directory;

    private static final JournalSettings SETTINGS = new JournalSettings(
            256 << 10, JournalSettings.UNLIMITED, JournalSettings.UNLIMITED, TimeUnit.MILLISECONDS.toNanos(5));

    @Test
    void files() throws IOException {
        Disk disk = FileDisk.make(directory.resolve("a/b"));
        try (Disk.File file = disk.open("x")) {
            file.write(3, ByteBuffer.wrap(new byte[] {1, 2}));
            assertThat(file.length()).isEqualTo(5);
            file.setLength(100);
            assertThat(file.length()).isEqualTo(100);
            file.setLength(4);
            file.force();
            ByteBuffer read = ByteBuffer.allocate(10);
            file.read(2, read);
            assertThat(read.flip().remaining()).isEqualTo(2);
            assertThat(read.get(1)).isEqualTo((byte) 1);
        }
        disk.rename("x", "y");
        disk.force();
        assertThat(disk.names()).containsExactly("y");
        disk.delete("y");
        assertThat(disk.names()).isEmpty();
    }

    @Test
    void noDirectory() throws IOException {
        Path file = Files.writeString(directory.resolve("f"), "");
        assertThatIOException()
                .isThrownBy(() -> FileDisk.make(file.resolve("x")))
                .withMessageContaining(file.toString());
    }

    @Test
    void aTakenLockNamesItsHolder() throws Exception {
        Disk disk = new FileDisk(directory);
        assertThatIOException().isThrownBy(() -> disk.lock(false)).withMessageContaining("there is no journal");
        try (Closeable held = disk.lock(true)) {
            assertThat(held).isNotNull();
            assertThatIOException()
                    .isThrownBy(() -> Journal.open(
                            new FileDisk(directory.resolve("../" + directory.getFileName())), SETTINGS, 1, 0))
                    .withMessageContaining("in use by this process");
            assertThat(other().waitFor()).as("another process is refused").isEqualTo(1);
        }
        assertThat(other().waitFor()).as("and is not when it is free").isZero();
        try (Closeable again = disk.lock(true)) {
            assertThat(again).isNotNull();
        }
    }

    private Process other() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockMain.class.getName(),
                        directory.toString(),
                        String.valueOf(ProcessHandle.current().pid()))
                .inheritIO()
                .start();
    }

    /** Exits with 1 where the lock is taken by the process that it is told, with 0 where it is free. */
    static final class LockMain {
        private LockMain() {}

        public static void main(String[] args) {
            int code;
            try (Closeable lock = new FileDisk(Path.of(args[0])).lock(true)) {
                code = lock == null ? 2 : 0;
            } catch (IOException e) {
                code = e.getMessage().contains("process " + args[1]) ? 1 : 2;
            }
            System.exit(code);
        }
    }

    @Test
    void withThreads() throws Exception {
        JournalRig rig = new JournalRig(new FileDisk(directory), SETTINGS, Seeds.random("FileDiskTest"));
        for (int life = 0; life < 3; life++) {
            rig.openWithThreads();
            PacketLog log = rig.log;
            for (int i = 0; i < 4000; ) {
                if (rig.append(rig.random.nextInt(400))) {
                    i++;
                    if (i % 20 == 0) {
                        rig.journal.signal();
                    }
                } else {
                    Thread.onSpinWait();
                }
            }
            rig.journal.signal();
            rig.journal.want(rig.end());
            Await.until("all is forced", () -> rig.journal.forced().position() == rig.end());
            assertThat(log.head().position()).isEqualTo(rig.end());
            rig.close();
            Recovery found = Recovery.look(rig.disk, Recovery.Depth.ALL);
            assertThat(found.sound()).isTrue();
            assertThat(found.cut()).isNull();
            assertThat(found.epochs().epochs()).hasSize(life + 1);
            List<Loss> losses = new ArrayList<>();
            assertThat(rig.read(found, losses)).isNull();
            assertThat(losses).isEmpty();
            assertThat(found.endPosition()).isEqualTo(rig.end());
        }
        assertThat(rig.end()).isGreaterThan(2 << 20);
    }

    /** The oldest segments go, and their files are used again. */
    @Test
    void onlySoMuchIsKept() throws IOException {
        JournalSettings little = new JournalSettings(64 << 10, 300 << 10, 1L << 40, 1_000_000);
        JournalRig rig = new JournalRig(new FileDisk(directory), little, Seeds.random("FileDiskTest"));
        rig.open();
        rig.write(5000, 400);
        rig.close();
        Recovery found = Recovery.look(rig.disk, Recovery.Depth.ALL);
        assertThat(found.sound()).isTrue();
        assertThat(found.startPosition()).isPositive();
        assertThat(rig.read(found, new ArrayList<>())).isNull();
        assertThat(found.length()).isLessThanOrEqualTo((300 + 70) << 10);
        long all = 0;
        for (String name : rig.disk.names()) {
            all += Files.size(directory.resolve(name));
        }
        assertThat(all).as("with spare files").isLessThanOrEqualTo((300 + 5 * 70) << 10);
    }
}
