package dev.msgrelay.server.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.access.Identity;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.OddFiles;
import dev.msgrelay.testing.ShortFolders;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Each option has three ways to be set, and they mean the same; what is wrong is told with file and line. */
class ConfigurationTest {
    private static final String FLAG = "flag";
    private static final String HASH = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    private static final Map<String, OptionSpec> DEFAULTS = parsed(Map.of());

    @TempDir(factory = ShortFolders.class)
    private Path folder;

    private Path file(String... lines) throws IOException {
        return Files.write(folder.resolve("relay.conf"), List.of(lines));
    }

    private static Map<String, OptionSpec> parsed(Map<String, String> environment, String... args) {
        RelayServerCommand command = new RelayServerCommand(null, null);
        CommandLine line = RelayServerMain.commandLine(command);
        command.configure(line, environment, args);
        line.parseArgs(args);
        return Configuration.options(line.getCommandSpec());
    }

    @Test
    void theRelayHasTheSameDefaults() {
        assertThat(config(Map.of())).isEqualTo(RelayConfig.builder().build());
    }

    private static RelayConfig config(Map<String, String> environment, String... args) {
        return new RelayServerCommand(null, null).parsed(environment, args).config();
    }

    @Test
    void whatClientsMayAskFor() {
        assertThat(config(
                        Map.of(),
                        "--slow-subscriber=skip",
                        "--allow-policies=backpressure",
                        "--heartbeat=2m",
                        "--idle-timeout=7m",
                        "--handshake-timeout=200ms",
                        "--max-connections=3",
                        "--max-publishers=1"))
                .isEqualTo(RelayConfig.builder()
                        .set(SLOW_SUBSCRIBER, Policy.SKIP)
                        .set(ALLOW_POLICIES, Set.of(Policy.BACKPRESSURE))
                        .set(HEARTBEAT, Duration.ofMinutes(2))
                        .set(IDLE_TIMEOUT, Duration.ofMinutes(7))
                        .set(HANDSHAKE_TIMEOUT, Duration.ofMillis(200))
                        .set(MAX_CONNECTIONS, 3)
                        .set(MAX_PUBLISHERS, 1)
                        .build());
    }

    private static Object value(Map<String, OptionSpec> options, String option) {
        return options.get(option).getValue();
    }

    private static AccessPolicy access(Path file) {
        return Configuration.read(RelayServerMain.commandLine().getCommandSpec(), Map.of(), "--config", file.toString())
                .access()
                .orElse(null);
    }

    static List<String> options() {
        return List.copyOf(Configuration.options(RelayServerMain.commandLine().getCommandSpec())
                .keySet());
    }

    /**
     * What an option has by default, as somebody would write it; null: nothing, as paths and the table of connections.
     */
    private static String usual(OptionSpec option) {
        return option.arity().max() == 0 ? "false" : option.defaultValue();
    }

    static List<String> optionsWithADefault() {
        return options().stream()
                .filter(option -> usual(DEFAULTS.get(option)) != null)
                .toList();
    }

    /** What takes any text for now is looked at when all of it is there: whatIsWrongInIt. */
    static List<String> optionsThatTakeNotAnyText() {
        List<String> anyText = List.of(
                ("bind publish-socket subscribe-socket socket-mode socket-group journal cluster admin admin-token health metrics-names"
                                + " tls-cert tls-key tls-clients")
                        .split(" "));
        return options().stream().filter(option -> !anyText.contains(option)).toList();
    }

    private static String other(String option) {
        return JvmLimitsTest.OTHERS.getOrDefault("--" + option, "true");
    }

    // ---- parity: generated from the command's own options -------------------------------------------------------

