package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Site;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a killed process leaves is removed by the next one, and nothing else is. */
class RunDirectoryTest {
    private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(120);

    @TempDir
    private Path parent;

    @Test
    void goesWithAllThatIsInIt() throws Exception {
        RunDirectory directory = RunDirectory.in(parent);
        Files.createFile(directory.socket("publish"));
        Files.createFile(directory.pem("key"));
        directory.close();
        assertThat(parent).isEmptyDirectory();
        directory.close();
    }

    @Test
    void isLeftAloneWhileItsProcessLivesAndRemovedAfterwards() throws Exception {
        try (Children children = new Children();
                RunDirectory own = RunDirectory.in(parent)) {
            Child owner = children.start(
                    Site.HERE,
                    "owner",
                    new Site.JavaProgram(List.of(), Owner.class.getName(), List.of(parent.toString())));
            Path socket = Path.of(owner.await("has", SAY_NANOS).path("socket").asString(""));
            own.sweep();
            assertThat(socket).exists();
            owner.kill();
            assertThat(owner.awaitExit(120_000)).isTrue();
            own.sweep();
            assertThat(socket.getParent()).doesNotExist();
            assertThat(own.socket("x").getParent()).exists();
        }
    }

    @Test
    void whatIsNoneStays() throws Exception {
        Path unlocked = directory("loadgen1", null);
        Path justBegun = directory("loadgen2", "");
        Path otherName = directory("loadgen-results", "loadgen 1");
        Path withMore = directory("loadgen3", "loadgen 1");
        Path more = Files.createFile(withMore.resolve("results.json"));
        Path elsewhere = directory("elsewhere", "loadgen 1");
        Path link = Files.createSymbolicLink(parent.resolve("loadgen4"), elsewhere);
        try (RunDirectory own = RunDirectory.in(parent);
                RunDirectory second = RunDirectory.in(parent)) {
            own.sweep();
            assertThat(second.socket("x").getParent()).as("of this process").exists();
        }
        assertThat(unlocked).exists();
        assertThat(justBegun).exists();
        assertThat(otherName).exists();
        assertThat(more).exists();
        assertThat(link).exists();
        assertThat(elsewhere.resolve(RunDirectory.LOCK)).exists();
    }

    private Path directory(String name, String lock) throws Exception {
        Path directory = Files.createDirectory(parent.resolve(name));
        if (lock != null) {
            Files.writeString(directory.resolve(RunDirectory.LOCK), lock);
        }
        return directory;
    }

    /** A process that has such a directory and waits. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] args) throws Exception {
            RunDirectory directory = RunDirectory.in(Path.of(args[0]));
            Path socket = Files.createFile(directory.socket("x"));
            System.out.println("{\"event\":\"has\",\"socket\":\"" + socket + "\"}");
            System.out.flush();
            if (System.in.read() < 0) {
                directory.close();
            }
        }
    }
}
