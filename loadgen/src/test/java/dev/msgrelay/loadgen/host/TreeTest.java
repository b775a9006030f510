package dev.msgrelay.loadgen.host;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what is read from a host's files: each has files of its own, none at first. */
public abstract class TreeTest {
    @TempDir
    protected Path root;

    protected Tree files;

    @BeforeEach
    void aTree() {
        files = new Tree(root);
    }
}
