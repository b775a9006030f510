package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.HiddenFiles;
import dev.msgrelay.testing.TestProcess;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are there, and that the command's user may not read: one line names the file, and why. */
class UnreadableFilesTest {
    private static List<String> before;

    @TempDir
    private Path folder;

    @BeforeAll
    static void mayNotReadEverything(@TempDir Path other) throws Exception {
        before = HiddenFiles.prefix(other);
    }

    private void refused(String line, String... args) throws Exception {
        List<String> command = TestProcess.javaCommand(RelayClientMain.class.getName(), args);
        command.addAll(0, before);
        try (TestProcess client = new TestProcess(command, Map.of("XDG_CONFIG_HOME", folder.toString()))) {
            client.writeInput("");
            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.errors()).contains("relay-client " + args[0] + ": " + line);
        }
    }

    @Test
    void eachIsNamed() throws Exception {
        Path file = HiddenFiles.hide(Files.createFile(folder.resolve("unreadable")));
        refused("cannot read " + file + ": permission denied", "publish", "--file=" + file);
        // It is connected to, and nobody answers: what is wrong is on this side.
        try (ServerSocket relay = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            String endpoint = "127.0.0.1:" + relay.getLocalPort();
            refused("cannot read the token: " + file + ": permission denied", "publish", "--token-file=" + file);
            refused("may not read " + file, "subscribe", "--tls-ca=" + file, endpoint);
        }
        Path context = HiddenFiles.hide(Files.createFile(
                Files.createDirectory(folder.resolve("relay-client")).resolve("home.conf")));
        refused("context home: " + context + ": permission denied", "subscribe", "--context=home");
    }
}
