package dev.msgrelay.server.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The files in which Linux describes the system, such as /proc, below a root that a test may choose. */
public class SystemTree {
    /** The largest number of bytes that are read from a file: enough for 6,000 sockets, or hundreds of cores. */
    private static final int MAX_BYTES = 1 << 20;

    private static final int MAX_ENTRIES = 4_096;

    private final Path root;

    public SystemTree(Path root) {
        this.root = root;
    }

    public static SystemTree ofThisHost() {
        return new SystemTree(Path.of("/"));
    }

    public static SystemTree proc() {
        return new SystemTree(Path.of("/proc"));
    }

    /** A file's content, stripped; empty if the file is missing or unreadable. {@code path} has no leading slash. */
    public Optional<String> text(String path) {
        try (InputStream in = Files.newInputStream(root.resolve(path))) {
            String text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8).strip();
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        } catch (IOException | SecurityException e) {
            return Optional.empty();
        }
    }

    /** The rest of the first line that begins with {@code key} and a colon or white space. */
    public Optional<String> field(String path, String key) {
        return text(path).flatMap(text -> text.lines()
                .filter(line -> line.startsWith(key) && line.length() > key.length())
                .filter(line -> " \t:".indexOf(line.charAt(key.length())) >= 0)
                .map(line -> line.substring(key.length())
                        .replaceFirst("^[\\s:]+", "")
                        .strip())
                .findFirst());
    }

    /** A soft limit of this process, such as {@code Max open files}; empty if it is unlimited or unknown. */
    public OptionalLong processLimit(String name) {
        try {
            return field("proc/self/limits", name).stream()
                    .mapToLong(soft -> Long.parseLong(soft.replaceFirst("\\s.*", "")))
                    .findFirst();
        } catch (NumberFormatException unlimited) {
            return OptionalLong.empty();
        }
    }

    /** Names in a directory, sorted; empty if there is no such directory. */
    public List<String> names(String path) {
        try (Stream<Path> entries = Files.list(root.resolve(path))) {
            return entries.limit(MAX_ENTRIES)
                    .map(entry -> entry.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException | RuntimeException e) {
            return List.of();
        }
    }

    /** The target of a symbolic link; empty if there is no such link, or reading it is forbidden. */
    public Optional<String> link(String path) {
        try {
            return Optional.of(Files.readSymbolicLink(root.resolve(path)).toString());
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }
}
