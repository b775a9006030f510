package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command itself, with the smallest of runs. */
class LabCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory;

    @Test
    void allExperimentsAreListed() {
        assertThat(run("lab", "list")).isZero();
        assertThat(out.toString()).contains("readers ", "batching ", "Smart Batching (Mechanical Sympathy), 2011");
    }

    @Test
    void anExperimentHasTableJsonAndPage() throws Exception {
        Path json = directory.resolve("lab.json");
        Path html = directory.resolve("lab.html");
        assertThat(run(
                        "lab batching --quick --rounds 1 --threads 2 --load 4000 --duration 250ms --dir".split(" "),
                        directory.toString(),
                        "--json",
                        json.toString(),
                        "--html",
                        html.toString()))
                .as(err + "\n" + out)
                .isZero();
        assertThat(out.toString())
                .contains("machine:", "The worked example", "lock, one write a message, 2 threads", "1 of 1 rounds")
                .contains("\"tracking its size adds 50 % to the cost of the queue\"");
        JsonObject document = JsonParser.object().from(Files.readString(json));
        assertThat(document.getString("schema")).isEqualTo("relay-lab/1");
        assertThat(document.getBoolean("interrupted")).isFalse();
        JsonArray tables = document.getArray("experiments").getObject(0).getArray("tables");
        assertThat(tables).hasSize(4);
        JsonArray charts = tables.getObject(2).getArray("charts");
        assertThat(charts.getObject(0).getArray("series")).hasSize(4);
        assertThat(Files.readString(html)).contains("batching: burst", "J-curve or bathtub", "Smart Batching");
        assertThat(directory).isDirectoryNotContaining("glob:**relay-lab-*");
    }

    @Test
    void whatIsMissingIsSaidBeforeTheRun() {
        assertThat(run("lab", "batching", "--dir", directory.resolve("nowhere").toString()))
                .isOne();
        assertThat(err.toString()).contains("FAIL: batching: ", "nowhere is not a directory that can be written to");
        assertThat(out.toString()).doesNotContain("worked example");
    }

    @Test
    void aSignalEndsItWithWhatThereIs() throws Exception {
        Process process = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LoadgenMain.class.getName(),
                        "lab",
                        "batching",
                        "--dir",
                        directory.toString()))
                .start();
        try (BufferedReader progress = process.errorReader()) {
            String line = progress.readLine();
            while (line != null && !line.contains("round ")) {
                line = progress.readLine();
            }
            assertThat(directory).isNotEmptyDirectory();
            process.toHandle().destroy();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(printed).contains("The worked example", "INTERRUPTED: these are the figures up to then");
            assertThat(process.waitFor()).isNotZero();
            assertThat(directory).isEmptyDirectory();
        } finally {
            process.destroyForcibly();
        }
    }

    private int run(String[] words, String... more) {
        String[] all = new String[words.length + more.length];
        System.arraycopy(words, 0, all, 0, words.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return run(all);
    }

    private int run(String... args) {
        CommandLine command = LoadgenMain.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(args);
    }
}