    /** Values of several options, each set in so many ways: to another value than the default, and to the default. */
    private record Ways(
            Map<String, Map<String, OptionSpec>> toOther,
            Map<String, OptionSpec> asToldByDefault,
            Map<String, OptionSpec> usualByEnvironment,
            Map<String, OptionSpec> usualByFlag) {
        static Ways of(List<String> options, Path file) throws IOException {
            Map<String, String> environment = new HashMap<>();
            Map<String, String> empty = new HashMap<>();
            Map<String, String> usually = new HashMap<>();
            List<String> flags = new ArrayList<>(List.of("--config=" + file));
            for (String option : options) {
                String variable = Configuration.variable(option);
                environment.put(variable, other(option));
                empty.put(variable, "");
                String usual = usual(DEFAULTS.get(option));
                if (usual != null) {
                    usually.put(variable, usual);
                    flags.add("--" + option + "=" + usual);
                }
            }
            Files.write(file, each(options, option -> option + " = \"" + other(option) + '"'));
            Map<String, OptionSpec> byEnvironment = parsed(environment);
            return new Ways(
                    Map.of(
                            FLAG,
                            parsed(Map.of(), flags(options, ConfigurationTest::other)),
                            "environment",
                            byEnvironment,
                            "file",
                            parsed(Map.of(), "--config=" + file),
                            "file of the environment",
                            parsed(Map.of("RELAY_CONFIG", file.toString())),
                            "file where it is empty in the environment",
                            parsed(empty, "--config", file.toString()),
                            "as a reload tells it",
                            parsed(Map.of(), told(options, byEnvironment))),
                    parsed(Map.of(), told(options, DEFAULTS)),
                    parsed(usually, "--config=" + file),
                    parsed(environment, flags.toArray(String[]::new)));
        }

        /** A reload tells them, as somebody would write them. */
        private static String[] told(List<String> options, Map<String, OptionSpec> values) {
            return flags(
                    options.stream()
                            .filter(option ->
                                    !Reloading.valueText(values.get(option)).equals("not set"))
                            .toList(),
                    option -> Reloading.valueText(values.get(option)));
        }
    }

    private static List<String> each(List<String> options, UnaryOperator<String> form) {
        return options.stream().map(form).toList();
    }

    private static String[] flags(List<String> options, UnaryOperator<String> value) {
        return each(options, option -> "--" + option + "=" + value.apply(option))
                .toArray(String[]::new);
    }

    /** A file of a cluster is read for more than that. */
    private static final String CLUSTER = "cluster";

    private static Ways others;
    private static Ways cluster;

    @BeforeAll
    static void everyWay(@TempDir(factory = ShortFolders.class) Path files) throws IOException {
        others = Ways.of(options().stream().filter(o -> !o.equals(CLUSTER)).toList(), files.resolve("others.conf"));
        cluster = Ways.of(List.of(CLUSTER), files.resolve("cluster.conf"));
    }

    @ParameterizedTest
    @MethodSource("options")
    void eachOptionIsTheSameByFlagEnvironmentAndFile(String option) {
        Ways ways = option.equals(CLUSTER) ? cluster : others;
        Object byDefault = value(DEFAULTS, option);
        Object byFlag = value(ways.toOther.get(FLAG), option);
        assertThat(byFlag).as("another value than the default").isNotNull().isNotEqualTo(byDefault);
        ways.toOther.forEach(
                (way, options) -> assertThat(value(options, option)).as(way).isEqualTo(byFlag));
        assertThat(value(ways.asToldByDefault, option)).isEqualTo(byDefault);
    }

    @ParameterizedTest
    @MethodSource("optionsWithADefault")
    void aFlagBeforeTheEnvironmentBeforeTheFile(String option) {
        Ways ways = option.equals(CLUSTER) ? cluster : others;
        Object byDefault = value(DEFAULTS, option);
        assertThat(value(ways.usualByEnvironment, option)).isEqualTo(byDefault);
        assertThat(value(ways.usualByFlag, option)).isEqualTo(byDefault);
    }

    /** A flag says yes, whatever stands in the file already. */
    @Test
    void aFlagWithoutAValueIsNoSwitch() throws Exception {
        for (String option : options()) {
            if (DEFAULTS.get(option).arity().max() == 0) {
                Path file = file(option + " = true");
                assertThat(value(parsed(Map.of(), "--config=" + file, "--" + option), option))
                        .as(option)
                        .isEqualTo(true);
            }
        }
    }

    /** Other programs put variables in the place of such texts. */
    @ParameterizedTest
    @ValueSource(strings = {"/a/${user.dir}/j", "/a/${nosuch}", "/a/$${x}", "/a/$b/@c", "@c", "'a'"})
    void aTextIsTakenAsItIs(String text) throws Exception {
        Path file = file("journal = \"" + text + '"');
        for (Map<String, OptionSpec> options : List.of(
                parsed(Map.of(), "--journal=" + text),
                parsed(Map.of(), "--journal", text),
                parsed(Map.of("RELAY_JOURNAL", text)),
                parsed(Map.of(), "--config=" + file))) {
            assertThat(value(options, "journal")).hasToString(text);
        }
    }

