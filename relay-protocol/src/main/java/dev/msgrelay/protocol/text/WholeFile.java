package dev.msgrelay.protocol.text;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A file that is replaced as a whole: whenever the process or the machine ends, the file is the old one or the new one.
 */
public final class WholeFile {
    /** Forces a file's content, or a folder's names, to the disk. */
    interface Force {
        void force(Path of) throws IOException;
    }

    private WholeFile() {}

    /** Replaces the file by one that its owner alone can read; returns once that is on the disk. */
    public static void replace(Path file, byte[] content) throws IOException {
        replace(file, content, WholeFile::force);
    }

    static void replace(Path file, byte[] content, Force force) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        // Readable by its owner alone from the start.
        Path next = Files.createTempFile(folder, "next", ".tmp");
        try {
            Files.write(next, content);
            // Forced before the rename: after a power cut a file may have its new name and no content.
            force.force(next);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
        forceFolder(folder, force);
    }

    /**
     * Takes the lock of a file beside the one that is replaced, until the channel is closed.
     *
     * @return whether it was free: neither another process has it, nor another channel of this one
     * @throws IOException the file system has no locks
     */
    public static boolean lock(FileChannel beside) throws IOException {
        try {
            return beside.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Forces a folder's names to the disk, where the file system can. */
    public static void forceFolder(Path folder) {
        forceFolder(folder, WholeFile::force);
    }

    private static void forceFolder(Path folder, Force force) {
        try {
            force.force(folder);
        } catch (IOException e) {
            // Some file systems cannot force a folder: even there the file is the old one or the new one.
        }
    }

    private static void force(Path of) throws IOException {
        StandardOpenOption how = Files.isDirectory(of) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(of, how)) {
            channel.force(true);
        }
    }
}
