package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                .hasSize(2)
                .last()
                .isEqualTo(
                        "published 4 messages, 25 bytes handed to the kernel; the relay does not tell what it has read");
    }

    @Test
    void publishesPiecesOfAFixedSizeOfAFile() throws Exception {
        Path file = Files.writeString(directory.resolve("in"), "abcdefgh\nij");
        CommandRun run = publish("", "--file", file.toString(), "--chunk", "4", "--type", "0x10", "--quiet");
        assertThat(run.exitCode()).isZero();
        assertThat(got).containsExactly("16:abcd", "16:efgh", "16:\nij");
        assertThat(run.err()).isEmpty();
    }

    /** A directory opens, and its first read fails; so does a terminal that has gone. */
    @Test
    void aStandardInputThatCannotBeReadIsNamed() throws Exception {
        InputStream directory = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("Is a directory");
            }
        };
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            CommandRun run = CommandRun.withInput(
                    directory, "publish", server.endpoint().toString(), "--plain", "--reconnect=none");
            assertThat(run.exitCode()).isOne();
            assertThat(run.err()).endsWith("relay-client publish: cannot read the standard input: Is a directory\n");
        }
    }

    @Test
    void publishesWhatTheCommandLineSays() throws Exception {
        assertThat(publish("not read", "-m", "one", "--message=two\n").exitCode())
                .isZero();
        assertThat(got).containsExactly("1:one", "1:two\n");
    }

    /** A file's name behind @ is as good a text as any. */
    @Test
    void theTextOfAMessageIsTakenAsItIs() throws Exception {
        Path file = Files.writeString(directory.resolve("handle"), "a secret");
        List<String> texts = List.of(
                "@" + file,
                "@@" + file,
                "@" + Files.writeString(directory.resolve("remark"), "# nothing but a remark\n"),
                "@absent",
                "\"quoted\"",
                "'",
                "${user.dir}",
                "$$",
                "%n",
                "a,b=c",
                "=",
                " ",
                "",
                "-",
                "--",
                "-m",
                "--message=x",
                "--ack",
                "--help");
        for (String option : List.of("-m", "--message", "--message=")) {
            got.clear();
            List<String> args = new ArrayList<>();
            for (String text : texts) {
                args.addAll(option.endsWith("=") ? List.of(option + text) : List.of(option, text));
            }
            CommandRun run = publish("", args.toArray(String[]::new));
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got)
                    .containsExactlyElementsOf(
                            texts.stream().map(text -> "1:" + text).toList());
        }
    }

    @Test
    void rawBytesAreCutAtTheDelimiterOnly() throws Exception {
        assertThat(publish("a\r\nb||c|", "--raw", "--delimiter", "\\x7c|").exitCode())
                .isZero();
        assertThat(publish("c----d", "--raw", "--delimiter", "--").exitCode()).isZero();
        assertThat(publish("a\r\nb\n", "--raw").exitCode()).isZero();
        assertThat(publish("", "--raw").exitCode()).isZero();
        assertThat(got).containsExactly("1:a\r\nb", "1:c|", "1:c", "1:", "1:d", "1:a\r\nb\n");
    }

    @Test
    void objectsHaveTheirTypesAndThoseWithoutABodyArePassedOver() throws Exception {
        CommandRun run = publish("""
                {"event":"connected","text":"hi"}
                {"event":"message","sequence":9,"type":7,"length":3,"body":"\\u00fc\\n"}

                {"event":"gap","from":1,"to":2,"code":1}
                {"type":4294967295,"base64":"YQ=="}
                {"body":""}
                """, "--json", "--type", "5");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(got).containsExactly("7:ü\n", "-1:a", "5:");
        assertThat(run.err()).contains("passed over 2 events without a body\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "[1]; is no JSON object",
                "{\"body\":\"x\"; is no JSON object",
                "{\"body\":\"x\"; instead of the end of the line\n",
                "{\"body\"; got the end of the line\n",
                "{\"body\":7}; needs one body",
                "{\"body\":\"\",\"base64\":\"\"}; needs one body",
                "{\"body\":\"\",\"base64\":\"\"}; only one of them may be there",
                "{\"base64\":\"?\"}; has no base64",
                "{\"body\":\"\\ud800\"}; half a surrogate pair",
                "{\"body\":\"\",\"type\":4294967296}; no number of 32 bits",
                "{\"body\":\"\",\"type\":\"7\"}; no number of 32 bits",
                "{\"body\":\"\",\"type\":2147483649}; is reserved",
                "{\"body\":\"123456\"}; over the limit of 5",
                "{\"bdoy\":\"x\"}; has the key 'bdoy' (did you mean 'body'?), and neither 'body' nor 'base64'",
                "{\"typ\":7}; has the key 'typ' (did you mean 'type'?), and neither 'body' nor 'base64'",
                "{\"type\":7}; has neither 'body' nor 'base64'",
                "{\"body\":\"x\",\"typ\":7}; has the key 'typ' (did you mean 'type'?), which no message has",
                "{\"event\":\"message\",\"sequence\":1}; has neither 'body' nor 'base64'",
                "{\"event\":\"gap\",\"form\":1}; has the key 'form' (did you mean 'from'?)",
                "{\"body\":null}; needs one body",
                "{}; has neither 'body' nor 'base64'",
            })
    void anObjectThatIsNoneIsNamedByItsLine(String line, String fault) throws Exception {
        CommandRun run = publish("{\"body\":\"good\"}\n" + line + "\n", "--json", "--max-body", "5");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("relay-client publish: line 2 ").contains(fault);
        assertThat(run.err().indexOf("line 2"))
                .as("in front of the sum")
                .isLessThan(run.err().indexOf("published 1 "));
        assertThat(got).containsExactly("1:good");
        // Counted, and no failure: the user says so.
        CommandRun rest = publish(
                "{\"body\":\"a\"}\n" + line + "\n{\"typ\":7}\n{\"body\":\"b\"}\n",
                "--json",
                "--skip-bad",
                "--max-body",
                "5");
        assertThat(rest.exitCode()).isZero();
        assertThat(rest.err()).contains("passed over 2 wrong lines; the first: line 2 ");
        assertThat(got).containsExactly("1:good", "1:a", "1:b");
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
        assertThat(run.err())
                .endsWith(
                        "published 0 messages, 0 bytes handed to the kernel; the relay does not tell what it has read\n");
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
                    CommandRun.start("hello\n", "publish", server.endpoint().toString(), "--plain", "--reconnect=none");
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
            String[] always = {"publish", server.endpoint().toString(), "--plain", "--reconnect=none"};
            String[] args = Stream.of(always, options).flatMap(Stream::of).toArray(String[]::new);
            CompletableFuture<CommandRun> run = CommandRun.start(stdin, args);
            Frames.serve(
                    server.accept().channel(),
                    (type, body) -> got.add(type + ":" + new String(Frames.copy(body), UTF_8)));
            return run.get(120, TimeUnit.SECONDS);
        }
    }
}
