package dev.msgrelay.server.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.disk.OwnFiles;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may read a journal's files, and what is said where the file system cannot do what is asked of it. */
class OwnFilesTest {
    @TempDir
    private Path place;

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void nobodyElseReadsAJournal() throws IOException {
        Path folder = place.resolve("a/j");
        FileDisk disk = FileDisk.openOrCreate(folder);
        SampleJournal.fill(folder, 300);
        disk.replace("other", ByteBuffer.allocate(1));
        assertThat(mode(folder.getParent())).matches("rwx[r-]-[x-]---");
        assertThat(mode(folder)).matches("rwx[r-]-[x-]---");
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.toList()) {
                assertThat(mode(file)).as(file.toString()).matches("rw-[r-]-----");
            }
        }
        assertThat(folder).isDirectoryContaining("glob:**.spare").isDirectoryContaining("glob:**lock");
        assertThat(OwnFiles.wide(folder)).isEmpty();
    }

    @Test
    void whatIsWiderIsTold() throws IOException {
        Path file = Files.createFile(place.resolve("x.stream"));
        mode(place, "rwxr-x---");
        mode(file, "rw-r--r--");
        assertThat(OwnFiles.wide(place)).as("nobody else gets so far").isEmpty();
        mode(place, "rwxr-xr-x");
        assertThat(OwnFiles.wide(place).orElseThrow())
                .startsWith(place + " and 1 of its files are open to more users")
                .endsWith("chmod -R g-w,o= " + place);
        mode(file, "rw-r-----");
        assertThat(OwnFiles.wide(place).orElseThrow()).startsWith(place + " and 0 of its files");
        mode(place, "rwxrwx---");
        assertThat(OwnFiles.wide(place)).isPresent();
        mode(place, "rwx------");
        assertThat(OwnFiles.wide(place)).isEmpty();
    }

    @Test
    void aFolderThatCannotBeForced() throws IOException {
        OwnFiles.forceFolder(place, "journal j");
        assertThatThrownBy(() -> new FileDisk(ThisMachine.proc("self")).force())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "journal /proc/self: the names of its files cannot be forced to the disk (fsync of"
                                + " the folder: ")
                .hasMessageContaining("A power cut might lose whole files")
                .hasMessageContaining("such as ext4 or xfs");
    }

    @Test
    void aFileSystemWithoutLocks() throws IOException {
        try (FileChannel file =
                OwnFiles.open(place.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertThat(OwnFiles.lock(file, false, "journal j")).isTrue();
            assertThat(OwnFiles.lock(file, false, "journal j")).as("held here").isFalse();
            FileChannel without = new ShortChannel(file) {
                @Override
                public FileLock tryLock(long position, long size, boolean shared) throws IOException {
                    throw new IOException("No locks available");
                }
            };
            assertThatThrownBy(() -> OwnFiles.lock(without, false, "journal j"))
                    .hasMessage("journal j cannot be locked (No locks available), and two processes might write to it:"
                            + " place it on a local disk, or have the locks of NFS work (rpc.statd and lockd"
                            + " run, or NFS 4)");
        }
    }
}
