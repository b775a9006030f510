package dev.msgrelay.client.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@code subscribe} prints {@code publish} takes: the same messages come out again, byte for byte. */
class RoundTripTest {
    private RelayServer relay;

    @BeforeEach
    void start() throws IOException {
        relay = RelayServer.start(RelayConfig.builder(0, 0).build());
    }

    @AfterEach
    void stop() {
        relay.close();
    }

    /** No text, all of ASCII, nothing, what JSON escapes, more than one read. */
    @Test
    void framesAndObjectsKeepTypesAndBytes() {
        byte[] frames = frames(
                0,
                random(1000),
                1,
                ascii(),
                -2,
                new byte[0],
                Integer.MAX_VALUE,
                "ü\u2028\uFEFF\u202E\uD83D\uDE00\uDB40\uDC01\"\\".getBytes(UTF_8),
                Integer.MIN_VALUE + 256,
                random(300_000));
        publish(frames, "--frames");
        CommandRun asFrames = subscribe("--from=earliest", "--frames");
        assertThat(asFrames.bytes()).isEqualTo(frames);
        publish(asFrames.bytes(), "--frames");
        assertThat(subscribe("--from=6", "--frames").bytes()).isEqualTo(frames);
        publish(subscribe("--from=6", "--json").bytes(), "--json");
        assertThat(subscribe("--from=11", "--frames").bytes()).isEqualTo(frames);
        assertThat(subscribe("--from=11", "--json", "--quiet").out().replaceAll("\"sequence\":\\d+", ""))
                .isEqualTo(subscribe("--from=earliest", "--until=5", "--json", "--quiet")
                        .out()
                        .replaceAll("\"sequence\":\\d+", ""));
    }

    @Test
    void rawKeepsBodiesThatHaveNoDelimiter() {
        byte[] body = random(10_000);
        for (int i = 0; i < body.length; i++) {
            body[i] = body[i] == '|' ? (byte) '\n' : body[i];
        }
        byte[] raw = new byte[body.length + 4];
        System.arraycopy("|a|".getBytes(UTF_8), 0, raw, 0, 3);
        System.arraycopy(body, 0, raw, 3, body.length);
        raw[raw.length - 1] = '|';
        publish(raw, "--raw", "--delimiter=|");
        assertThat(subscribe("--from=earliest", "--format=%s ").out()).isEqualTo("1 2 3 ");
        CommandRun printed = subscribe("--from=earliest", "--raw", "--delimiter=|");
        assertThat(printed.bytes()).isEqualTo(raw);
        publish(printed.bytes(), "--raw", "--delimiter=|");
        assertThat(subscribe("--from=4", "--raw", "--delimiter=|").bytes()).isEqualTo(raw);
    }

    @Test
    void theMessagesOfTheCommandLineAreRepeated() {
        publish(new byte[0], "-m", "a", "-m", "b", "--repeat=3");
        assertThat(subscribe("--from=earliest", "--format=%s:%b ").out()).isEqualTo("1:a 2:b 3:a 4:b 5:a 6:b ");
    }

    private static byte[] frames(Object... typesAndBodies) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < typesAndBodies.length; i += 2) {
            ByteBuffer frame = Frames.frame((Integer) typesAndBodies[i], (byte[]) typesAndBodies[i + 1]);
            all.writeBytes(frame.array());
        }
        return all.toByteArray();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] ascii() {
        byte[] ascii = new byte[128];
        for (int i = 0; i < ascii.length; i++) {
            ascii[i] = (byte) i;
        }
        return ascii;
    }

    private void publish(byte[] stdin, String... options) {
        String endpoint = Endpoint.of(relay.publishAddress()).toString();
        CommandRun run = CommandRun.withInput(
                stdin,
                Stream.concat(Stream.of("publish", endpoint), Stream.of(options))
                        .toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private CommandRun subscribe(String... options) {
        String endpoint = Endpoint.of(relay.subscribeAddress()).toString();
        boolean ends = Stream.of(options).anyMatch(option -> option.startsWith("--until"));
        CommandRun run = CommandRun.of(
                Stream.concat(Stream.of("subscribe", endpoint, ends ? "--name=x" : "--until=head"), Stream.of(options))
                        .toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }
}
