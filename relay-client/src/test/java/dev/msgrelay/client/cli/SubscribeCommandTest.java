package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.testing.ShortFolders;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class SubscribeCommandTest {
    private static final String REPORT = "Time for \\d+ msg: \\d+; speed: \\d+ msg/s; \\d+\\.\\d MB/s";

    @TempDir(factory = ShortFolders.class)
    private Path directory;

    @Test
    void endsAfterTheCountWithAReportAsInTheArticle() throws Exception {
        ByteBuffer[] frames = new ByteBuffer[25];
        Arrays.setAll(frames, i -> frame(1, "message " + i));
        CommandRun run = subscribe(frames, "--count", "25", "--report-every", "10", "--count-only");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).hasSize(2).allMatch(line -> line.matches(REPORT));
        assertThat(run.err()).contains("\nreceived 25 messages, 240 bytes, ");
    }

    @Test
    void aBatchWithMoreThanTheCountIsCutThere() throws Exception {
        ByteBuffer[] frames = {joined(frame(1, "a"), frame(2, "b"), frame(3, "c"))};
        CommandRun run = subscribe(frames, "--count", "2", "--print");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).containsExactly("type 1, 1 bytes: a", "type 2, 1 bytes: b");
        assertThat(run.err()).contains("\nreceived 2 messages, 2 bytes, ");
    }

    /** Between two ticks of an interval a subscriber is always behind, which is no way to go. */
    @ParameterizedTest
    @CsvSource({
        "--from state, true",
        "--position p, true",
        "'', false",
        "--from state --quiet, false",
        "--from state --interval 10s, false",
        "--position p --interval 1m, false"
    })
    void progressIsToldOnTheWayToTheNewest(String options, boolean isTold) {
        CommandLine all = RelayClientMain.commandLine();
        all.parseArgs(("subscribe " + options).strip().split(" "));
        SubscribeCommand subscribe = all.getSubcommands().get("subscribe").getCommand();
        assertThat(subscribe.tellsProgress()).isEqualTo(isTold);
    }

    @Test
    void printsTextOrHex() throws Exception {
        ByteBuffer[] frames = {
            frame(1, "grüße 😀"), Frames.frame(-2, (byte) 0, (byte) 0xFF), frame(3, ""), frame(4, "\u001b[2J")
        };
        assertThat(subscribe(frames, "--count", "4", "--print").out().lines())
                .containsExactly(
                        "type 1, 12 bytes: grüße 😀",
                        "type -2, 2 bytes, hex: 00ff",
                        "type 3, 0 bytes: ",
                        "type 4, 4 bytes, hex: 1b5b324a");
    }

    @Test
    void aFormatIsPrintedAndNothingElse() throws Exception {
        ByteBuffer[] frames = {Frames.frame(-2, (byte) 0, (byte) 0xFF), frame(3, "ü")};
        CommandRun run = subscribe(frames, "--count", "2", "--format", "%s %t %h %b%%\\n");
        byte[] expected = "0 -2 00ff ..%\n0 3 c3bc ü%\n".getBytes(UTF_8);
        expected[10] = 0;
        expected[11] = (byte) 0xFF;
        assertThat(run.bytes()).isEqualTo(expected);
    }

    @Test
    void rawBodiesAreBytesWithTheDelimiterBehindEach() throws Exception {
        ByteBuffer[] frames = {Frames.frame(1, (byte) 0x80), frame(1, "a"), frame(1, "")};
        assertThat(subscribe(frames, "--count", "3", "--raw").bytes()).isEqualTo(new byte[] {(byte) 0x80, 'a'});
        assertThat(subscribe(frames, "--count", "3", "--raw", "--delimiter", "\\0|")
                        .bytes())
                .isEqualTo(new byte[] {(byte) 0x80, 0, '|', 'a', 0, '|', 0, '|'});
    }

    @Test
    void hexIsForcedAndImpliesPrinting() throws Exception {
        ByteBuffer[] frames = {frame(1, "hi")};
        assertThat(subscribe(frames, "--count", "1", "--hex").out().lines())
                .containsExactly("type 1, 2 bytes, hex: 6869");
    }

    @Test
    void jsonIsOneObjectALine() throws Exception {
        ByteBuffer[] frames = {frame(1, "say \"hi\"\\\t"), Frames.frame(2, (byte) 0x80)};
        CommandRun run = subscribe(frames, "--count", "2", "--json", "--quiet");
        assertThat(run.out().lines())
                .containsExactly(
                        "{\"event\":\"message\",\"type\":1,\"length\":10,\"body\":\"say \\\"hi\\\"\\\\\\t\"}",
                        "{\"event\":\"message\",\"type\":2,\"length\":1,\"base64\":\"gA==\"}");
        CommandRun counted = subscribe(frames, "--count", "2", "--json", "--quiet", "--count-only", "--report-every=2");
        assertThat(counted.out().lines().map(line -> line.replaceAll("\"ms.*", "")))
                .containsExactly(
                        "{\"event\":\"report\",\"messages\":2,\"bytes\":27,",
                        "{\"event\":\"end\",\"messages\":2,\"bytes\":27,");
        assertThat(run.err() + counted.err()).isEmpty();
    }

    @Test
    void aRelayThatClosesEarlyIsAFailureInOneLine() throws Exception {
        ByteBuffer[] frames = {frame(1, "a")};
        CommandRun run = subscribe(frames, "--count", "5", "--quiet");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .endsWith("closed the connection after 1 of 5 messages");
    }

    @Test
    void aRelayThatClosesWithAReasonIsQuoted() throws Exception {
        ByteBuffer[] frames = {frame(1, "a"), ErrorFrame.encode(CloseReason.SLOW_SUBSCRIBER, "64 MiB behind")};
        CommandRun run = subscribe(frames, "--quiet");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .containsExactly(
                        "relay-client subscribe: the relay ended the connection: subscriber too slow: 64 MiB behind");
    }

    @Test
    void aRelayThatClosesInTheMiddleOfAMessageIsAFailure() throws Exception {
        ByteBuffer[] frames = {frame(1, "abc").limit(9)};
        CommandRun run = subscribe(frames, "--quiet");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("in the middle of a frame: 9 of 11 bytes");
    }

    @Test
    void takesAUnixSocketEitherWay() throws Exception {
        try (ScriptedRelay server = ScriptedRelay.unix(directory)) {
            String path = server.endpoint().toString().substring("unix:".length());
            for (String[] where : new String[][] {{"--unix", path}, {"unix:" + path}}) {
                CompletableFuture<CommandRun> run = CommandRun.start("", args(where, "--count", "1", "--print"));
                try (SocketChannel accepted = server.accept().channel()) {
                    Frames.write(accepted, frame(1, "local"));
                    assertThat(run.get(120, TimeUnit.SECONDS).out()).isEqualTo("type 1, 5 bytes: local\n");
                }
            }
        }
    }

    private static CommandRun subscribe(ByteBuffer[] frames, String... options) throws Exception {
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            String[] where = {server.endpoint().toString()};
            CompletableFuture<CommandRun> run = CommandRun.start("", args(where, options));
            try (SocketChannel accepted = server.accept().channel()) {
                for (ByteBuffer frame : frames) {
                    Frames.write(accepted, frame.duplicate());
                }
            }
            return run.get(120, TimeUnit.SECONDS);
        }
    }

    private static String[] args(String[] where, String... options) {
        return Stream.of(new String[] {"subscribe", "--plain", "--reconnect=none"}, where, options)
                .flatMap(Stream::of)
                .toArray(String[]::new);
    }

    private static ByteBuffer frame(int type, String body) {
        return Frames.frame(type, body.getBytes(UTF_8));
    }

    private static ByteBuffer joined(ByteBuffer... frames) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(1000);
        for (ByteBuffer frame : frames) {
            all.put(frame);
        }
        return all.flip();
    }
}
