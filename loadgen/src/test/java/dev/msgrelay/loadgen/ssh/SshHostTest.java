package dev.msgrelay.loadgen.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.site.HostSite;
import dev.msgrelay.loadgen.site.Site;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is done on another host, with a command in place of ssh that does it here. Thorough, as second hosts are to go. */
@Tag("thorough")
class SshHostTest {
    @TempDir
    private Path directory;

    private final List<String> told = new ArrayList<>();
    private Path ours;

    @BeforeEach
    void writeJar() throws IOException {
        ours = TestJar.write(directory);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void theJarIsCopiedOnceAndOldOnesGo() throws Exception {
        Path cache = Files.createDirectories(directory.resolve("relay-loadgen"));
        Path old = Files.createFile(cache.resolve("loadgen-0123456789abcdef.jar"));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(9))));
        Path used = Files.createFile(cache.resolve("loadgen-fedcba9876543210.jar"));
        Path other = Files.createFile(cache.resolve("notes"));
        Files.setLastModifiedTime(other, FileTime.from(Instant.now().minus(Duration.ofDays(9))));
        SshHost host = prepare("");
        Path copy = Path.of(host.jar());
        assertThat(copy).hasParentRaw(cache).hasSameBinaryContentAs(ours);
        assertThat(copy.getFileName().toString()).matches("loadgen-[0-9a-f]{16}\\.jar");
        assertThat(files(cache)).containsExactlyInAnyOrder(copy, used, other);
        assertThat(prepare("")).isEqualTo(host);
        assertThat(told).hasSize(2);
        assertThat(told.get(0)).matches("second: Java \\S+; copying loadgen \\(\\d+\\.\\d MB\\) to " + copy);
        assertThat(told.get(1)).matches("second: Java \\S+; loadgen is there: " + copy);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void halfAJarIsNone() throws Exception {
        // What is copied to this host ends before its end.
        String cut = "case $3 in *'cat >'*) head -c 100 | sh -c \"$3\"; exit;; esac";
        assertThatThrownBy(() -> prepare(cut))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("second: the copy \\S+/relay-loadgen/loadgen-\\S+ is not complete");
        assertThat(files(directory.resolve("relay-loadgen"))).isEmpty();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatAShellSaysWhenItStartsIsNotTakenForAnAnswer() throws Exception {
        String greeting = "echo 'Welcome to second!'; echo 'relay-loadgen:'; echo warning >&2";
        SshHost host = prepare(greeting);
        assertThat(doctorVersion(host)).startsWith("loadgen ").doesNotContain("Welcome");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aShellThatSaysTooMuchIsLeft() throws Exception {
        SshHost host = prepare("case $3 in *' pid '*) exec yes;; esac");
        assertThatThrownBy(() -> host.start(program("-V")))
                .hasMessage("second: its shell said more than 65536 bytes and no process id");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aHostWithoutJavaIsNamed() {
        assertThatThrownBy(() -> SshHost.prepare(FakeSsh.in(directory, ""), "/no/java", ours, told::add))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "second: '/no/java' is no Java that starts there: install a JDK 17 or newer there, or name its"
                                + " java by --host-java");
        assertThat(told).isEmpty();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({"1.8.0_292, false", "11.0.2, false", "16, false", "17, true", "21-ea, true", "25.0.1, true"})
    void javaHasToBeNewEnough(String version, boolean enough) throws Exception {
        Path java = Files.writeString(
                directory.resolve("java"),
                "#!/bin/sh\necho 'Picked up JAVA_TOOL_OPTIONS: -Dx=y' >&2\necho 'openjdk version \"" + version
                        + "\" 2021-04-20' >&2\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Ssh ssh = FakeSsh.in(directory, "");
        if (enough) {
            SshHost.prepare(ssh, java.toString(), ours, told::add);
            assertThat(told.get(0)).startsWith("second: Java " + version + "; ");
        } else {
            assertThatThrownBy(() -> SshHost.prepare(ssh, java.toString(), ours, told::add))
                    .hasMessageStartingWith(
                            "second: '" + java + "' there is version " + version + ": install a JDK 17");
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aHostThatCannotBeReachedIsToldInTheWordsOfSsh() throws Exception {
        String refused = "echo 'ssh: connect to host second port 22: Connection refused' >&2; exit 255";
        assertThatThrownBy(() -> prepare(refused))
                .isInstanceOf(IOException.class)
                .hasMessage("second: ssh: connect to host second port 22: Connection refused (by hand: "
                        + directory.resolve("fake-ssh") + " second true)");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aConnectionThatFailsLaterLikewise() throws Exception {
        SshHost host = prepare("case $3 in *' pid '*) echo 'Connection reset by peer' >&2; exit 255;; esac");
        assertThatThrownBy(() -> host.start(program("-V"))).hasMessage("second: Connection reset by peer");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aLineThatNobodyCouldKeepEndsTheProcess() throws Exception {
        SshHost host = prepare("case $3 in *' pid '*) sh -c \"$3\"; exec cat /dev/zero;; esac");
        SshProcess process = host.start(program("-V"));
        try {
            long read = 0;
            byte[] bytes = new byte[1 << 16];
            int count;
            while ((count = process.getInputStream().read(bytes)) >= 0) {
                read += count;
            }
            assertThat(read).isLessThanOrEqualTo(33L << 20);
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(new String(process.getErrorStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("ended here: it said a line of more than 32 MiB\n");
        } finally {
            process.destroyForcibly();
        }
    }

    private SshHost prepare(String first) throws IOException, InterruptedException {
        return SshHost.prepare(FakeSsh.in(directory, first), HostSite.java(), ours, told::add);
    }

    private static String doctorVersion(SshHost host) throws IOException, InterruptedException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertThat(host.run(program("-V"), new PrintWriter(out), new PrintWriter(err)))
                .as(err.toString())
                .isZero();
        return out.toString();
    }

    private static Site.JavaProgram program(String... args) {
        return new Site.JavaProgram(
                List.of("-XX:+UseSerialGC", "-Xmx64m"), "dev.msgrelay.loadgen.cli.LoadgenMain", List.of(args));
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
