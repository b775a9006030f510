package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the client says about a secret that stands where something else should, and what marks and line ends do. */
class SecretWordsTest {
    private static final String TOKEN = "x7Jm0qD2n5Y1sV8rT4wL9bKcZ3hGfEaQoPiUuXyNtM6";

    @TempDir
    Path folder;

    private Path contexts;

    @BeforeEach
    void makeFolder() throws IOException {
        contexts = Files.createDirectory(folder.resolve("relay-client"));
    }

    @Test
    void aTokenInThePlaceOfItsFile() {
        for (String command : new String[] {"publish", "subscribe"}) {
            CommandRun run = CommandRun.of(command, "--token-file=" + TOKEN, "127.0.0.1:1");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("cannot read the token: no file ").doesNotContain(TOKEN);
        }
        assertThat(CommandRun.of("top", "--token-file=" + TOKEN, "127.0.0.1:1").err())
                .contains("cannot read (its name is not shown")
                .doesNotContain(TOKEN);
    }

    @Test
    void aTokenBehindAnOptionThatThereIsNot() {
        CommandRun run = CommandRun.of("publish", "--token=" + TOKEN);
        assertThat(run.err())
                .startsWith("relay-client publish: Unknown option: '--token' (did you mean '--token-file'?)\n");
        assertThat(CommandRun.of("top", "127.0.0.1:1", "--token", TOKEN).err()).doesNotContain(TOKEN);
    }

    @Test
    void aTokenWithAMarkIsTheSame() throws Exception {
        assertThat(SessionOptions.readTokenFile(write("token", "\uFEFF" + TOKEN + "\r\n")))
                .isEqualTo(TOKEN);
        Path wide = Files.write(folder.resolve("wide"), TOKEN.getBytes(StandardCharsets.UTF_16));
        assertThatThrownBy(() -> SessionOptions.readTokenFile(wide))
                .isInstanceOf(IOException.class)
                .hasMessage(wide + " holds no token: it is not UTF-8, but UTF-16 or no text: save it as UTF-8");
    }

    @Test
    void aTokenThatEveryUserCanReadIsWarnedOf() throws Exception {
        Path wide = write("token", TOKEN);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(wide, PosixFilePermissions.fromString("rw-r--r--"));
        try (TestProcess client = TestProcess.java(
                RelayClientMain.class.getName(),
                "subscribe",
                "--token-file=" + wide,
                "--reconnect=none",
                "127.0.0.1:1")) {
            assertThat(client.awaitExit()).isNotZero();
            assertThat(client.errors())
                    .contains("relay-client: WARN " + wide
                            + " is a secret that every user of this host can read: chmod o= " + wide);
        }
    }

    @Test
    void aContextWithAMarkSaysTheSame() throws Exception {
        for (String text : new String[] {
            "publish = a:1\nsubscribe = b:2\n",
            "\uFEFFpublish = a:1\r\nsubscribe = b:2\r\n",
            "\uFEFFpublish = a:1\rsubscribe = b:2\r"
        }) {
            write("relay-client/home.conf", text);
            Context context = Context.read("home", Map.of("XDG_CONFIG_HOME", folder.toString()));
            assertThat(context.values()).isEqualTo(Map.of("publish", "a:1", "subscribe", "b:2"));
        }
    }

    @Test
    void aContextThatIsNoTextSaysWhichLine() throws Exception {
        Path file = Files.write(contexts.resolve("home.conf"), new byte[] {'#', '\n', '#', (byte) 0xFF, '\n'});
        assertThatThrownBy(() -> Context.read("home", Map.of("XDG_CONFIG_HOME", folder.toString())))
                .hasMessage("context home: " + file + " cannot be read: it is not UTF-8 in line 2");
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }
}
