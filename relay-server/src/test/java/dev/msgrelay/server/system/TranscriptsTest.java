package dev.msgrelay.server.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.testing.scripted.Transcript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The first version of each client is understood for ever: this relay gets the bytes that it sent. */
class TranscriptsTest {
    private static final Path CLIENTS = Path.of("..", "clients");
    private static final Duration LONG = Duration.ofSeconds(120);

    static List<Path> transcripts() throws IOException {
        try (Stream<Path> files = Files.walk(CLIENTS)) {
            return files.filter(file -> file.toString().endsWith(".transcript"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void eachClientHasOne() throws IOException {
        List<Path> found = transcripts();
        try (Stream<Path> folders = Files.list(CLIENTS)) {
            assertThat(folders.filter(folder -> Files.exists(folder.resolve("ci"))))
                    .hasSizeGreaterThanOrEqualTo(6)
                    .allSatisfy(client -> assertThat(found).anyMatch(file -> file.startsWith(client)));
        }
    }

    @ParameterizedTest
    @MethodSource("transcripts")
    void theFirstVersionOfEachClientIsAnsweredAsThen(Path file) throws Exception {
        Transcript transcript = Transcript.read(file);
        assertThat(transcript.connections()).isGreaterThanOrEqualTo(2);
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            transcript.play(Endpoint.of(relay.publish()), Endpoint.of(relay.subscribe()), LONG);
        }
    }

    @Test
    void anotherAnswerIsNoticed() throws Exception {
        Path file = transcripts().get(0);
        Path other = Files.createTempFile("other", ".transcript");
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP)) {
            // "two", said by the relay, was "2wo".
            String text = Files.readString(file);
            int relays = text.indexOf("2 < 0000000100000003");
            Files.writeString(
                    other, text.substring(0, relays) + text.substring(relays).replaceFirst("74776f", "32776f"));
            Transcript wrong = Transcript.read(other);
            assertThatThrownBy(() -> wrong.play(Endpoint.of(relay.publish()), Endpoint.of(relay.subscribe()), LONG))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("2wo");
        } finally {
            Files.delete(other);
        }
    }
}
