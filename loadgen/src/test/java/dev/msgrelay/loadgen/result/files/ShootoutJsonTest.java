package dev.msgrelay.loadgen.result.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.compare.CellComparison;
import dev.msgrelay.loadgen.compare.Comparer;
import dev.msgrelay.loadgen.compare.Comparison;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Shootouts;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShootoutJsonTest {
    @TempDir
    private Path directory;

    @Test
    void whatIsWrittenIsRead() throws Exception {
        Shootout shootout = Shootouts.full();
        assertThat(ShootoutReader.read(write(ShootoutJson.of(shootout)))).isEqualTo(shootout);
        assertThat(ShootoutReader.read(write(ShootoutJson.of(Shootouts.empty()))))
                .isEqualTo(Shootouts.empty());
    }

    @Test
    void forAComparisonTheSameFiguresAreReadWithoutTheRest() throws Exception {
        Shootout full = Shootouts.full();
        Shootout figures = ShootoutReader.figures(write(ShootoutJson.of(full)));
        Comparison comparison = new Comparer(full, figures, false).allLanes(false);
        assertThat(comparison.cells())
                .hasSize(3)
                .flatExtracting(CellComparison::changes)
                .isNotEmpty()
                .allSatisfy(one -> assertThat(one.medianA()).isEqualTo(one.medianB()));
        assertThat(figures.lanes().get(1).cells().get(0).runs()).hasSize(4).allSatisfy(run -> {
            assertThat(run.delays().skew()).isNull();
            assertThat(run.correctness().subscribers()).isEmpty();
            assertThat(run.throughput().timeline()).isEmpty();
        });
    }

    @Test
    void searchedRatesAreReadToo() throws Exception {
        Shootout full = Shootouts.full();
        MaxRate found = new MaxRate(
                "unix",
                Shootouts.parameters("100", 1),
                5_000_000,
                true,
                "found",
                List.of(new MaxRate.Attempt(10, ""), new MaxRate.Attempt(20, "p99 7.00 ms, over 5.00 ms")),
                List.of("10 failed once (x) and passed when repeated"));
        Shootout searched = new Shootout(
                full.origin(), full.sites(), full.lanes(), List.of(found), List.of("10gbe: raw stream"), full.ending());
        assertThat(ShootoutReader.read(write(ShootoutJson.of(searched)))).isEqualTo(searched);
    }

    @Test
    void aDirectoryOfResultsIsReadToo() throws Exception {
        Files.writeString(directory.resolve("results.json"), ShootoutJson.of(Shootouts.empty()));
        assertThat(ShootoutReader.read(directory)).isEqualTo(Shootouts.empty());
    }

    @Test
    void whatProgramsReadIsThere() {
        assertThat(ShootoutJson.of(Shootouts.full()))
                .contains(
                        "\"schema\":\"relay-shootout/1\"",
                        "\"label\":\"10gbe (emulated)\"",
                        "\"regime\":\"near\"",
                        "\"regime\":\"changed\"",
                        "\"ingressFraction\":null",
                        "\"p99.9Nanos\":",
                        "\"framing\":\"traffic control\"");
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "relay-shootout/1 | relay-shootout/2 | schema: 'relay-shootout/2' is not relay-shootout/1",
                "`\"started\":\"2026-01-31T12:00:00Z\"` | `\"started\":\"now\"` | started: 'now': not a time like",
                "`\"cores\":2` | `\"cores\":2.5` | sites[0].machine.cores: '2.5' is not a whole number",
                "`\"cores\":2` | `\"cores\":-2` | sites[0].machine.cores: -2 is not within 0..2147483647",
                "`\"kind\":\"loopback\"` | `\"kind\":\"lan\"` | lanes[0].kind: 'lan': lane 'lan' is none of loopback, unix",
                "`\"mtu\":1500` | `\"mtu\":67` | lanes[1].link: MTU 67 is not within 68..65535 for IPv4",
                "`\"framing\":\"traffic control\"` | `\"framing\":\"x\"` | lanes[1].link.framing: 'x'",
                "`\"emulated\":false` | `\"emulated\":0` | lanes[0].emulated: '0' is not true or false",
                "`\"round\":1,` | `` | lanes[0].cells[0].runs[0].round: missing",
                "`\"histogram\":\"` | `\"histogram\":\"AAAA` | lanes[0].cells[0].runs[0].latency: the histogram cannot be decoded",
                "`\"nanos\":[` | `\"nanos\":[1,` | lanes[0].cells[0].runs[0].timeline: columns of different length",
                "`\"runs\":[` | `\"runs\":[7,` | lanes[0].cells[0].runs[0]: not an object",
                "`\"how\":\"interrupted\"` | `\"how\":\"maybe\"` | ending.how: 'maybe'",
            })
    void whatIsWrongIsNamed(String what, String with, String message) throws Exception {
        // Without the indentation, so that the fields above stand as they are.
        String json = ShootoutJson.of(Shootouts.full()).replaceAll("\n *", "");
        String broken = json.replaceFirst(Pattern.quote(what), with);
        assertThat(broken).isNotEqualTo(json);
        Path file = write(broken);
        assertThatThrownBy(() -> ShootoutReader.read(file))
                .isInstanceOf(ResultFileException.class)
                .hasMessageStartingWith(file + ": " + message)
                .message()
                .doesNotContain("\n");
    }

    @Test
    void aFileThatIsCutOffIsTold() throws Exception {
        String json = ShootoutJson.of(Shootouts.full());
        Path file = write(json.substring(0, json.length() / 2));
        assertThatThrownBy(() -> ShootoutReader.read(file))
                .isInstanceOf(ResultFileException.class)
                .hasMessageMatching("(?s)" + Pattern.quote(file.toString()) + ": line \\d+: not JSON, or cut off.*");
    }

    @Test
    void aFileThatIsTooLargeIsToldWithItsSizeAndTheLimit() throws Exception {
        Path file = directory.resolve("huge.json");
        try (RandomAccessFile huge = new RandomAccessFile(file.toFile(), "rw")) {
            huge.setLength(ShootoutReader.MAX_BYTES + 1);
        }
        assertThatThrownBy(() -> ShootoutReader.read(file))
                .hasMessage(file + ": 1073741825 bytes are over the limit of 1073741824");
    }

    @Test
    void aFileThatIsNotThereIsTold() {
        Path file = directory.resolve("none.json");
        assertThatThrownBy(() -> ShootoutReader.read(file)).hasMessage(file + ": no such file or directory");
    }

    private Path write(String json) throws Exception {
        return Files.writeString(directory.resolve("a.json"), json);
    }
}
