package dev.msgrelay.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FleetingFilesTest {
    @TempDir
    private Path temporary;

    private Path root;

    @BeforeEach
    void find() throws IOException {
        root = temporary.toRealPath();
    }

    private SystemTree mounts(String... lines) {
        return new SystemTree(new Tree(root)
                .with("proc/self/mountinfo", String.join("\n", lines))
                .root());
    }

    @ParameterizedTest
    @ValueSource(strings = {"tmpfs", "ramfs", "rootfs"})
    void memoryDoesNotSurviveTheMachine(String kind) {
        SystemTree system = mounts(Tree.mount(Path.of("/"), "ext4"), Tree.mount(root, kind));
        assertThat(FleetingFiles.why(system, root.resolve("journal/stream")))
                .contains("on " + kind + " (" + root + "), which is memory: it does not survive the machine");
    }

    @ParameterizedTest
    @ValueSource(strings = {"overlay", "aufs", "fuse.fuse-overlayfs"})
    void aContainersLayerIsGoneWithIt(String kind) {
        Optional<String> why = FleetingFiles.why(mounts(Tree.mount(Path.of("/"), kind)), root.resolve("journal"));
        assertThat(why.orElseThrow()).startsWith("on " + kind + " (/), ").contains("does not survive the container");
    }

    @ParameterizedTest
    @CsvSource({"ext4", "xfs", "zfs", "nfs4", "fuse.sshfs"})
    void othersLast(String kind) {
        assertThat(FleetingFiles.why(mounts(Tree.mount(root, kind)), root)).isEmpty();
    }

    @Test
    void theInnermostMountCounts() throws IOException {
        Path volume = Files.createDirectories(root.resolve("a volume"));
        SystemTree system = mounts(
                Tree.mount(volume, "ext4"),
                Tree.mount(root, "overlay"),
                Tree.mount(root.resolve("a"), "tmpfs"),
                Tree.mount(root, "tmpfs"));
        assertThat(FleetingFiles.why(system, volume.resolve("journal"))).isEmpty();
        assertThat(FleetingFiles.why(system, root.resolve("ab")).orElseThrow()).startsWith("on tmpfs (" + root + "),");
        Path link = Files.createSymbolicLink(root.resolve("link"), volume);
        assertThat(FleetingFiles.why(system, link.resolve("journal"))).isEmpty();
    }

    @Test
    void nothingIsTold() {
        assertThat(FleetingFiles.why(new SystemTree(root), root)).isEmpty();
        assertThat(FleetingFiles.why(mounts("rubbish", "- tmpfs", ""), root)).isEmpty();
    }
}
