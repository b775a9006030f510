package dev.msgrelay.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Makes directories for Unix sockets, and removes directories that are in use. */
public final class Directories {
    /** Characters of the temporary directory that leave room for a directory and a socket's name in 107. */
    private static final int MOST = 60;

    private Directories() {}

    /**
     * Makes a directory for Unix sockets, whose paths end at 107 bytes: in the temporary one, or below /tmp where that
     * has too long a path.
     */
    public static Path forSockets(String prefix) throws IOException {
        Path temporary = ThisMachine.temporary();
        return Files.createTempDirectory(temporary.toString().length() <= MOST ? temporary : Path.of("/tmp"), prefix);
    }

    /** Removes a directory with its files; returns false if a file was made meanwhile: try again. */
    public static boolean remove(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.delete(directory);
            return true;
        } catch (IOException again) {
            return false;
        }
    }
}
