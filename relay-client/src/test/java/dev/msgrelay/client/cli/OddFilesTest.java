package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.testing.OddFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where a context, a token or a publisher's state should be lies a pipe, a device, or something without an end. */
@Timeout(60)
class OddFilesTest {
    @TempDir
    private Path folder;

    private Path pipe;
    private Path sparse;

    @BeforeEach
    void makeThem() throws Exception {
        pipe = folder.resolve("pipe");
        OddFiles.pipe(pipe);
        sparse = folder.resolve("sparse");
        try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(8L << 30);
        }
    }

    @Test
    void anInputThatCannotBeRead() {
        CommandRun run = CommandRun.withInput(
                new InputStream() {
                    @Override
                    public int available() throws IOException {
                        throw new IOException("Bad file descriptor");
                    }

                    @Override
                    public int read() throws IOException {
                        throw new IOException("Bad file descriptor");
                    }
                },
                "publish",
                "1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("relay-client publish: cannot read the standard input: Bad file descriptor\n");
    }

    @Test
    void asAToken() {
        for (String[] odd : new String[][] {
            {pipe.toString(), "it is a pipe: give a file"},
            {"/dev/null", "it is empty"},
            {"/dev/zero", "it is a device: give a file"},
            {sparse.toString(), "8589934592 bytes are over the limit of 4096"}
        }) {
            CommandRun publish = CommandRun.of("publish", "--token-file=" + odd[0]);
            assertThat(publish.err())
                    .isEqualTo("relay-client publish: " + odd[0] + " holds no token: " + odd[1] + "\n");
            CommandRun top = CommandRun.of("top", "--token-file=" + odd[0]);
            assertThat(top.err()).isEqualTo("relay-client top: " + odd[0] + " holds no token: " + odd[1] + "\n");
        }
    }

    @Test
    void asAContext() throws Exception {
        Map<String, String> environment = Map.of("XDG_CONFIG_HOME", folder.toString());
        Path contexts = Files.createDirectory(folder.resolve("relay-client"));
        Files.createSymbolicLink(contexts.resolve("a.conf"), pipe);
        Files.createSymbolicLink(contexts.resolve("b.conf"), sparse);
        assertThatThrownBy(() -> Context.read("a", environment))
                .hasMessage("context a: " + contexts.resolve("a.conf") + " cannot be read: it is a pipe: give a file");
        assertThatThrownBy(() -> Context.read("b", environment))
                .hasMessage("context b: " + contexts.resolve("b.conf")
                        + " cannot be read: 8589934592 bytes are over the limit of 65536");
    }

    @Test
    void asAState() throws Exception {
        for (Path odd : new Path[] {pipe, sparse}) {
            Path states = folder.resolve("states-" + odd.getFileName());
            PublisherState.open(states, "n").close();
            Files.move(odd, states.resolve("n.publisher"), StandardCopyOption.REPLACE_EXISTING);
            assertThatThrownBy(() -> PublisherState.open(states, "n"))
                    .hasMessageStartingWith(states.resolve("n.publisher") + " cannot be read: ");
        }
    }
}
