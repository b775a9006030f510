package dev.msgrelay.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of /proc and /sys with content that a test gives. */
public final class Tree {
    private final Path root;

    public Tree(Path root) {
        this.root = root;
    }

    /** Writes one file; like those of the system it ends with a line feed. */
    public Tree with(String path, String content) {
        try {
            Path file = root.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, content + "\n");
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A line of proc/self/mountinfo: a file system of this kind at a place. */
    public static String mount(Path place, String kind) {
        String escaped = place.toString().replace("\\", "\\134").replace(" ", "\\040");
        return "31 23 0:28 / " + escaped + " rw,relatime shared:9 - " + kind + " dev rw";
    }

    public Path root() {
        return root;
    }
}