    /** The library takes these for numbers, which it writes in its own way. */
    @ParameterizedTest
    @ValueSource(strings = {"007", "2026.10", "1e3", "-0", "true"})
    void aNumberIsTakenAsItIsWritten(String text) throws Exception {
        assertThat(value(parsed(Map.of(), "--config=" + file("journal = " + text)), "journal"))
                .hasToString(text);
    }

    @ParameterizedTest
    @MethodSource("optionsThatTakeNotAnyText")
    void aValueThatIsNoneIsToldWithItsPlace(String option) throws Exception {
        Path file = file("# one", "", option + " = \"no, never\"");
        assertThatThrownBy(() -> parsed(Map.of(), "--config=" + file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(file + ":3: ")
                .hasMessageContaining("--" + option);
    }

    @ParameterizedTest
    @ValueSource(strings = {"publish-port", "log-size", "heartbeat", "slow-subscriber"})
    void aVariableWithAValueThatIsNoneIsNamed(String option) {
        assertThatThrownBy(() -> parsed(Map.of(Configuration.variable(option), "no, never")))
                .hasMessageStartingWith(Configuration.variable(option) + ": ");
    }

    // ---- what is none of the relay's ---------------------------------------------------------------------------

    /** As in a namespace with Services called relay-publish, relay-tls-subscribe and so on. */
    private static Map<String, String> ofServices() {
        Map<String, String> environment = new HashMap<>();
        for (String service : List.of("PUBLISH", "SUBSCRIBE", "TLS_PUBLISH", "TLS_SUBSCRIBE", "ADMIN")) {
            String name = "RELAY_" + service;
            environment.put(name + "_SERVICE_HOST", "10.0.0.1");
            environment.put(name + "_SERVICE_PORT", "7401");
            environment.put(name + "_PORT", "tcp://10.0.0.1:7401");
            environment.put(name + "_PORT_7401_TCP", "tcp://10.0.0.1:7401");
            environment.put(name + "_PORT_7401_TCP_PROTO", "tcp");
            environment.put(name + "_PORT_7401_TCP_PORT", "7401");
            environment.put(name + "_PORT_7401_TCP_ADDR", "10.0.0.1");
        }
        environment.put("RELAY_PORT", "udp://[fd00::1]:53");
        return environment;
    }

    @Test
    void whatKubernetesSetsForAServiceIsPassedOver() throws Exception {
        Map<String, OptionSpec> options = parsed(ofServices());
        for (String option : List.of("publish-port", "subscribe-port", "tls-publish-port", "tls-subscribe-port")) {
            assertThat(value(options, option)).isEqualTo(value(DEFAULTS, option));
        }
        for (String stronger : List.of("--publish-port=7777", "--config=" + file("publish-port = 7777"))) {
            assertThat(value(parsed(ofServices(), stronger), "publish-port")).isEqualTo(7777);
        }
        CommandRun told = CommandRun.with(ofServices(), "--check-config").ended(0);
        assertThat(told.errors())
                .hasSize(4)
                .allMatch(line -> line.startsWith("relay-server: RELAY_") && line.contains(" is ignored: "))
                .anyMatch(line -> line.contains("RELAY_PUBLISH_PORT=tcp://10.0.0.1:7401"));
    }

    /** In the image, where 127.0.0.1 is the container: all addresses as soon as it is known who may do what. */
    @Test
    void theDefaultInTheImage() throws Exception {
        Map<String, String> image = Map.of("RELAY_IMAGE", "1");
        assertThat(host(Map.of())).isEqualTo("127.0.0.1");
        assertThat(host(image)).isEqualTo("127.0.0.1");
        assertThat(host(image, "--insecure")).isEqualTo("0.0.0.0");
        assertThat(host(image, "--insecure", "--bind=127.0.0.1")).isEqualTo("127.0.0.1");
        Path access = file("access { a { from = \"10.0.0.0/8\", subscribe = all } }");
        assertThat(host(image, "--config=" + access)).isEqualTo("0.0.0.0");
        assertThat(host(image, "--config=" + file("bind = 127.0.0.2", "insecure = true")))
                .isEqualTo("127.0.0.2");
        assertThat(host(Map.of(), "--bind=auto", "--insecure")).isEqualTo("0.0.0.0");
    }

    private static String host(Map<String, String> environment, String... args) {
        return config(environment, args).listen().host();
    }

    /** Only a port's variable looks like that of a service by chance. */
    @ParameterizedTest
    @CsvSource({
        "RELAY_PUBLISH_PORT, 74O1",
        "RELAY_PUBLISH_PORT, tcp:7401",
        "RELAY_PUBLISH_PORT, 7401/tcp",
        "RELAY_PUBLISH_PORT, tcp://10.0.0.1",
        "RELAY_PUBLISH_PORT, http://10.0.0.1:7401",
        "RELAY_LOG_SIZE, tcp://10.0.0.1:7401"
    })
    void whatNoServiceSetsIsRefused(String variable, String value) {
        CommandRun.with(Map.of(variable, value), "--check-config").assertRefused(2, variable + ": ");
    }

    @Test
    void whatAStrongerSourceOverridesNeedNotBeValid() throws Exception {
        List<String> options = optionsThatTakeNotAnyText();
        Map<String, String> right = new HashMap<>();
        Map<String, String> wrong = new HashMap<>();
        for (String option : options) {
            right.put(Configuration.variable(option), other(option));
            wrong.put(Configuration.variable(option), "no, never");
        }
        String file = "--config="
                + file(each(options, option -> option + " = \"no, never\"").toArray(String[]::new));
        Map<String, OptionSpec> wanted = parsed(Map.of(), flags(options, ConfigurationTest::other));
        List<String> flags = new ArrayList<>(List.of(flags(options, ConfigurationTest::other)));
        flags.add(file);
        Map<String, OptionSpec> byFlag = parsed(wrong, flags.toArray(String[]::new));
        Map<String, OptionSpec> byEnvironment = parsed(right, file);
        assertThat(options)
                .allSatisfy(o -> assertThat(value(byFlag, o)).isEqualTo(value(wanted, o)))
                .allSatisfy(o -> assertThat(value(byEnvironment, o)).isEqualTo(value(wanted, o)));
    }

    @Test
    void whatTheLocaleHasLostIsRefused() {
        CommandRun flag = CommandRun.check("--config=gr\uFFFD\uFFFD.conf").ended(2);
        assertThat(flag.error()).contains("set LC_ALL=C.UTF-8").doesNotContain("InvalidPath");
        CommandRun variable = CommandRun.with(Map.of("RELAY_TLS_CERT", "gr\uFFFD\uFFFD.pem"), "--check-config");
        variable.assertRefused(2, "RELAY_TLS_CERT: ");
        assertThat(variable.error()).contains("set LC_ALL=C.UTF-8");
    }

    // ---- the file ----------------------------------------------------------------------------------------------

    @Test
    void whatStandsBesideTheClustersBlockIsReadToo() throws Exception {
        Path file = file("cluster { name = orders }", "log-size = 64m");
        assertThat(parsed(Map.of(), "--cluster=" + file).get("log-size").<Integer>getValue())
                .isEqualTo(64 << 20);
        assertThat(value(parsed(Map.of("RELAY_CLUSTER", file.toString())), "cluster"))
                .isEqualTo(file);
        assertThat(value(parsed(Map.of(), "--config=" + file), "cluster")).isNull();
    }

    @ParameterizedTest
    @CsvSource({"log-size = 64m, log-size stands beside", "access {}, access stands beside"})
    void nothingStandsUnreadBesideTheClustersBlock(String beside, String error) throws Exception {
        Path cluster = Files.write(folder.resolve("cluster.conf"), List.of("cluster { name = orders }", beside));
        Path config = file("log-size = 32m");
        assertThatThrownBy(() -> parsed(Map.of(), "--cluster=" + cluster, "--config=" + config))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(cluster + ":2: " + error)
                .hasMessageContaining("since --config names " + config);
        Path naming = file("cluster = \"" + cluster + '"');
        assertThatThrownBy(() -> parsed(Map.of(), "--config=" + naming))
                .hasMessageStartingWith(cluster + ":2: " + error);
    }

    @Test
    void theClustersBlockHasTheStateOfAllNodes() throws Exception {
        Path cluster = Files.write(
                folder.resolve("cluster.conf"),
                List.of("cluster { name = orders", "state = 64m", "state-types = \"1-99\" }"));
        Path config = file("log-size = 32m");
        for (String[] way : new String[][] {{"--cluster=" + cluster}, {"--cluster=" + cluster, "--config=" + config}}) {
            Map<String, OptionSpec> options = parsed(Map.of(), way);
            assertThat(options.get("state").<Integer>getValue()).isEqualTo(64 << 20);
            assertThat(value(options, "state-types")).isEqualTo(TypeRanges.of(1, 99));
        }
        // It is read for a node alone, and behind what the node has itself, which relay-cluster compares with it.
        assertThat(value(parsed(Map.of(), "--config=" + cluster), "state")).isNull();
        assertThat(value(parsed(Map.of(), "--cluster=" + cluster, "--state", "1m"), "state"))
                .isEqualTo(1 << 20);
        assertThat(value(parsed(Map.of("RELAY_STATE", "2m"), "--cluster=" + cluster), "state"))
                .isEqualTo(2 << 20);
        Path naming = file("cluster = \"" + cluster + '"', "state = 3m");
        assertThat(value(parsed(Map.of(), "--config=" + naming), "state")).isEqualTo(3 << 20);

        Files.write(cluster, List.of("cluster { name = orders", "state = much }"));
        assertThatThrownBy(() -> parsed(Map.of(), "--cluster=" + cluster))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(cluster + ":2: ")
                .hasMessageContaining("'much' is not a size");
    }

    @Test
    void sectionsListsNumbersAndWords() throws Exception {
        Path file = file(
                "log { size = 64m }",
                "max { connections = 7, publishers = 3 }",
                "allow-policies = [disconnect, skip, backpressure]",
                "bind = 127.0.0.1, quiet = true",
                "heartbeat = 2s");
        Map<String, OptionSpec> options = parsed(Map.of(), "--config", file.toString());
        assertThat(List.of("log-size", "max-connections", "max-publishers", "bind"))
                .extracting(option -> value(options, option))
                .containsExactly(64 << 20, 7, 3, "127.0.0.1");
        assertThat(options.get("allow-policies").<List<?>>getValue()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "log-sise = 64m | :2: unknown key log-sise; there is log-size",
                "tcp { nodelay = true } | :2: unknown key tcp-nodelay",
                "help = true | :2: unknown key help",
                "config = other.conf | :2: unknown key config",
                "log-size = null | :2: log-size must be a value",
                "log { size = 1m }, log-size = 2m | :2: log-size is given here, and at",
                "access = everybody | :2: access is a block",
                "slow-subscriber = relay_default | :2: Invalid value for option '--slow-subscriber'",
                "log-size = 64x | :2: Invalid value for option '--log-size'",
                "log-size = 1m | :2: log size 1048576 is not within",
                "log-size = } | :2: ",
                "mtu = ${nothing} | :2: ",
                "bind = \"10.1.2.3\" | :2: bind 10.1.2.3 is beyond this host",
                "tls { cert = c.pem } | :2: TLS cert c.pem needs its key: --tls-key",
                "tls-key = k.pem | :2: TLS key k.pem needs its certificate: --tls-cert",
                "tls-clients = ca.pem | :2: TLS clients ca.pem needs --tls-cert and --tls-key",
                "tls-clients-optional = true | :2: TLS clients optional needs --tls-clients",
                "tls { publish-port = 99999 } | :2: TLS publish port 99999 is not within 0..65535",
                "tls-size = 1k | :2: TLS size 1024 is not within 1048576..",
                "tls-provider = mine | :2: Invalid value for option '--tls-provider'",
                "transport = select | :2: Invalid value for option '--transport': expected one of [AUTO, EPOLL, NIO]",
                "journal-segment = 1k | :2: journal segment 1024 is not within 4096..1073741824",
                "journal = \"\" | :2: journal is empty: it is the name of a directory",
                "publish-socket = \"\" | :2: publish socket is empty: it is the path of a file",
                "journal = j, journal-segment = 1m | :2: journal segment 1048576 is too short: the longest frame (max body",
                "journal-keep = 1m | :2: journal keep 1048576 is less than two segments of 134217728",
                "journal-keep = 0d | :2: journal keep 0 ms is not within 1..",
                "journal-keep = soon | :2: Invalid value for option '--journal-keep'",
                "journal-force = 0 | :2: journal force 0 ms is not within 1..3600000",
                "journal-failure = never | :2: Invalid value for option '--journal-failure'",
                "admin = never | :2: admin 'never' is neither none, nor host:port",
                "admin { token = never } | :2: admin token is not sha256:"
            })
    void whatIsWrongInIt(String line, String words) throws Exception {
        Path file = file("# a comment", line);
        CommandRun run = CommandRun.check("--config=" + file).ended(2);
        assertThat(run.errors()).hasSize(2).first().asString().startsWith("relay-server: " + file + words);
    }

    @Test
    void aFileThatCannotBeRead() throws Exception {
        Path missing = folder.resolve("missing.conf");
        CommandRun.with(Map.of("RELAY_CONFIG", missing.toString()))
                .assertRefused(2, missing + ": there is no such file");
        unreadable(folder, "");
        unreadable(
                Files.write(folder.resolve("large.conf"), new byte[(4 << 20) + 1]),
                ": 4194305 bytes are over the limit");
        unreadable(
                Files.write(folder.resolve("binary.conf"), new byte[] {(byte) 0xFF, (byte) 0xFE}), ": it is not UTF-8");
        // The start script reads it as well, and a reload again: they would find nothing in it.
        unreadable(OddFiles.pipe(folder.resolve("pipe")), ": it is a pipe: give a file");
        CommandRun nothing = CommandRun.with(Map.of(), "--config").ended(2);
        assertThat(nothing.error()).contains("--config");
    }

    private static void unreadable(Path file, String why) {
        CommandRun.with(Map.of(), "--config=" + file).assertRefused(2, file + ": it cannot be read" + why);
    }

    @Test
    void aSecretIsNotShownWhereverItStands() throws Exception {
        String secret = "s3cret-Zm9v";
        for (String line : List.of(
                "access { a { token = " + secret + ", publish = all } }",
                "access { a { token = \"" + secret + "\" publish = all } } }",
                "access { a { token = \"" + secret + " } }",
                "access { a { token = [\"" + secret + "\", publish = all } }",
                "access { a { token = \"sha256:" + secret + "\", publish = all } }",
                "access { a { token = " + secret + " { } } }")) {
            Path file = file(line);
            CommandRun run = CommandRun.check("--config=" + file);
            run.assertRefused(2, file + ":1: ");
            assertThat(run.error()).as(line).doesNotContain(secret);
        }
    }

    @Test
    void checkConfigLooksForPlaces() throws Exception {
        Files.writeString(folder.resolve("taken"), "");
        for (String[] wrong : new String[][] {
            {"--bind=no.such.host.invalid", "cannot listen on no.such.host.invalid:0: unknown host"},
            {"--subscribe-socket=" + folder + "/taken", "the file exists and is not a socket"},
            {"--journal=" + folder + "/taken/j", "cannot make the directory " + folder + "/taken/j"},
        }) {
            CommandRun run = CommandRun.check(wrong[0]).ended(2);
            assertThat(run.error()).contains(wrong[1]);
        }
        // What a start makes, or a service manager before it.
        for (String option : List.of("--journal=", "--publish-socket=")) {
            CommandRun.check(option + folder.resolve("a/b")).ended(0);
        }
        assertThat(folder.resolve("a")).doesNotExist();
    }

    @Test
    void checkConfigOnlyLooks() throws Exception {
        Path file = file("log-size = 64m", "access { a { token = \"" + HASH + "\", subscribe = all } }");
        CommandRun run = CommandRun.check("--config", file.toString()).ended(0);
        assertThat(run.output())
                .startsWith(file + ": good; 1 option from file and environment, 1 identity")
                .doesNotContain(HASH);
    }

    @Test
    void helpNeedsNoFile() {
        CommandRun help = CommandRun.with(Map.of("RELAY_CONFIG", "/no/such/file"), "--help");
        assertThat(help.ended(0).errors()).isEmpty();
    }

    /** Where there are no modes of Unix, as on Windows, or in an archive. */
    @Test
    void aFileOfASystemWithoutModes() throws Exception {
        try (FileSystem zip = FileSystems.newFileSystem(folder.resolve("a.zip"), Map.of("create", "true"))) {
            assertThatThrownBy(() -> HoconFile.read(zip.getPath("/none.conf"), root -> root))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("/none.conf: there is no such file");
        }
    }

    // ---- access ------------------------------------------------------------------------------------------------

    @Test
    void everythingThatABlockMaySay() throws Exception {
        AccessPolicy policy = access(file(
                "access {",
                "  orders { token = \"" + HASH + "\", publish = \"1-99\", max-connections = 4, max-rate = 200m }",
                "  audit  { certificate = \"CN=audit, O=Example\", subscribe = [1-99, 200], max-lag = 4m,",
                "           min-interval = 500ms }",
                "  local  { user = 0, publish = \"*\", subscribe = all }",
                "  anyone { from = \"127.0.0.0/8,10.1.0.0/16\", subscribe = \"100-199\" }",
                "}"));
        assertThat(policy.identities())
                .extracting(Identity::name)
                .containsExactly("orders", "audit", "local", "anyone");
        Identity orders = policy.identities().get(0);
        assertThat(orders.tokens().get(0).text()).isEqualTo(HASH);
        assertThat(orders.publish()).hasToString("1-99");
        assertThat(orders.subscribe()).isNull();
        assertThat(orders.maxConnections()).isEqualTo(4);
        assertThat(orders.maxRate()).isEqualTo(200L << 20);
        assertThat(orders.maxLag()).isEqualTo(Identity.UNLIMITED);
        assertThat(orders.minInterval()).isEqualTo(Identity.LEAST_INTERVAL);
        Identity audit = policy.identities().get(1);
        assertThat(audit.certificates().get(0).getName()).isEqualTo("CN=audit,O=Example");
        assertThat(audit.subscribe()).hasToString("1-99,200");
        assertThat(audit.maxLag()).isEqualTo(4 << 20);
        assertThat(audit.minInterval()).isEqualTo(Duration.ofMillis(500));
        assertThat(policy.identities().get(2).users().get(0).uid()).isZero();
        assertThat(policy.identities().get(2).publish().isAll()).isTrue();
        assertThat(policy.identities().get(3).from()).hasSize(2);
        assertThat(access(file("log-size = 16m"))).isNull();
        assertThat(access(file("access { }")).identities()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a { token = abc, publish = all } | :2: a.token: a token is kept as sha256:",
                "a { from = 10.0.0.0/33, publish = all } | :2: a.from: '10.0.0.0/33': 33 bits are over the limit of 32",
                "a { from = \"10.0.0.1/8\", publish = all } | :2: a.from: '10.0.0.1/8' has bits behind its first 8",
                "a { from = \"relay.example\", publish = all } | :2: a.from: 'relay.example' is neither an address",
                "a { from = unix, publish = \"9-1\" } | :2: a.publish: range 9 to 1 runs backwards",
                "a { from = unix, publish = some } | :2: a.publish: \"some\" is neither a type nor two types",
                "a { from = unix } | :2: access: a may neither publish nor subscribe",
                "a { publish = all } | :2: access: a has no token, certificate, user or from",
                "a { from = unix, publish = all, max-conections = 4 } | :2: a.max-conections: unknown key; there are",
                "a { from = unix, publish = all, max-connections = 0 } | :2: access: a: max-connections 0 is below 1",
                "a { from = unix, publish = all, max-connections = few } | :2: a.max-connections: 'few' is no number",
                "a { from = unix, publish = all, max-lag = 1k } | :2: access: a: max-lag 1024 is below 1048576",
                "a { from = unix, subscribe = all, min-interval = 9ms } | :2: access: a: min-interval 9ms is not within 10ms..60m",
                "a { from = unix, subscribe = all, min-interval = 0 } | :2: access: a: min-interval 0s is not within",
                "a { from = unix, subscribe = all, min-interval = 2h } | :2: access: a: min-interval 120m is not within",
                "a { from = unix, subscribe = all, min-interval = often } | :2: a.min-interval: 'often' is not a duration",
                "a { from = unix, publish = all, max-rate = fast } | :2: a.max-rate: 'fast' is not a size",
                "a { user = no-such-user-here, publish = all } | :2: a.user: there is no user no-such-user-here",
                "a { certificate = audit, publish = all } | :2: a.certificate: 'audit' is no subject",
                "a { from = unix, publish = all }, b { from = unix, subscribe = all } | :1: access: b and a have the same network",
                "\"a b\" { from = unix, publish = all } | :2: access: the name of an identity",
                "a = b | :2: access.a is a block"
            })
    void whatIsWrongInABlock(String block, String words) throws Exception {
        Path file = file("access {", block, "}");
        assertThatThrownBy(() -> access(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(file + words);
    }

    @Test
    void beyondThisHostOnlyWithAnAccessBlockOrInsecure() throws Exception {
        assertThatThrownBy(() -> RelayConfig.builder().set(BIND, "0.0.0.0").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bind 0.0.0.0 is beyond this host")
                .hasMessageContaining("insecure");
        for (String host : List.of("127.0.0.1", "127.5.5.5", "::1", "localhost")) {
            assertThat(RelayConfig.builder().set(BIND, host).build().insecure()).isFalse();
        }
        assertThat(RelayConfig.builder()
                        .set(BIND, "0.0.0.0")
                        .set(INSECURE, true)
                        .build()
                        .access())
                .isNull();
        AccessPolicy policy = access(file("access { a { from = unix, subscribe = all } }"));
        assertThat(RelayConfig.builder()
                        .set(BIND, "0.0.0.0")
                        .set(ACCESS, policy)
                        .build()
                        .access())
                .isSameAs(policy);
    }

    @Test
    void aTokenAndWhatIsKeptOfIt() throws Exception {
        Map<String, String> elsewhere = Map.of("RELAY_CONFIG", "/no/such/file");
        CommandRun one = CommandRun.with(elsewhere, "token");
        CommandRun other = CommandRun.with(elsewhere, "token");
        assertThat(one.exitCode()).isZero();
        assertThat(one.lines()).singleElement(STRING).matches("[A-Za-z0-9_-]{43}");
        assertThat(one.lines()).isNotEqualTo(other.lines());
        assertThat(one.errors()).singleElement(STRING).matches("token = \"sha256:[0-9a-f]{64}\"");
        Path kept = Files.write(folder.resolve("orders.token"), other.lines());
        CommandRun of = CommandRun.with(elsewhere, "token", "--of", kept.toString());
        assertThat(of.ended(0).lines()).isEqualTo(other.errors());
        assertThat(of.errors()).as("the test's folder is its own").isEmpty();
    }

    @Test
    void aTokenInAFileThatIsItsOwnersAlone() throws Exception {
        Path kept = folder.resolve("orders.token");
        CommandRun made = CommandRun.token("--out", kept.toString()).ended(0);
        assertThat(made.errors()).isEmpty();
        assertThat(made.lines()).hasSize(1);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rw-------");
        String token = Files.readString(kept);
        assertThat(token).matches("[A-Za-z0-9_-]{43}\n");
        assertThat(CommandRun.token("--of", kept.toString()).lines()).isEqualTo(made.lines());
        CommandRun again = CommandRun.token("--out", kept.toString()).ended(2);
        assertThat(again.lines()).isEmpty();
        assertThat(again.errors().get(0))
                .isEqualTo("relay-server: " + kept
                        + " exists, and may be the token of a client: remove it, or name another file");
        assertThat(kept).hasContent(token.strip());
        assertThat(CommandRun.token("--out", folder + "/none/a").errors().get(0))
                .endsWith(": there is no such folder");
        CommandRun.token("--out", "a", "--of", "b").ended(2);
    }

    @Test
    void aTokenThatEveryUserCanRead() throws Exception {
        Path kept = Files.writeString(folder.resolve("orders.token"), "s3cret");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(CommandRun.token("--of", kept.toString()).errors())
                .containsExactly("relay-server: WARN " + kept
                        + " is a secret that every user of this host can read: chmod o= " + kept);
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(CommandRun.token("--of", kept.toString()).errors()).isEmpty();
    }
}
