package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are there, and that the command's user may not read: one line names the file, and why. */
class UnreadableFilesTest {
    /** Takes from root what lets it read everything: then a file's own permissions count, as for any other user. */
    private static final List<String> AS_OTHERS = List.of(
            "setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search");

    private static List<String> before = List.of();

    /** A process that has ended. */
    private record Ran(int exitCode, String said) {}

    @TempDir
    private Path folder;

    @BeforeAll
    static void mayNotReadEverything(@TempDir Path other) throws Exception {
        Path file = hidden(other.resolve("file"));
        if (reads(List.of(), file)) {
            before = AS_OTHERS;
        }
        boolean all = !before.isEmpty() && reads(before, file);
        if (all) {
            System.out.println("UnreadableFilesTest skipped: this user reads everything, and setpriv does not help");
        }
        assumeThat(all).as("everything can be read here").isFalse();
    }

    /** Whether a process that is started so can read it; also where it cannot be started so. */
    private static boolean reads(List<String> before, Path file) throws Exception {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of("cat", file.toString()));
        try {
            // 1 is cat's own word for what it cannot read.
            return run(new ProcessBuilder(command)).exitCode() != 1;
        } catch (IOException noSuchCommand) {
            return true;
        }
    }

    private static Path hidden(Path file) throws IOException {
        Files.writeString(file, "x");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
    }

    private static Ran run(ProcessBuilder builder) throws Exception {
        Process process = builder.redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            // It says a line or two, which the pipe holds.
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).as("it ends").isTrue();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Ran(process.exitValue(), said);
        } finally {
            process.destroyForcibly();
        }
    }

    private void refused(String line, String... args) throws Exception {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                RelayClientMain.class.getName()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("XDG_CONFIG_HOME", folder.toString());
        Ran ran = run(builder);
        assertThat(ran.said().lines()).contains("relay-client " + args[0] + ": " + line);
        assertThat(ran.exitCode()).isEqualTo(1);
    }

    @Test
    void eachIsNamed() throws Exception {
        Path file = hidden(folder.resolve("unreadable"));
        refused("cannot read " + file + ": permission denied", "publish", "--file=" + file);
        // It is connected to, and nobody answers: what is wrong is on this side.
        try (ServerSocket relay = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            String endpoint = "127.0.0.1:" + relay.getLocalPort();
            for (String command : List.of("publish", "subscribe")) {
                refused("cannot read the token: " + file + ": permission denied", command, "--token-file=" + file);
                refused("may not read " + file, command, "--tls-ca=" + file, endpoint);
            }
        }
        Path context =
                hidden(Files.createDirectory(folder.resolve("relay-client")).resolve("home.conf"));
        refused("context home: " + context + ": permission denied", "subscribe", "--context=home");
    }
}
