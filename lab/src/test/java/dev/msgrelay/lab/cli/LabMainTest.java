package dev.msgrelay.lab.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.loadgen.cli.LoadgenMain;
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
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

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

    @ParameterizedTest
    @MethodSource("commands")
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void everyCommandHasHelpAndAVersion(String command) {
        String[] words = command.isEmpty() ? new String[0] : new String[] {command};
        // Whatever picocli takes the output for.
        System.setProperty("picocli.ansi", "true");
        try {
            assertThat(run(words, "--help")).isZero();
        } finally {
            System.clearProperty("picocli.ansi");
        }
        assertThat(out.toString()).startsWith("Usage: loadgen lab " + command).doesNotContain("\u001b");
        assertThat(run(words, "-V")).isZero();
        assertThat(out.toString()).containsPattern("(?m)^loadgen \\S+");
    }

    @Test
    void eachCommandIsListedWithASentence() {
        LoadgenMain.commandLine(new LabMain()).getSubcommands().forEach((name, command) -> assertThat(
                        command.getCommandSpec().usageMessage().description()[0])
                .as(name)
                .endsWith("."));
    }

    /** All there are; empty: the program itself. */
    static Stream<String> commands() {
        return Stream.concat(Stream.of(""), LoadgenMain.commandLine(new LabMain()).getSubcommands().keySet().stream());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "nothing                     | nothing",
                "all --rounds 0              | --rounds 0 is not within 1..101",
                "all --json /proc/x/y        | --json '/proc/x/y' is not a file that can be written",
                "all --html /                | --html '/' is not a file that can be written",
                "readers --rounds 102        | --rounds 102 is not within 1..101",
                "readers --lane 2gbe         | --lane: lane '2gbe' is none of loopback",
                "readers --lane unix         | --lane: lane 'unix' is none that the article's clients can read",
                "readers --body 7            | --body 7 is not within 8..8192",
                "readers --write-size -1     | --write-size -1 is not within 0..4194304",
                "readers --duration 2m       | --duration 120000ms is not within 1ms..1m",
                "batching --body 15          | --body 15 is not within 16..1000000",
                "batching --packet 107       | --packet 107 is not within 108..4194304",
                "batching --threads 1,0      | --threads 0 is not within 1..1000",
                "batching --load 7           | --load 7 is not within 8..100000000",
                "batching --load 900,800     | --load 800 is not within 901..100000000",
                "batching --wait spin        | --wait",
                "files --size 0              | --size 0 is not within 1..1000000",
                "files --size 400,x          | 'x'",
                "async-files --pool 0        | --pool 0 is not within 1..1000",
                "async-files --outstanding 0 | --outstanding 0 is not within 1..10000",
                "async-files --duration 0    | --duration 0 is not above 0",
                "event-log --threads 1001    | --threads 1001 is not within 1..1000",
                "event-log --duration 0s     | --duration 0 is not above 0",
                "senders --clients 50,5001   | --clients 5001 is not within 1..5000",
                "senders --limit -1          | --limit -1 is not within 0..10000",
                "senders --workers 0         | --workers 0 is not within 1..5000",
                "senders --socket-buffer -1  | --socket-buffer -1 is not within 0..1048576",
                "senders --duration 0        | --duration 0 is not above 0",
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
                        "batching --quick --rounds 1 --threads 2 --load 4000 --duration 250ms --dir".split(" "),
                        directory.toString(),
                        "--json",
                        json.toString(),
                        "--html",
                        html.toString()))
                .as(err + "\n" + out)
                .isZero();
        assertThat(out.toString())
                .contains("machine:", "The worked example", "lock, one write a message, 2 threads", " counted: median")
                .contains("\"tracking its size adds 50 % to the cost of the queue\": not enough rounds");
        JsonObject document = JsonParser.object().from(Files.readString(json));
        assertThat(document.getString("schema")).isEqualTo("relay-lab/3");
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
    void aRowThatLosesDataEndsTheCommandWithOne() {
        int code;
        do {
            // What it loses is what the disk has not got to: now and then that is nothing.
            out.getBuffer().setLength(0);
            code = run(
                    "async-files --quick --rounds 1 --duration 50ms --pool 1 --outstanding 5000 --close-at-once --dir"
                            .split(" "),
                    directory.toString());
        } while (code == 0);
        assertThat(out.toString())
                .containsPattern("FAILED fixed pool, not waiting, closed at once: record \\d+ of \\d+ is missing")
                .contains("plain write");
        assertThat(code).isOne();
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
