package dev.msgrelay.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Removes directories that are in use. */
public final class Directories {
    private Directories() {}

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
