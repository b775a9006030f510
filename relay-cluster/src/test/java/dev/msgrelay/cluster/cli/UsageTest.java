package dev.msgrelay.cluster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.testing.Commands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Help, version and wrong options of {@code relay-cluster} and each of its commands. */
class UsageTest {
    @ParameterizedTest
    @ValueSource(strings = {"-V", "demo -V", "local --version", "snapshot -V", "restore -V"})
    void allTellTheVersion(String line) {
        assertThat(output(0, line.split(" ")).strip()).isEqualTo("relay-cluster (not packaged)");
    }

    /** What a user needs first, on one screen. */
    @ParameterizedTest
    @MethodSource("commands")
    void helpBeginsWithExamples(List<String> names) {
        String help = output(0, with(names, "--help"));
        String command = String.join(" ", with(List.of("relay-cluster"), names.toArray(String[]::new)));
        assertThat(help.lines()).hasSizeLessThan(60).allMatch(line -> line.length() <= 80);
        assertThat(help).contains("\nExamples:\n  " + command).doesNotContain("%n");
        assertThat(output(0, with(names, "--help=all"))).contains("\nExamples:\n  " + command, "--version");
    }

    @Test
    void eachExampleIsTaken() {
        List<String> examples = CommandParser.examples(RelayClusterMain.commandLine());
        assertThat(examples).hasSizeGreaterThanOrEqualTo(12);
        for (String example : examples) {
            String[] words = example.split(" ");
            assertThat(words[0]).isEqualTo("relay-cluster");
            RelayClusterMain.commandLine().parseArgs(Arrays.copyOfRange(words, 1, words.length));
        }
    }

    @Test
    void aWrongOptionNamesTheHelpOfItsCommand() {
        assertThat(output(2, "demo", "--speed=9"))
                .isEqualTo("relay-cluster: Unknown option: '--speed'\nTry 'relay-cluster demo --help'.\n");
    }

    /** All that the command prints. */
    private static String output(int code, String... args) {
        StringWriter out = new StringWriter();
        PrintWriter printer = new PrintWriter(out, true);
        assertThat(RelayClusterMain.execute(
                        RelayClusterMain.commandLine().setOut(printer).setErr(printer), args))
                .isEqualTo(code);
        return out.toString();
    }

    private static String[] with(List<String> names, String... more) {
        return Stream.concat(names.stream(), Stream.of(more)).toArray(String[]::new);
    }

    static List<List<String>> commands() {
        return Commands.of(RelayClusterMain.commandLine());
    }
}
