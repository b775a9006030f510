package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.loadgen.report.ResultFiles;
import dev.msgrelay.loadgen.result.Json;
import dev.msgrelay.loadgen.result.MadeUp;
import dev.msgrelay.loadgen.result.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareCommandTest extends CommandTest {
    @TempDir
    private Path directory;

    @Test
    void twoFilesAreCompared() throws Exception {
        Path a = write("a.json", MadeUp.loopback(1e6, 1.01e6, 1.02e6, 1.03e6));
        Path b = write("b.json", MadeUp.loopback(2e6, 2.01e6, 2.02e6, 2.03e6));
        assertThat(execute("compare", a, b)).isZero();
        assertThat(out.toString())
                .contains("loopback, 1 -> 1, body 100, full speed (unpaired)")
                .containsPattern("out, msg/s +1.02 M +2.02 M +1.9\\d\\d +1.9\\d\\d..2.0\\d\\d +4 / 4 +better")
                .doesNotContain("latency")
                .matches("(?s)\\p{ASCII}*");
    }

    @Test
    void directoriesAndJson() throws Exception {
        ResultFiles.in(directory.resolve("a")).write(MadeUp.full());
        assertThat(execute("compare", directory.resolve("a"), directory.resolve("a"), "--json"))
                .isZero();
        JsonObject json = JsonParser.object().from(out.toString());
        JsonObject change = json.getArray("ratios").getObject(1);
        assertThat(change.getString("figure")).isEqualTo("out");
        assertThat(change.getString("verdict")).isEqualTo("too few runs");
        assertThat(change.get("ratio")).isNull();
        assertThat(json.getArray("notes")).isNotEmpty();
    }

    @Test
    void nothingToCompareIsAFailure() throws Exception {
        Path a = write("a.json", MadeUp.loopback(1, 2));
        Path b = write("b.json", MadeUp.empty());
        assertThat(execute("compare", a, b)).isEqualTo(1);
        assertThat(out.toString()).contains("nothing can be compared", "loopback: not in b");
    }

    @Test
    void aBrokenFileIsOneLine() throws Exception {
        Path a = write("a.json", MadeUp.loopback(1, 2));
        Path b = Files.writeString(directory.resolve("b.json"), "{\"schemaVersion\":9}");
        assertThat(execute("compare", a, b)).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("loadgen compare: FAIL: " + b
                        + ": schemaVersion 9 is not 3, the one that this loadgen reads\n");
    }

    @Test
    void lanesThatAreNotThereAreUsage() throws Exception {
        Path a = write("a.json", MadeUp.loopback(1, 2));
        assertThat(execute("compare", a)).isEqualTo(2);
        assertThat(execute("compare", a, "--lanes", "loopback,unix")).isEqualTo(2);
        assertThat(execute("compare", a, "--lanes", "loopback")).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "what with? give B, or --lanes of A",
                        "--lanes 'unix' is none of loopback",
                        "--lanes takes two names, not 1");
    }

    private Path write(String name, Results shootout) throws Exception {
        return Files.writeString(directory.resolve(name), Json.text(shootout));
    }
}
