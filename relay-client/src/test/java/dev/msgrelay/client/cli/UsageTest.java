package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.testing.Commands;
import dev.msgrelay.testing.SystemWords;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;

/** What is wrong before anything is sent: exit code 2 for usage, 1 for failure, one line each. */
class UsageTest {
    /** A message that the JVM has no room for. */
    @Test
    void outOfMemoryIsALine() {
        @Command(name = "relay-client")
        class Full implements Runnable {
            @Override
            public void run() {
                throw new OutOfMemoryError("Java heap space");
            }
        }
        StringWriter err = new StringWriter();
        assertThat(RelayClientMain.execute(CommandParser.of(new Full()).setErr(new PrintWriter(err))))
                .isEqualTo(1);
        assertThat(err.toString())
                .matches("relay-client: out of memory \\(Java heap space\\): the JVM has [0-9.]+ [kMGT]?B for it;"
                        + " JAVA_OPTS=-Xmx1g gives it a gigabyte\n");
    }

    /** Shells complete these words. */
    @Test
    void eachWordThatIsCompletedIsTaken() {
        List<String> listing = new ArrayList<>();
        CommandLine all = RelayClientMain.commandLine();
        for (CommandLine command : all.getSubcommands().values()) {
            for (OptionSpec option : command.getCommandSpec().options()) {
                Iterable<String> words = option.completionCandidates();
                for (String word : words == null ? List.<String>of() : words) {
                    listing.add(option.longestName());
                    assertThat(word).isLowerCase();
                    all.parseArgs(command.getCommandName(), option.longestName() + "=" + word);
                    Object value = option.getValue();
                    assertThat(value).hasToString(word.toUpperCase(Locale.ROOT));
                }
            }
        }
        assertThat(listing).contains("--policy", "--durable", "--ack");
    }

