package dev.msgrelay.loadgen.bound;

import java.util.List;
import java.util.Optional;

/** Where samples come from: the files of /proc, or what a test has recorded of them. One thread. */
public interface SampleSource {
    /**
     * A file's content; empty when it is not there (any more), or may not be read.
     *
     * @param path below /proc, without a leading slash: {@code "1234/net/tcp"}
     */
    Optional<String> text(String path);

    /** Names in a directory, in no order; empty when it is not there (any more). */
    List<String> names(String path);

    /** Where a symbolic link points to; empty when it is not there, or may not be read. */
    Optional<String> link(String path);
}
