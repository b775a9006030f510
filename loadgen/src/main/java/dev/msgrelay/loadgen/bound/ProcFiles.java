package dev.msgrelay.loadgen.bound;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** /proc of this host, or a copy of it; a test may have it change. Immutable. */
public class ProcFiles {
    /** About 6,000 sockets: a host with more of them would only make samples slow. */
    private static final int MAX_BYTES = 1 << 20;

    private static final int MAX_NAMES = 4_096;

    private final Path root;

    /** @param root what stands for /proc */
    public ProcFiles(Path root) {
        this.root = root;
    }

    public static ProcFiles ofThisHost() {
        return new ProcFiles(Path.of("/proc"));
    }

    /**
     * A file's content; empty when it is not there (any more), or may not be read.
     *
     * @param path below /proc, without a leading slash: {@code "1234/net/tcp"}
     */
    public Optional<String> text(String path) {
        try (InputStream in = Files.newInputStream(root.resolve(path))) {
            return Optional.of(new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII));
        } catch (IOException | SecurityException e) {
            return Optional.empty();
        }
    }

    /** Names in a directory, in no order; empty when it is not there (any more). */
    public List<String> names(String path) {
        List<String> names = new ArrayList<>();
        try (Stream<Path> entries = Files.list(root.resolve(path))) {
            entries.limit(MAX_NAMES)
                    .forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException | RuntimeException e) {
            return List.of();
        }
        return names;
    }

    /** Where a symbolic link points to; empty when it is not there, or may not be read. */
    public Optional<String> link(String path) {
        try {
            return Optional.of(Files.readSymbolicLink(root.resolve(path)).toString());
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }
}
