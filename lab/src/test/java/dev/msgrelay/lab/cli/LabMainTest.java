package dev.msgrelay.lab.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.cli.LoadgenMain;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.testing.TestProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** The command itself, with the smallest of runs. */
class LabMainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @Test
    void allExperimentsAreListed() {
        assertThat(run("list")).isZero();
        assertThat(out.toString()).contains("readers ", "batching ", "Smart Batching (Mechanical Sympathy), 2011");
    }

    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void theCommandHasHelpAndAVersion() {
        // Whatever picocli takes the output for.
        System.setProperty("picocli.ansi", "true");
        try {
            assertThat(run("readers", "--help")).isZero();
        } finally {
            System.clearProperty("picocli.ansi");
        }
        assertThat(out.toString()).startsWith("Usage: loadgen lab ").doesNotContain("\u001b");
        assertThat(run("-V")).isZero();
        assertThat(out.toString()).containsPattern("(?m)^loadgen \\S+");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "nothing                  | 'nothing' is no experiment: readers, batching",
                "all readers              | 'all' is no experiment",
                "all --rounds 0           | --rounds 0 is not within 1..101",
                "all --json /proc/x/y     | --json '/proc/x/y' is not a file that can be written",
                "all --html /             | --html '/' is not a file that can be written",
                "readers --rounds 102     | --rounds 102 is not within 1..101",
                "files --size 0           | --size 0 is not within 1..1000000",
                "files --size 400,x       | 'x'",
                "senders --duration 0     | --duration 0 is not above 0",
            })
    void wrongOptionsAreRefused(String commandLine, String message) {
        assertThat(run(commandLine.trim().split(" +"))).isEqualTo(2);
        assertThat(err.toString()).contains(message.trim());
    }

    @Test
    void anExperimentIsNeeded() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString())
                .contains("which experiment? readers, batching, files, async-files, event-log, senders");
    }

    @Tag("thorough")
    @Test
    void anExperimentHasTableJsonAndPage() throws Exception {
        Path json = directory.resolve("lab.json");
        Path html = directory.resolve("lab.html");
        assertThat(run(
                        "batching --quick --rounds 1 --duration 20ms --dir".split(" "),
                        directory.toString(),
                        "--json",
                        json.toString(),
                        "--html",
                        html.toString()))
                .as(err + "\n" + out)
                .isZero();
        assertThat(out.toString())
                .contains("machine:", "The worked example", "lock, one write a message, 4 threads", "1 round: median")
                .contains("\"so is the worst one\": not enough rounds");
        JsonNode document = Json.parse(Files.readString(json));
        assertThat(document.path("schema").asString()).isEqualTo("relay-lab/4");
        assertThat(document.path("interrupted").asBoolean()).isFalse();
        JsonNode tables = document.path("experiments").path(0).path("tables");
        assertThat(tables).hasSize(3);
        JsonNode charts = tables.path(2).path("charts");
        assertThat(charts.path(0).path("series")).hasSize(4);
        assertThat(Files.readString(html)).contains("batching: burst", "J-curve or bathtub", "Smart Batching");
        assertThat(directory).isDirectoryNotContaining("glob:**relay-lab-*");
    }

    @Test
    void whatIsMissingIsSaidBeforeTheRun() {
        assertThat(run("batching", "--dir", directory.resolve("nowhere").toString()))
                .isOne();
        assertThat(err.toString()).contains("FAIL: batching: ", "nowhere is not a directory that can be written to");
        assertThat(out.toString()).doesNotContain("worked example");
        assertThat(run("files", "--size", "1000000", "--dir", directory.toString()))
                .isOne();
        assertThat(err.toString())
                .contains("FAIL: files: 2,000,064 MB needed in " + directory)
                .contains(" MB free");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aSignalEndsItWithWhatThereIs() throws Exception {
        try (TestProcess process =
                TestProcess.java(LabMain.class.getName(), "batching", "--dir", directory.toString())) {
            process.error(0, line -> line.contains("round "));
            assertThat(directory).isNotEmptyDirectory();
            assertThat(process.terminate()).isNotZero();
            assertThat(String.join("\n", process.lines()))
                    .contains("The worked example", "INTERRUPTED: these are the figures up to then");
            assertThat(directory).isEmptyDirectory();
        }
    }

    private int run(String[] words, String... more) {
        return run(Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new));
    }

    private int run(String... args) {
        CommandLine command = LoadgenMain.commandLine(new LabMain());
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(args);
    }
}
