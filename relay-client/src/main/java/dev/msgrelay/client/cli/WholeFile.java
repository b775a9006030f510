package dev.msgrelay.client.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A file that is replaced as a whole: whatever ends the process or the machine, it is the old one or the new one. */
final class WholeFile {
    /** Returns once a file's content, or a folder's names, survive the end of the machine. */
    interface Force {
        void force(Path of) throws IOException;
    }

    private WholeFile() {}

    /** Returns once the file is the new one, readable by its owner alone. */
    static void replace(Path file, byte[] content) throws IOException {
        replace(file, content, WholeFile::force);
    }

    static void replace(Path file, byte[] content, Force force) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        // Readable by the owner alone from the start.
        Path next = Files.createTempFile(folder, "next", ".tmp");
        try {
            Files.write(next, content);
            // Before it has the name: after a power cut a file may have its new name and no content.
            force.force(next);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
        try {
            force.force(folder);
        } catch (IOException e) {
            // Some file systems cannot force a folder: the file is the old one or the new one there as well.
        }
    }

    private static void force(Path of) throws IOException {
        StandardOpenOption how = Files.isDirectory(of) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
        try (FileChannel channel = FileChannel.open(of, how)) {
            channel.force(true);
        }
    }
}
