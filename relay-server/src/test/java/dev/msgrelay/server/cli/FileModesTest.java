package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Token;
import dev.msgrelay.server.access.TokenHash;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.ShortFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may read what a relay makes, and connect to its sockets, under the umask that most systems have. */
class FileModesTest {
    @TempDir(factory = ShortFolders.class)
    private Path folder;

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private CommandProcess relay(String... args) throws IOException {
        return CommandProcess.startedBy(List.of("sh", "-c", "umask 022; ulimit -n 400; exec \"$@\"", "sh"), all(args));
    }

    private String[] all(String... args) throws IOException {
        String hash = TokenHash.of(Token.of("s3cret")).text();
        Path file = Files.writeString(
                folder.resolve("relay.conf"), "access { a { token = \"" + hash + "\", publish = all } }");
        return Stream.concat(
                        Stream.of(args),
                        Stream.of(
                                "--json",
                                "--quiet",
                                "--pin-size=8m",
                                "--replay-size=4m",
                                "--max-connections=1000",
                                "--journal-segment=4m",
                                "--journal-keep=16m",
                                "--config=" + file))
                .toArray(String[]::new);
    }

    @ConcurrentTest
    void aNewJournalIsNobodyElses() throws Exception {
        Path journal = folder.resolve("j");
        Path publish = folder.resolve("p");
        Path subscribe = folder.resolve("s");
        try (CommandProcess relay = relay(
                "--journal=" + journal,
                "--publish-socket=" + publish,
                "--subscribe-socket=" + subscribe,
                "--socket-mode=0666",
                "--socket-group=" + Files.getAttribute(folder, "unix:gid"))) {
            relay.line(l -> l.contains("\"ready\""));
            assertThat(mode(journal)).isEqualTo("rwxr-x---");
            try (Stream<Path> files = Files.list(journal)) {
                for (Path file : files.toList()) {
                    assertThat(mode(file)).as(file.toString()).isEqualTo("rw-r-----");
                }
            }
            for (Path socket : List.of(publish, subscribe)) {
                assertThat(mode(socket)).isEqualTo("rw-rw-rw-");
            }
            assertThat(relay.log())
                    .noneMatch(l -> l.contains("more users"))
                    .filteredOn(
                            l -> l.contains("ulimit -n is 400, and 1000 connections (--max-connections) may need 1064"))
                    .hasSize(1);
            assertThat(relay.terminate()).isZero();
        }
        assertThat(publish).doesNotExist();
    }

    @Tag("thorough")
    @ConcurrentTest
    void oneThatIsOpenToOthersIsTold() throws Exception {
        Path journal = Files.createDirectory(folder.resolve("j"));
        Files.setPosixFilePermissions(journal, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (CommandProcess relay = relay("--journal=" + journal)) {
            relay.line(l -> l.contains("\"ready\""));
            assertThat(relay.log())
                    .filteredOn(l -> l.contains("journal " + journal + " and 0 of its files are open to more users"))
                    .hasSize(1);
            assertThat(relay.terminate()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, --socket-group=no-such-group, there is no group no-such-group",
        "2, --socket-mode=rw, rw' is not octal",
        "2, --socket-mode=0999, 0999' is not octal"
    })
    void whatCannotBe(int code, String option, String words) throws Exception {
        CommandRun relay = CommandRun.speaking(all("--publish-socket=" + folder.resolve("p"), option))
                .ended(code);
        assertThat(relay.lines()).anyMatch(l -> l.contains("\"event\":\"error\"") && l.contains(words));
    }
}
