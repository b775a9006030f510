package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.result.Results.Origin;
import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.testing.Commands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** A wrong command line: exit code 2, one line naming the value and the limit, and nothing started. */
class UsageTest {
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "run --publishers 0           | --publishers 0 is not within 1..10000",
                "run --subscribers 10001      | --subscribers 10001 is not within 1..10000",
                "run --body 15                | --body 15 is not within 16..67108864",
                "run --body many              | --body 'many' is not a number of bytes, such as 100 or 1k, or MIN-MAX, as in 16-1000",
                "run --body 9-90              | --body 9-90: 9 is not within 16..67108864",
                "run --body 90-20             | --body '90-20' starts at 90, above its end at 20",
                "run --rate -1                | --rate -1 is not within 0..10000000",
                "run --duration 0             | --duration 0 is not above 0",
                "run --duration soon          | 'soon' is not a duration like 500ms, 10s or 2m",
                "run --duration 61m           | '61m' is over the limit of 60m",
                "run --slow-subscriber maybe  | 'maybe'",
                "run --connect nowhere:x      | --connect: endpoint 'nowhere:x' has the port 'x'",
                "run --connect other --lane unix | --lane and --connect exclude each other",
                "run --connect other --from state | --from and --connect exclude each other",
                "run --connect-timeout 1s     | --connect-timeout needs --connect",
                "run --admin http://other:1   | --admin needs --connect",
                "run --connect other --admin ftp://other | --admin: 'ftp://other' is no URL like http://relay-host:7402",
                "run --link 1gbe              | --link needs --connect",
                "run --connect other --link fast | --link: 'fast' is not a speed like 1gbe, 2.5g, or 940",
                "run --lane 2gbe              | lane '2gbe' is none of loopback, unix, 1gbe, 10gbe, 25gbe",
                "run --p99 soon               | 'soon' is not a duration like 500ms, 10s or 2m; a bare number is seconds; 20us is 20 microseconds",
                "run --p99 0us                | --p99 0 is not above 0",
                "run --min-rate 0             | --min-rate 0 is not within 1..",
                "run --rate many              | 'many' is not a number of messages like 20000, 20k or 1.5M",
                "run --rate 1.0005k           | '1.0005k' is not a number of messages",
                "run --rate 11M               | --rate 11000000 is not within 0..10000000",
                "run --body 65537k            | --body 67109888 is not within 16..67108864",
                "run --p99 5ms --check none   | --p99 needs --check full",
                "run --from state --check none | --from state needs --check full",
                "run --from state --publishers 2 | --from state needs --publishers 1: else nobody knows the whole stream",
                "run --from state --client library | --from state needs --client raw",
                "run --interval 9ms           | --interval in ms 9 is not within 10..5000",
                "run --interval 6s            | --interval in ms 6000 is not within 10..5000",
                "run --interval 1s --from live | --interval needs --from state",
                "run --interval 1s --publishers 2 | --from state needs --publishers 1",
                "run --interval 1s --duration 1999ms | --duration 1999ms is under 2s, 2 times --interval 1s",
                "run --interval 5s --duration 4 --rate 9 | --duration 4s is under 10s, 2 times --interval 5s",
                "run --interval 1s --joins 5  | --interval and --joins exclude each other",
                "run --connect other --interval 1s | --interval and --connect exclude each other",
                "run --joins 0                | --joins 0 is not within 1..1000",
                "run --joins 5 --rate 5       | --rate and --joins exclude each other",
                "run --types 1.5M             | --types 1500000 is not within 1..1000000",
                "run --html /nowhere/a.html   | there is no directory /nowhere",
                "run --relay-arg=--event-loops=0 | relay-server: event loops 0 is not within 1..64",
                "compare --b= --a=--lane=1gbe | --a: --lane 1gbe is none of loopback, unix",
                "run --connect localhost:1    | has no port below; give --connect-subscribe too",
                "run --connect-subscribe a:1  | --connect-subscribe needs --connect",
                "run --relay-arg=--bogus      | relay-server: Unknown option: '--bogus'",
                "shootout --mtu 1500 --relay-arg=--log-size=x | relay-server: Invalid value for option '--log-size'",
                "shootout --slow-subscriber replay --lanes loopback | relay-server: ",
                "compare --a= --b=--bogus     | --b: Unknown option: '--bogus'",
                "run --connect other:7401 --relay-arg=--log-size=64m | --relay-arg and --connect exclude each other",
                "run --connect other:7401 --relay-java-opts=-Xmx1g | --relay-java-opts and --connect exclude each other",
                "run --connect other --no-plain-relay | --no-plain-relay and --connect exclude each other",
                "run --nonsense               | Unknown option: '--nonsense'",
                "run --local-congestion no_such_name | --local-congestion: local congestion 'no_such_name' is not ",
                "run --local-congestion a/b   | --local-congestion: congestion 'a/b' is no name of 1 to 15 letters",
                "shootout --local-congestion no_such_name | --local-congestion: local congestion 'no_such_name' is not ",
                "compare --b=--local-congestion=no_such_name | --b: --local-congestion: local congestion 'no_such_name'",
                "ceiling --local-congestion no_such_name | --local-congestion: local congestion 'no_such_name' is not ",
                "ceiling --body 1             | --body 1 is not within 16..67108864",
                "doctor 7                     | Unmatched argument",
                "ceiling --mtu 1500           | --mtu needs --link",
                "ceiling --link 2000g         | --link: 2000 Gbit/s is not within 1 Mbit/s..1600 Gbit/s",
                "ceiling --link 1gbe --mtu 67 | --mtu: MTU 67 is not within 68..65535",
                "ceiling --link 1gbe --body -1 | --body -1 is not within 0..67108864",
                "ceiling --link 1gbe --body 16,67108865 | --body 67108865 is not within 0..67108864",
                "ceiling --link 1gbe --body x | 'x'",
                "ceiling --link 1gbe --subscribers 0 | --subscribers 0 is not within 1..10000",
                "shootout --lanes loopback,2gbe | --lanes: lane '2gbe' is none of loopback, unix, 1gbe, 10gbe, 25gbe",
                "shootout --mtu 575           | --mtu 575 is not within 576..9216",
                "shootout --body 15           | --body 15 is not within 16..67108864",
                "shootout --body 100,x        | --body 'x' is not a number of bytes",
                "shootout --publishers 1,0    | --publishers 0 is not within 1..10000",
                "shootout --subscribers 10001 | --subscribers 10001 is not within 1..10000",
                "shootout --rate -1           | --rate -1 is not within 0..10000000",
                "shootout --rounds 0          | --rounds 0 is not within 1..101",
                "shootout --duration 0        | --duration 0 is not above 0",
                "shootout --baseline --lanes unix,loopback | --baseline needs an emulated lane, not --lanes unix,loopback",
                "shootout --mtu 9000 --lanes loopback,unix | --mtu needs an emulated lane, not --lanes loopback,unix",
                "shootout --body 16,17,18,19,20,21 --publishers 1,2,3,4,5 --subscribers 1,2,3,4,5 | 4 lanes of 300 loads are 1200 cells, over the limit of 500: shorten a list",
                "shootout --link 1gbe         | --link needs --connect",
                "shootout --connect unix=h    | --connect unix=h: a lane's name has letters",
                "shootout --connect a=h,lnik=1g | --connect a=h,lnik=1g: 'lnik=1g' is neither link=SPEED nor admin=URL",
                "shootout --connect a=h,link=1g,link=2g | --connect a=h,link=1g,link=2g: link is there twice",
                "shootout --connect a=h,link=fast | --connect a=h,link=fast: 'fast' is not a speed like 1gbe, 2.5g",
                "shootout --connect a=h,admin=ftp://h | --connect a=h,admin=ftp://h: 'ftp://h' is no URL like http",
                "shootout --csv --json        | --json, --csv and --markdown exclude each other",
                "diff here                    | Missing required parameter: 'B'",
                "shootout --connect h         | '--connect' (NAME=HOST) should be in KEY=VALUE format",
                "shootout --connect a=h:x     | --connect: endpoint 'h:x' has the port 'x'",
                "compare --rate 5             | what with? give --a, --b, --a-dir, --b-dir, --a-command or --b-command",
                "compare --b= --within 0      | --within 0.0 is not within 0.1..100.0",
                "compare --b= --within 101    | --within 101.0 is not within 0.1..100.0",
                "compare --b= --within NaN    | --within NaN is not within 0.1..100.0",
                "compare --b= --minutes 0     | --minutes 0.0 is not within 0.01..600.0",
                "compare --b= --fail-below -1 | --fail-below -1.0 is not within 0.0..10.0",
                "compare --b= --pairs 0       | --pairs 0 is not within 1..100",
                "compare --b= --subscribers 0 | --subscribers 0 is not within 1..10000",
                "compare --b= --duration 0    | --duration 0 is not above 0",
                "compare --b-dir /nowhere     | --b-dir /nowhere is no directory",
                "compare --a-dir /            | --a-dir: no relay-server/target/relay-server-*-all.jar in /: build it",
                "compare --b-command nc       | --b-command needs {publish} and {subscribe}",
                "compare --b-dir / --b-command {publish}{subscribe} | --b-dir and --b-command exclude each other",
                "compare --b-command x{publish} | --b-command needs {publish} and {subscribe}",
                "compare --a=--slow-subscriber=maybe | --a: Invalid value for option '--slow-subscriber': 'maybe' is no policy",
                "nonsense                     | nonsense",
            })
    void isRefused(String commandLine, String message) {
        StringWriter err = new StringWriter();
        int code = execute(err, commandLine.trim().split(" +"));
        assertThat(err.toString()).contains(message.trim());
        assertThat(code).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandTellsItsVersion(List<String> names) {
        for (String flag : List.of("--version", "-V")) {
            assertThat(said(names, flag).strip()).isEqualTo("loadgen " + Origin.build());
        }
    }

    /** Whatever picocli takes the output for. */
    @ParameterizedTest
    @MethodSource("commands")
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void helpHasNoEscapeCodes(List<String> names) {
        System.setProperty("picocli.ansi", "true");
        String help;
        try {
            help = said(names, "--help");
        } finally {
            System.clearProperty("picocli.ansi");
        }
        assertThat(help).contains("loadgen").doesNotContain("\u001b");
    }

    @Test
    void listsEachCommandWithASentence() {
        LoadgenMain.commandLine(new LoadgenMain()).getSubcommands().forEach((name, command) -> assertThat(
                        command.getCommandSpec().usageMessage().description()[0])
                .as(name)
                .endsWith("."));
    }

    private static String said(List<String> names, String flag) {
        StringWriter out = new StringWriter();
        String[] args = Stream.concat(names.stream(), Stream.of(flag)).toArray(String[]::new);
        int code = LoadgenMain.commandLine(new LoadgenMain())
                .setOut(new PrintWriter(out, true))
                .execute(args);
        assertThat(code).isZero();
        return out.toString();
    }

    static List<List<String>> commands() {
        return Commands.of(LoadgenMain.commandLine(new LoadgenMain()));
    }

    /**
     * A run has few options, none of which hides others behind key=value; each text is a sentence that stands alone.
     */
    @Test
    void theOptionsOfARunAreThese() {
        CommandLine run =
                LoadgenMain.commandLine(new LoadgenMain()).getSubcommands().get("run");
        assertThat(run.getCommandSpec().options().stream()
                        .map(option -> option.longestName())
                        .filter(name -> !List.of("--help", "--version").contains(name)))
                .containsExactlyInAnyOrder(
                        "--connect --connect-subscribe --connect-timeout --admin --link --lane --publishers --subscribers"
                                .concat(
                                        " --body --types --rate --p99 --min-rate --duration --warmup --ack --client --check --tls")
                                .concat(
                                        " --context --from --interval --joins --slow-readers --slow-subscriber --relay-arg --relay-java-opts --json")
                                .concat(" --html --explain --local-congestion --no-plain-relay")
                                .split(" "));
        assertThat(run.getCommandSpec().options())
                .allSatisfy(option -> assertThat(String.join(" ", option.description()))
                        .as(option.longestName())
                        .hasSizeLessThanOrEqualTo(100)
                        .matches("(?s)[A-Z].*\\."));
    }

    @Test
    void allCommandsTogetherHaveFewOptions() {
        Set<String> options = LoadgenMain.commandLine(new LoadgenMain()).getSubcommands().values().stream()
                .flatMap(command -> command.getCommandSpec().options().stream())
                .map(OptionSpec::longestName)
                .collect(Collectors.toCollection(TreeSet::new));
        options.addAll(List.of("--quick", "--rounds", "--duration", "--size", "--dir", "--json", "--html"));
        assertThat(options)
                .hasSizeLessThanOrEqualTo(75 + List.of("--help", "--version").size());
    }

    /** What a user needs first, on one screen: examples, and a few options. */
    @ParameterizedTest
    @ValueSource(strings = {"run", "shootout", "compare"})
    void helpBeginsWithExamples(String name) {
        String help = said(List.of(name), "--help");
        assertThat(help.lines()).hasSizeLessThan(60).allMatch(line -> line.length() <= 80);
        assertThat(help)
                .contains("\nExamples:\n  loadgen " + name, "Every option: loadgen " + name + " --help=all")
                .doesNotContain("--relay-java-opts");
        ExitCodes.table().forEach((code, words) -> assertThat(help).containsPattern("(?m)^ +" + code + " +" + words));
        assertThat(said(List.of(name), "--help=all")).contains("\nExamples:\n  loadgen " + name, "--relay-java-opts");
    }

    /** Exit codes have one table, in each help; a sentence beside it had other ones. */
    @Test
    void noDescriptionNamesAnExitCode() {
        LoadgenMain.commandLine(new LoadgenMain()).getSubcommands().forEach((name, command) -> assertThat(
                        String.join(" ", command.getCommandSpec().usageMessage().description()))
                .as(name)
                .isNotEmpty()
                .doesNotContainIgnoringCase("exit"));
    }

    @Test
    void eachExampleIsTaken() {
        List<String> examples = CommandParser.examples(LoadgenMain.commandLine(new LoadgenMain()));
        assertThat(examples).hasSizeGreaterThanOrEqualTo(12);
        for (String example : examples) {
            String[] words = example.split(" ");
            assertThat(words[0]).isEqualTo("loadgen");
            LoadgenMain.commandLine(new LoadgenMain()).parseArgs(Arrays.copyOfRange(words, 1, words.length));
        }
    }

    @Test
    void noCommandAtAllIsRefused() {
        StringWriter err = new StringWriter();
        assertThat(execute(err)).isEqualTo(2);
        assertThat(err.toString()).contains("which command? run, doctor, ceiling, shootout, compare, diff");
    }

    private static int execute(StringWriter err, String... args) {
        CommandLine command = LoadgenMain.commandLine(new LoadgenMain());
        command.setErr(new PrintWriter(err, true));
        command.setOut(new PrintWriter(new StringWriter(), true));
        return command.execute(args);
    }
}
