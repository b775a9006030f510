package dev.msgrelay.loadgen.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
    private static final Results FULL = MadeUp.full();
    private static final String TEXT = Json.text(FULL);

    /** Without the indentation, so that fields can be named as they stand. */
    private static final String COMPACT =
            TEXT.replaceAll("\n *", "").replace("\" : ", "\":").replaceAll("(?<=[\\[{]) | (?=[\\]}])", "");

    @TempDir
    private Path directory;

    @Test
    void whatIsWrittenIsRead() throws Exception {
        assertThat(Json.read(write(TEXT))).isEqualTo(FULL);
        assertThat(Json.read(write(COMPACT))).isEqualTo(FULL);
        assertThat(Json.read(write(Json.text(MadeUp.empty())))).isEqualTo(MadeUp.empty());
    }

    @Test
    void aDirectoryOfResultsIsReadToo() throws Exception {
        Files.writeString(directory.resolve("results.json"), Json.text(MadeUp.empty()));
        assertThat(Json.read(directory)).isEqualTo(MadeUp.empty());
    }

    @Test
    void whatProgramsReadIsThere() {
        assertThat(TEXT)
                .contains(
                        "\"schemaVersion\" : 3",
                        "\"label\" : \"10gbe (emulated)\"",
                        "\"kind\" : \"stood_still\"",
                        "\"environment\" : [ \"other programs took 43 % of all cores\" ]",
                        "\"ingressFraction\" : null",
                        "\"p99.9Nanos\" :",
                        "\"messagesPerSecondEach\" : 20000",
                        "\"outBytesPerSecond\" :",
                        "\"alternatives\" : [ \"ring\" ]",
                        "\"relaySend\" : {",
                        "\"checkNanos\" : 6.5",
                        "\"framing\" : \"traffic control\"");
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`schemaVersion\":3` | `schemaVersion\":2` | schemaVersion 2 is not 3",
                "`schemaVersion\":3` | `schema\":\"relay-shootout/1\"` | no schemaVersion",
                "`\"started\":\"2026-01-31T12:00:00Z\"` | `\"started\":\"now\"` | origin: ",
                "`\"cores\":2` | `\"cores\":2.5` | sites[0].machine.cores: ",
                "`\"cores\":2` | `\"cores\":null` | sites[0].machine.cores: ",
                "`\"kind\":\"loopback\"` | `\"kind\":\"lan\"` | lanes[0].kind: ",
                "`\"mtu\":1500` | `\"mtu\":67` | lanes[1].link.format: ",
                "`\"framing\":\"traffic control\"` | `\"framing\":\"x\"` | lanes[1].link.format.framing: ",
                "`\"emulated\":false` | `\"emulated\":\"maybe\"` | lanes[0].emulated: ",
                "`\"round\":1,` | `` | lanes[0].cells[0].runs[0].moment.round: Missing creator property 'round'",
                "`\"histogram\":\"` | `\"histogram\":\"AAAA` | lanes[0].cells[0].runs[0].delays.timeInQueue: ",
                "`\"timeline\":[` | `\"timeline\":[7,` | lanes[0].cells[0].runs[0].throughput.timeline[0]: ",
                "`\"runs\":[` | `\"runs\":[7,` | lanes[0].cells[0].runs[0]: ",
                "`\"how\":\"interrupted\"` | `\"how\":\"maybe\"` | ending.how: ",
                "`\"seconds\":0.2` | `\"seconds\":\"x\"` | lanes[0].cells[0].runs[0].throughput.timeline[0].seconds: ",
            })
    void whatIsWrongIsNamed(String what, String with, String message) throws Exception {
        String broken = COMPACT.replaceFirst(Pattern.quote(what), with);
        assertThat(broken).isNotEqualTo(COMPACT);
        Path file = write(broken);
        assertThatThrownBy(() -> Json.read(file))
                .isInstanceOf(ResultFileException.class)
                .hasMessageStartingWith(file + ": " + message)
                .message()
                .doesNotContain("\n", "Deserialization");
    }

    @Test
    void aFileThatIsCutOffIsTold() throws Exception {
        Path file = write(TEXT.substring(0, TEXT.length() / 2));
        assertThatThrownBy(() -> Json.read(file))
                .isInstanceOf(ResultFileException.class)
                .hasMessageMatching("(?s)" + Pattern.quote(file.toString()) + ": line \\d+: not JSON, or cut off.*");
    }

    @Test
    void aFileThatIsTooLargeIsToldWithItsSizeAndTheLimit() throws Exception {
        Path file = directory.resolve("huge.json");
        try (RandomAccessFile huge = new RandomAccessFile(file.toFile(), "rw")) {
            huge.setLength(Json.MAX_BYTES + 1);
        }
        assertThatThrownBy(() -> Json.read(file))
                .hasMessage(file + ": 268435457 bytes are over the limit of 268435456");
    }

    @Test
    void aFileThatIsNotThereIsTold() {
        Path file = directory.resolve("none.json");
        assertThatThrownBy(() -> Json.read(file)).hasMessage(file + ": no such file or directory");
    }

    private Path write(String json) throws Exception {
        return Files.writeString(directory.resolve("a.json"), json);
    }
}
