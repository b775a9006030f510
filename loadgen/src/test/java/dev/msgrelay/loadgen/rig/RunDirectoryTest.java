package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Site;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory goes with all that is in it, when it is closed and when its process is killed. */
class RunDirectoryTest {
    private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(120);

    @TempDir
    private Path parent;

    @Test
    void goesWithAllThatIsInIt() throws Exception {
        Path beside = Files.createDirectory(parent.resolve("loadgen1"));
        RunDirectory directory = RunDirectory.in(parent);
        Files.createFile(directory.socket("publish"));
        Files.createFile(directory.pem("key"));
        Files.createFile(directory.data().resolve("journal"));
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.socket("x").getParent())))
                .isEqualTo("rwx------");
        directory.close();
        assertThat(parent).isDirectoryNotContaining(path -> !path.equals(beside));
        directory.close();
    }

    @Test
    void goesAlsoWhereTheThreadIsInterrupted() throws Exception {
        RunDirectory directory = RunDirectory.in(parent);
        Thread.currentThread().interrupt();
        directory.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void staysWhileItsProcessLivesAndGoesWhenThatIsKilled() throws Exception {
        try (Children children = new Children()) {
            Child owner = children.start(
                    Site.HERE,
                    "owner",
                    new Site.JavaProgram(List.of(), Owner.class.getName(), List.of(parent.toString())));
            Path socket = Path.of(owner.await("has", SAY_NANOS).path("socket").asString(""));
            assertThat(socket).exists();
            owner.kill();
            long deadline = System.nanoTime() + SAY_NANOS;
            while (Files.exists(socket.getParent()) && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(parent).isEmptyDirectory();
        }
    }

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