    @ParameterizedTest
    @CsvSource({
        "subscribe re:lay:, endpoint 're:lay:' has more than one colon",
        "subscribe :99999, port 99999",
        "subscribe 99999, port 99999",
        "subscribe :1 --unix /x, exclude each other",
        "subscribe --count 0, --count 0 is not within 1..",
        "subscribe --count many, many",
        "subscribe --report-every -1, --report-every -1",
        "subscribe --max-body 67108865, --max-body 67108865 is not within 0..67108864",
        "subscribe --connect-timeout 0, --connect-timeout 0",
        "subscribe --connect-timeout soon, soon' is not a duration like 500ms",
        "subscribe --connect-timeout 61m, --connect-timeout 61m is not within 1ms..60m",
        "subscribe --max-body 64q, 64q' is not a size",
        "publish --stall-timeout -1s, -1s' is not a duration",
        "subscribe --colour, --colour",
        "subscribe --typse 7, Unknown option: '--typse' (did you mean '--types'?)",
        "publish --report, Unknown option: '--report'",
        "subscribe --report 5, (did you mean '--report-every'?)",
        "subscribe --raw --json, --raw and --json exclude each other",
        "subscribe --format %q, has '%q'",
        "subscribe --format \\q, unknown escape",
        "subscribe --format %s\\q, has an unknown escape behind its character 2:",
        "subscribe --format %s\\%b, has an unknown escape behind its character 2:",
        "subscribe --raw --delimiter x --delimiter y, option '--delimiter' should be specified only once",
        "publish -m, Missing required parameter for option '--message' (TEXT)",
        "ping @absent, endpoint '@absent' has no port",
        "subscribe --position p --count-only, not with --count-only",
        "subscribe --position p --plain, --position needs numbers",
        "publish --skip-bad, --skip-bad goes with --json",
        "subscribe --prot 7401, Unknown option: '--prot'",
        "subscribe --delimiter x, --delimiter goes with --raw",
        "publish --delimiter x, --delimiter goes with --raw",
        "publish --json --chunk 5, --json and --chunk exclude each other",
        "publish -m x --file y, --message and --file exclude each other",
        "publish --append, --append goes with",
        "publish --from-start --append, are mutually exclusive",
        "subscibe, Unmatched argument: 'subscibe' (did you mean 'subscribe'?)",
        "pubish -m x, relay-client: Unmatched argument: 'pubish' (did you mean 'publish'?)",
        "subscribe --types 9-1, range 9 to 1 runs backwards",
        "subscribe --types x, neither a type nor two types",
        "subscribe --from 0, neither live",
        "subscribe --from yesterday, neither live",
        "subscribe --from last:0, last:0' is neither live",
        "subscribe --from last:9223372036854775808, last:9223372036854775808' is neither live",
        "subscribe --from last:1 --plain, --from last needs numbers",
        "subscribe --until 0 --from 1, 0' is neither head",
        "subscribe --until tail --from 1, tail' is neither head",
        "subscribe --until 2999-01-01T00:00:00Z, 2999-01-01T00:00:00Z' is neither head",
        "subscribe --until head, --until names older messages",
        "subscribe --until 1m --from live, --until names older messages",
        "subscribe --until 9 --plain, --until needs numbers",
        "subscribe --idle 0, --idle 0s is not within 1ms..1440m",
        "subscribe --idle 25h, --idle 1500m is not within 1ms..1440m",
        "subscribe --idle later, later' is not a duration",
        "subscribe --idle 5s --plain, --idle needs a connection",
        "subscribe --idle 5s --interval 5s, --idle 5s is not over --interval 5s: nothing comes between",
        "subscribe --idle 1 --interval 1m --from state, --idle 1s is not over --interval 1m",
        "subscribe --exec true --raw, --raw and --exec exclude each other",
        "subscribe --exec true --json, --exec and --json exclude each other",
        "subscribe --exec true --count-only, --exec and --count-only exclude each other",
        "subscribe --exec, Missing required parameter for option '--exec' (CMD)",
        "subscribe --exec-retry 3, --exec-retry goes with --exec",
        "subscribe --exec true --exec-retry -1, --exec-retry -1 is not within 0..1000000",
        "subscribe --frames --raw, --raw and --frames exclude each other",
        "subscribe --frames --json, --frames and --json exclude each other",
        "publish --frames --json, --json and --frames exclude each other",
        "publish --frames -m x, --message and --frames exclude each other",
        "publish --repeat 3, --repeat goes with --message",
        "publish -m x --repeat 0, --repeat 0 is not within 1..2147483647",
        "publish -m x --repeat 2147483648, 2147483648",
        "subscribe --policy drop, drop",
        "subscribe --interval 9ms, interval of 9 ms is not within 10..3600000",
        "subscribe --interval 1d, interval of 86400000 ms is not within 10..3600000",
        "subscribe --interval often, often' is not a duration",
        "subscribe --interval 500ms --policy skip, 'interval of 500 ms needs the policy latest, not skip'",
        "subscribe --interval 500ms --plain, 'the plain mode has no name, token, types, start, policy, interval'",
        "subscribe --interval 1s --from earliest --until head, so do --until and --interval: what takes",
        "subscribe --reconnect -1, neither a number from 0",
        "subscribe --reconnect soon, neither a number from 0",
        "subscribe --plain --types 1, the plain mode has no name",
        "subscribe --from 9 --plain, the plain mode has no name",
        "publish --plain --ack, the plain mode has no name",
        "publish --ack=twice, twice' is no level",
        "subscribe --durable maybe, maybe' is no level",
        "publish --reconnect soon, neither a number from 0",
        "publish --type 0x80000009, --type 0x80000009 is reserved",
        "publish --type x, is no number of 32 bits",
        "publish --type 4294967296, 32 bits",
        "publish --chunk 0, --chunk 0 is not within 1..1048576",
        "publish --rate 0, --rate 0",
        "publish --stall-timeout 0, --stall-timeout 0",
        "publish --tls-cert c.pem, --tls-cert and --tls-key go together",
        "subscribe --unix p --tls, TLS is for TCP",
        "'', a command is missing",
        "listen, listen",
    })
    void wrongUsageIsNamed(String line, String what) {
        CommandRun run = CommandRun.of(line.isEmpty() ? new String[0] : line.split(" "));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines().findFirst().orElseThrow()).contains(what);
        assertThat(run.err().lines()).hasSize(2);
        assertThat(run.err()).contains("--help");
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"subscribe", "publish"})
    void aRelayThatIsNotThereIsAFailureInOneLine(String command) throws Exception {
        String gone;
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            gone = server.endpoint().toString();
        }
        CommandRun run = CommandRun.of(command, gone);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .containsExactly("relay-client " + command + ": cannot connect to " + gone + ": "
                        + SystemWords.refused() + "; is relay-server running?");
    }

    @Test
    void aFileThatIsNotThereIsAFailureInOneLine() {
        CommandRun run = CommandRun.of("publish", "--file", "no-such-file");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines()).containsExactly("relay-client publish: cannot read no-such-file: no such file");
    }

    @Test
    void aDirectoryIsAFailureInOneLine() {
        CommandRun run = CommandRun.of("publish", "--file", ".");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines()).containsExactly("relay-client publish: cannot read .: it is a directory");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpHasTheTableOfExitCodes(List<String> names) {
        for (String help : List.of("--help", "--help=all")) {
            CommandRun run = CommandRun.of(with(names, help));
            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).contains("Usage: relay-client", "\nExit codes:\n");
            ExitCodes.table().forEach((code, words) -> assertThat(run.out())
                    .containsPattern("(?m)^ +" + code + " +" + words + "$"));
        }
    }

    /** What a user needs first, on one screen: examples, and a few options. */
    @ParameterizedTest
    @ValueSource(strings = {"subscribe", "publish", "top"})
    void helpBeginsWithExamples(String name) {
        CommandRun run = CommandRun.of(name, "--help");
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().lines()).hasSizeLessThan(60).allMatch(line -> line.length() <= 80);
        assertThat(run.out())
                .contains("\nExamples:\n  relay-client " + name, "Every option: relay-client " + name + " --help=all")
                .doesNotContain("%n")
                .doesNotContain("--stall-timeout", "--connect-timeout");
    }

    @Test
    void shortHelpTellsWhatMayStandMoreThanOnce() {
        assertThat(CommandRun.of("top", "--help").out()).startsWith("Usage: relay-client top [OPTIONS] [ADDRESS]\n");
    }

    @Test
    void eachExampleIsTaken() {
        List<String> examples = CommandParser.examples(RelayClientMain.commandLine());
        assertThat(examples).hasSizeGreaterThanOrEqualTo(15);
        for (String example : examples) {
            String[] words = example.split(" ");
            assertThat(words[0]).isEqualTo("relay-client");
            RelayClientMain.commandLine().parseArgs(Arrays.copyOfRange(words, 1, words.length));
        }
    }

    /** A user may copy them. */
    @ParameterizedTest
    @MethodSource("commands")
    void helpBreaksNoAddressAndNoPath(List<String> names) {
        String all = CommandRun.of(with(names, "--help=all")).out();
        assertThat(CommandRun.of(with(names, "--help")).out() + all)
                .doesNotContainPattern("(127\\.0\\.0\\.1:|\\]:|host:|unix:|~/|/\\.|NAME\\.|\\.\\.)\\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "5s", "2000ms", "1m"})
    void aTimeIsWrittenAsEverywhere(String time) throws Exception {
        String gone;
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            gone = server.endpoint().toString();
        }
        CommandRun run =
                CommandRun.of("publish", gone, "--connect-timeout", time, "--stall-timeout", time, "--max-body=64k");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains(SystemWords.refused());
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandTellsItsVersion(List<String> names) {
        for (String flag : List.of("--version", "-V")) {
            CommandRun run = CommandRun.of(with(names, flag));
            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).startsWith("relay-client ");
        }
    }

    /** Whatever picocli takes the output for. */
    @ParameterizedTest
    @MethodSource("commands")
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void helpHasNoEscapeCodes(List<String> names) {
        System.setProperty("picocli.ansi", "true");
        CommandRun run;
        try {
            run = CommandRun.of(with(names, "--help"));
        } finally {
            System.clearProperty("picocli.ansi");
        }
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("relay-client").doesNotContain("\u001b");
    }

    private static String[] with(List<String> names, String flag) {
        return Stream.concat(names.stream(), Stream.of(flag)).toArray(String[]::new);
    }

    /** All there are, by the words that name them. */
    static List<List<String>> commands() {
        return Commands.of(RelayClientMain.commandLine());
    }
}
