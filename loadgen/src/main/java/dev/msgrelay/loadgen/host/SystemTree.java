package dev.msgrelay.loadgen.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The files in which Linux tells about itself, below a root that a test may choose. Immutable. */
public final class SystemTree {
    /** Of one file: what is behind this (hundreds of cores in /proc/cpuinfo) says nothing new. */
    private static final int MAX_BYTES = 64 << 10;

    private static final int MAX_ENTRIES = 4_096;

    private final Path root;

    public SystemTree(Path root) {
        this.root = root;
    }

    /** The real one. */
    public static SystemTree ofThisHost() {
        return new SystemTree(Path.of("/"));
    }

    /** Where it is. */
    Path path(String path) {
        return root.resolve(path);
    }

    /**
     * A file's content without white space at its ends; empty when there is no such file, when it cannot be read (some
     * files of /sys answer with an error instead of a value), or when nothing is in it.
     *
     * @param path without a leading slash: {@code "proc/loadavg"}
     */
    public Optional<String> text(String path) {
        try (InputStream in = Files.newInputStream(root.resolve(path))) {
            String text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8).strip();
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        } catch (IOException | SecurityException e) {
            return Optional.empty();
        }
    }

    /** A file that holds one whole number; empty where it does not. */
    public OptionalLong number(String path) {
        return text(path).map(SystemTree::parse).orElse(OptionalLong.empty());
    }

    /** A file that holds 0 for off, or another whole number; null where it does not. */
    public Boolean flag(String path) {
        OptionalLong told = number(path);
        return told.isPresent() ? (Boolean) (told.getAsLong() != 0) : null;
    }

    /** What follows {@code key} and white space or a colon in the first such line of a file. */
    public Optional<String> field(String path, String key) {
        return text(path).flatMap(text -> text.lines()
                .filter(line -> line.startsWith(key) && line.length() > key.length())
                .filter(line -> " \t:".indexOf(line.charAt(key.length())) >= 0)
                .map(line -> line.substring(key.length())
                        .replaceFirst("^[\\s:]+", "")
                        .strip())
                .findFirst());
    }

    /** Whether there is such a file or directory. */
    public boolean exists(String path) {
        return Files.exists(root.resolve(path));
    }

    /** Names of the directories in a directory, sorted; empty when there is no such directory. */
    public List<String> directories(String path) {
        try (Stream<Path> entries = Files.list(root.resolve(path))) {
            return entries.limit(MAX_ENTRIES)
                    .filter(Files::isDirectory)
                    .map(entry -> entry.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException | SecurityException e) {
            return List.of();
        }
    }

    /** A whole number, or nothing where the text is none. */
    static OptionalLong parse(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
