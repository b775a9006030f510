package dev.msgrelay.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemTreeTest {
    @TempDir
    private Path root;

    private Tree files;

    @BeforeEach
    void aTree() {
        files = new Tree(root);
    }

    @Test
    void textIsStrippedAndWhatIsNotThereIsEmpty() {
        SystemTree tree =
                new SystemTree(files.with("a/b", " 12 \n").with("a/empty", "").root());
        assertThat(tree.text("a/b")).contains("12");
        assertThat(tree.text("a/empty")).isEmpty();
        assertThat(tree.text("a/none")).isEmpty();
        assertThat(tree.text("a")).as("a directory").isEmpty();
    }

    @Test
    void aFieldIsTheFirstLineWithThatKeyAndNoLongerOne() {
        SystemTree tree = new SystemTree(files.with("f", "flagship : no\nflags\t\t: fpu vme\nflags : second\nbare")
                .root());
        assertThat(tree.field("f", "flags")).contains("fpu vme");
        assertThat(tree.field("f", "flag")).isEmpty();
        assertThat(tree.field("f", "bare")).isEmpty();
        assertThat(tree.field("none", "flags")).isEmpty();
    }

    @Test
    void noMoreThanABoundIsRead() {
        SystemTree tree = new SystemTree(files.with("big", "x".repeat(3 << 20)).root());
        assertThat(tree.text("big").orElseThrow()).hasSize(1 << 20);
    }

    @Test
    void directoriesAreSortedAndFilesAreNone() {
        SystemTree tree = new SystemTree(files.with("net/lo/mtu", "1")
                .with("net/eth0/mtu", "1")
                .with("net/file", "1")
                .root());
        assertThat(tree.names("net")).containsExactly("eth0", "file", "lo");
        assertThat(tree.names("none")).isEmpty();
    }

    @Test
    void aLinkIsWhatItPointsTo() throws Exception {
        Files.createSymbolicLink(root.resolve("net"), Path.of("net:[4026531840]"));
        assertThat(new SystemTree(root).link("net")).contains("net:[4026531840]");
        assertThat(new SystemTree(root).link("none")).isEmpty();
    }
}
