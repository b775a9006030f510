package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Shootouts;
import dev.msgrelay.loadgen.result.files.ResultFiles;
import dev.msgrelay.loadgen.result.files.ShootoutJson;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CompareCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void twoFilesAreCompared() throws Exception {
        Path a = write("a.json", Shootouts.loopback(1e6, 1.01e6, 1.02e6, 1.03e6));
        Path b = write("b.json", Shootouts.loopback(2e6, 2.01e6, 2.02e6, 2.03e6));
        assertThat(execute("compare", a, b)).isZero();
        assertThat(out.toString())
                .contains("loopback, 1 -> 1, body 100, full speed (near, unpaired)")
                .containsPattern("out, msg/s +1.02 M +2.02 M +1.9\\d\\d +1.9\\d\\d..2.0\\d\\d +4 / 4 +better")
                .containsPattern("latency p50 +42 us +42 us .* noise")
                .matches("(?s)\\p{ASCII}*");
    }

    @Test
    void directoriesAndJson() throws Exception {
        ResultFiles.in(directory.resolve("a")).write(Shootouts.full());
        assertThat(execute("compare", directory.resolve("a"), directory.resolve("a"), "--json"))
                .isZero();
        JsonObject json = JsonParser.object().from(out.toString());
        JsonObject change =
                json.getArray("cells").getObject(0).getArray("changes").getObject(1);
        assertThat(change.getString("metric")).isEqualTo("out");
        assertThat(change.getString("meaning")).isEqualTo("too few runs");
        assertThat(change.get("ratio")).isNull();
        assertThat(json.getArray("leftOut")).isNotEmpty();
    }

    @Test
    void nothingToCompareIsAFailure() throws Exception {
        Path a = write("a.json", Shootouts.loopback(1, 2));
        Path b = write("b.json", Shootouts.empty());
        assertThat(execute("compare", a, b)).isEqualTo(1);
        assertThat(out.toString()).contains("nothing can be compared", "loopback: not in b");
    }

    @Test
    void aBrokenFileIsOneLine() throws Exception {
        Path a = write("a.json", Shootouts.loopback(1, 2));
        Path b = Files.writeString(directory.resolve("b.json"), "{\"schema\":\"relay-shootout/9\"}");
        assertThat(execute("compare", a, b)).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("loadgen compare: FAIL: " + b + ": schema: 'relay-shootout/9' is not relay-shootout/1\n");
    }

    @Test
    void lanesThatAreNotThereAreUsage() throws Exception {
        Path a = write("a.json", Shootouts.loopback(1, 2));
        assertThat(execute("compare", a)).isEqualTo(2);
        assertThat(execute("compare", a, "--lanes", "loopback,unix")).isEqualTo(2);
        assertThat(execute("compare", a, "--lanes", "loopback")).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "what with? give B, or --lanes of A",
                        "--lanes 'unix' is none of loopback",
                        "--lanes takes two names, not 1");
    }

    private Path write(String name, Shootout shootout) throws Exception {
        return Files.writeString(directory.resolve(name), ShootoutJson.of(shootout));
    }

    private int execute(Object... args) {
        CommandLine command = LoadgenMain.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        String[] texts = new String[args.length];
        Arrays.setAll(texts, i -> args[i].toString());
        return command.execute(texts);
    }
}
