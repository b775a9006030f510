package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.testing.Commands;
import dev.msgrelay.testing.ThisMachine;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.OptionSpec;

/** A wrong flag: exit code 2 and one line that names the value and the limit. A start that fails: exit code 1. */
class WrongFlagsTest {
    private static CommandRun run(String... args) {
        return CommandRun.with(Map.of(), args);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--no-such-flag | --no-such-flag",
                "--publish-port=seven | 'seven' is neither none nor a port",
                "--tls-subscribe-port=-1 | '-1' is neither none nor a port",
                "--publish-port=65536 | publish port 65536 is not within 0..65535",
                "--subscribe-port=7401 | both 7401",
                "--mtu=575 | mtu 575 is not within 576..65536",
                "--ring-size=3m | ring size 3145728 is not a power of two",
                "--log-size=1m | log size 1048576 is not within",
                "--log-size=64000001 | log size 64000001 is not a multiple of",
                "--state=1m | state 1048576 is not within 1223390..1073741824 (max body 1048576)",
                "--state=64x | 64x' is not a size",
                "--state-types=9-1 | range 9 to 1 runs backwards",
                "--state-types=1-9 | state types 1-9 need --state",
                "--max-body=0 | max body 0 is not within 1..67108864",
                "--max-body=1x | 1x' is not a size",
                "--event-loops=0 | event loops 0 is not within 1..64",
                "--reader-loops=64 | reader loops 64 is not within 0..63",
                "--event-loops=-1 | '-1' is neither auto nor a number of event loops",
                "--stall-timeout=0 | stall timeout",
                "--stall-timeout=soon | soon' is not a duration",
                "--slow-subscriber=wait | wait",
                "--allow-policies=disconnect,wait | wait",
                "--slow-subscriber=relay_default | 'relay_default' is no policy: disconnect, backpressure, skip, replay or latest",
                "--slow-subscriber=latest | slow subscriber latest is no policy for all",
                "--conflate-after=1023 | conflate after 1023",
                "--allow-policies=skip,RELAY_DEFAULT | 'RELAY_DEFAULT' is no policy: disconnect, backpressure, skip, replay or latest",
                "--heartbeat=99ms | heartbeat 99 ms is not within 100..3600000 ms",
                "--heartbeat=16s | idle timeout 15000 ms is not within 16000..86400000 ms",
                "--heartbeat=often | often' is not a duration",
                "--idle-timeout=4s | idle timeout 4000 ms is not within 5000..86400000 ms",
                "--handshake-timeout=0 | handshake timeout 0 ms is not within 1..86400000 ms",
                "--max-connections=0 | max connections 0 is not within 1..1000000",
                "--max-connections=1000001 | max connections 1000001 is not within 1..1000000",
                "--max-connections=many | many",
                "--max-publishers=0 | max publishers 0 is not within 1..1000000",
                "--max-publishers=1000001 | max publishers 1000001 is not within 1..1000000",
                "--pin-size=1m | pin size 1048576 is not within 2097160..1073741824 (max body 1048576)",
                "--pin-size=lots | lots' is not a size",
                "--assembly-size=2m | assembly size 2097152 is not within 2097168..1073741824 (max body 1048576)",
                "--filter-size=1k | filter size 1024 is not within 65536..1073741824",
                "--control-size=32k | control size 32768 is not within 65536..1073741824",
                "--control-size-per-connection=31k | control size per connection 31744 is not within 32768..",
                "--frame-timeout=0 | frame timeout 0 ms is not within 1..86400000 ms",
                "--frame-timeout=later | later' is not a duration",
                "--min-rate=0 | min rate 0 is not within 1..1073741824",
                "--max-per-address=0 | max per address 0 is not within 1..1000000",
                "--handshakes-per-address=0 | handshakes per address 0 is not within 1..1000000",
                "--replays-per-address=1000001 | replays per address 1000001 is not within 1..1000000",
                "--peer-timeout=1s | peer timeout 1000 ms is not within 2000..86400000 ms",
                "--max-heartbeat=99ms | max heartbeat 99 ms is not within 100..3600000 ms",
                "--publisher-silence=1441m | publisher silence 86460000 ms is not within 0..86400000 ms",
                "--name-hold=1441m | name hold 86460000 ms is not within 0..86400000 ms",
                "--connections=999ms | connections every 999ms is more often than every 1s",
                "--admin=nine | admin 'nine' is neither none, nor host:port",
                "--admin=127.0.0.1:65536 | admin port 65536 is not within 0..65535",
                "--admin=0.0.0.0:7402 | admin 0.0.0.0:7402 is beyond loopback: that needs TLS and a token: --admin https://0.0.0.0",
                "--admin=https://0.0.0.0:7402 | admin 0.0.0.0:7402 is beyond loopback: that needs TLS and a token",
                "--admin=https://127.0.0.1:7402 | admin https://127.0.0.1:7402 needs --tls-cert and --tls-key",
                "--admin-token=secret | admin token is not sha256: and 64 hex digits in lower case",
                "--health=nine | health 'nine' is neither host:port, nor :port, nor port, nor [ipv6]:port",
                "--metrics-names=1001 | metrics names 1001 is not within 0..1000",
                "--metrics-names=12345678901 | metrics names 12345678901 is not within 0..1000",
                "--metrics-names=-1 | metrics names -1 is not within 0..1000",
                "--proxy-protocol=required | proxy protocol required needs the networks of the proxies: --proxy-from",
                "--proxy-protocol=optional | optional",
                "--proxy-from=10.0.0.0/8 | proxy from needs --proxy-protocol required",
                "--proxy-from=10.0.0.1/8 | '10.0.0.1/8' has bits behind its first 8: these must be 0",
                "--proxy-protocol=required --proxy-from=10.0.0.0/8,here | 'here' is neither an address, nor a network",
                "--proxy-protocol=required --proxy-from=unix | proxy from has unix: the PROXY protocol is for TCP",
                "--transport=kqueue | kqueue",
                "--local-congestion=no_such_name | local congestion 'no_such_name' is not",
                "--congestion=a.b | 'a.b' is no name of 1 to 15 letters",
                "extra | extra"
            })
    void exitCodeTwoAndALineThatSaysWhy(String flag, String words) {
        CommandRun run = run(flag.split(" ")).ended(2);
        assertThat(run.errors())
                .hasSize(2)
                .first(STRING)
                .startsWith("relay-server: ")
                .contains(words);
        assertThat(run.lines()).isEmpty();
    }

    @Test
    void aPortThatIsTakenIsAFailure() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CommandRun run = CommandRun.of("--subscribe-port=" + taken.getLocalPort());
            run.assertRefused(1, "cannot listen on 127.0.0.1:" + taken.getLocalPort());
            assertThat(run.errors()).hasSize(1);
        }
    }

    @Test
    void theMemoryThatIsMissingIsNamedWithWhatToGive() {
        // Tests run with less direct memory than this log takes.
        CommandRun run = CommandRun.of("--log-size=1g").ended(1);
        assertThat(run.errors())
                .singleElement(STRING)
                .containsPattern(
                        "relay-server: the relay's memory is \\d+ bytes of direct memory, and the JVM allows \\d+:")
                .containsPattern("give -XX:MaxDirectMemorySize=\\d+m or more, or smaller sizes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--max-body=16m", "--max-body=64m", "--max-body=64m --journal=no-such-directory"})
    void aLongerBodyNeedsNoFurtherOption(String flags) {
        CommandRun.check(flags.split(" ")).ended(0);
    }

    /** A default that follows from other options stands in the text, and is no 0. */
    @Test
    void helpHasOneDefaultForEachOption() {
        List<String> options = List.of(help().split("\n(?=  -\\w, |      --)"));
        for (String name :
                List.of("--log-size", "--ring-size", "--pin-size", "--assembly-size", "--replay-size", "--name-hold")) {
            assertThat(options)
                    .filteredOn(option -> option.strip().startsWith(name + "="))
                    .singleElement(STRING)
                    .containsOnlyOnce("Default:");
        }
        assertThat(options)
                .filteredOn(option -> option.strip().startsWith("--node="))
                .singleElement(STRING)
                .doesNotContain("Default:");
    }

    private static String help() {
        return run("--help=all").ended(0).output() + "\n";
    }

    @Test
    void helpSaysWhatThereIs() {
        String help = help();
        assertThat(help)
                .contains("Usage: relay-server [OPTIONS]")
                .containsPattern("auto,\\s+epoll,\\s+nio")
                .containsPattern("disconnect,\\s+backpressure,\\s+skip")
                .contains("Exit codes")
                .containsPattern("Times: seconds, or with ms,\\s+s, m, h or d\\.")
                .doesNotContain("\u001b");
        assertThat(help.lines()).allMatch(line -> line.length() <= 80);
        assertThat(List.of(
                        "Configuration:",
                        "Listening:",
                        "Stream and memory:",
                        "Clients:",
                        "Limits:",
                        "Admin port:",
                        "Output:",
                        "Help:"))
                .allMatch(heading -> help.contains("\n\n" + heading + "\n"));
        // Each option once, under one of them.
        for (OptionSpec option : RelayServerMain.commandLine().getCommandSpec().options()) {
            String line = "(  -\\w, |      )" + option.longestName() + "[ =\\[].*";
            assertThat(help.lines().filter(l -> l.matches(line)))
                    .as(option.longestName())
                    .hasSize(1);
        }
    }

    @Test
    void helpBeginsWithExamples() {
        CommandRun run = run("--help").ended(0);
        assertThat(run.lines()).hasSizeLessThan(60).allMatch(line -> line.length() <= 80);
        assertThat(run.output())
                .contains("\nExamples:\n  relay-server\n", "--journal=DIR", "Every option: relay-server --help=all")
                .doesNotContain("--max-heartbeat");
        assertThat(help()).contains("\nExamples:\n  relay-server\n");
        assertThat(run("--help=some").errors().get(0)).contains("'some' is not all");
    }

    @Test
    void eachExampleIsTaken() {
        List<String> examples = CommandParser.examples(RelayServerMain.commandLine());
        assertThat(examples).hasSizeGreaterThanOrEqualTo(9);
        for (String example : examples) {
            String[] words = example.split(" ");
            assertThat(words[0]).isEqualTo("relay-server");
            RelayServerMain.commandLine().parseArgs(Arrays.copyOfRange(words, 1, words.length));
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandTellsItsVersion(List<String> names) {
        for (String flag : List.of("--version", "-V")) {
            CommandRun run = run(with(names, flag)).ended(0);
            assertThat(run.output()).startsWith("relay-server ").contains("JVM " + ThisMachine.javaVersion());
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void helpHasNoEscapeCodes(List<String> names) {
        System.setProperty("picocli.ansi", "true");
        try {
            CommandRun run = run(with(names, "--help")).ended(0);
            assertThat(run.output()).contains("relay-server").doesNotContain("\u001b");
        } finally {
            System.clearProperty("picocli.ansi");
        }
    }

    private static String[] with(List<String> names, String flag) {
        return Stream.concat(names.stream(), Stream.of(flag)).toArray(String[]::new);
    }

    /** All there are, by the words that name them. */
    static List<List<String>> commands() {
        return Commands.of(RelayServerMain.commandLine());
    }
}
