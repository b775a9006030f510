package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishCommandTest {
    @TempDir
    private Path directory;

    private final List<String> got = new ArrayList<>();

    @Test
    void publishesEachLineOfStdin() throws Exception {
        CommandRun run = publish("one\ntwo\r\n\nlast without an end");
        assertThat(run.exitCode()).isZero();
        assertThat(got).containsExactly("1:one", "1:two", "1:", "1:last without an end");
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("published 4 messages, 57 of 57 bytes sent to 127.0.0.1:");
    }

    @Test
    void publishesPiecesOfAFixedSizeOfAFile() throws Exception {
        Path file = Files.writeString(directory.resolve("in"), "abcdefgh\nij");
        CommandRun run = publish("", "--file", file.toString(), "--chunk", "4", "--type", "0x10", "--quiet");
        assertThat(run.exitCode()).isZero();
        assertThat(got).containsExactly("16:abcd", "16:efgh", "16:\nij");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void takesAHexadecimalTypeWithTheHighestBitSet() throws Exception {
        publish("x", "--type", "0xFFFFFFFF");
        assertThat(got).containsExactly("-1:x");
    }

    @Test
    void aRateIsASchedule() throws Exception {
        long start = System.nanoTime();
        assertThat(publish("a\nb\nc\n", "--rate", "20").exitCode()).isZero();
        // The third is due 100 ms after the first.
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(got).hasSize(3);
    }

    @Test
    void nothingToPublishIsNoFailure() throws Exception {
        CommandRun run = publish("");
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).startsWith("published 0 messages, 0 of 0 bytes");
    }

    @Test
    void aLineOverTheLimitIsNamedAndWhatCameBeforeIsSent() throws Exception {
        CommandRun run = publish("short\nmuch too long\n", "--max-body", "5");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(got).containsExactly("1:short");
        assertThat(run.err()).contains("line 2 ").contains("limit of 5");
    }

    @Test
    void aRelayThatRefusesIsQuoted() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            CompletableFuture<CommandRun> running =
                    CommandRun.start("hello\n", "publish", server.endpoint().toString());
            try (SocketChannel accepted = server.accept().channel()) {
                Frames.readAll(accepted, (type, body) -> {});
                Frames.write(accepted, ErrorFrame.encode(CloseReason.OVERSIZED_LENGTH, "5 over 4"));
            }
            CommandRun run = running.get(120, TimeUnit.SECONDS);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .contains("relay-client publish: the relay ended the connection: oversized length: 5 over 4");
        }
    }

    private CommandRun publish(String stdin, String... options) throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            String[] args = new String[2 + options.length];
            args[0] = "publish";
            args[1] = server.endpoint().toString();
            System.arraycopy(options, 0, args, 2, options.length);
            CompletableFuture<CommandRun> run = CommandRun.start(stdin, args);
            Frames.serve(
                    server.accept().channel(),
                    (type, body) -> got.add(type + ":" + new String(Frames.copy(body), UTF_8)));
            return run.get(120, TimeUnit.SECONDS);
        }
    }
}
