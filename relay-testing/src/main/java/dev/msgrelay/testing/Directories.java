package dev.msgrelay.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Directories that go while they are used. */
public final class Directories {
    private Directories() {}

    /** Removes one with its files; false where somebody has made another one meanwhile: try again. */
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
