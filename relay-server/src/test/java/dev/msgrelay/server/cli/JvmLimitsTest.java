package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.engine.MemoryPlan;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.OptionSpec;

/** The JVM's limits follow from the options, and the start script has what it takes for the usual ones. */
class JvmLimitsTest {
    private static final Path SCRIPT = Path.of("../bin/relay-server");

    /** For each option another value than its default, such that a relay could be started with it. */
    static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("--config", "none.conf"),
            Map.entry("--bind", "::1"),
            Map.entry("--publish-port", "1"),
            Map.entry("--subscribe-port", "2"),
            Map.entry("--publish-socket", "p"),
            Map.entry("--subscribe-socket", "s"),
            Map.entry("--socket-mode", "0660"),
            Map.entry("--socket-group", "0"),
            Map.entry("--transport", "nio"),
            Map.entry("--admin", "none"),
            Map.entry("--admin-token", "sha256:" + "0".repeat(64)),
            Map.entry("--metrics-names", "5"),
            Map.entry("--health", ":7403"),
            Map.entry("--event-loops", "16"),
            Map.entry("--reader-loops", "2"),
            Map.entry("--log-size", "512m"),
            Map.entry("--ring-size", "8m"),
            Map.entry("--max-body", "1500000"),
            Map.entry("--mtu", "9000"),
            Map.entry("--slow-subscriber", "skip"),
            Map.entry("--allow-policies", "skip"),
            Map.entry("--heartbeat", "6s"),
            Map.entry("--idle-timeout", "16s"),
            Map.entry("--handshake-timeout", "6s"),
            Map.entry("--max-connections", "100000"),
            Map.entry("--max-publishers", "4000"),
            Map.entry("--peer-timeout", "61s"),
            Map.entry("--stall-timeout", "6s"),
            Map.entry("--drain-timeout", "6s"),
            Map.entry("--pin-size", "64m"),
            Map.entry("--assembly-size", "64m"),
            Map.entry("--filter-size", "64m"),
            Map.entry("--control-size", "64m"),
            Map.entry("--control-size-per-connection", "128k"),
            Map.entry("--frame-timeout", "11s"),
            Map.entry("--min-rate", "2k"),
            Map.entry("--max-per-address", "5"),
            Map.entry("--handshakes-per-address", "5"),
            Map.entry("--replays-per-address", "5"),
            Map.entry("--max-heartbeat", "61s"),
            Map.entry("--publisher-silence", "1m"),
            Map.entry("--name-hold", "11s"),
            Map.entry("--tls-cert", "c --tls-key=k"),
            Map.entry("--tls-key", "k --tls-cert=c"),
            Map.entry("--tls-clients", "a"),
            Map.entry("--tls-publish-port", "3"),
            Map.entry("--tls-subscribe-port", "4"),
            Map.entry("--tls-provider", "jdk"),
            Map.entry("--tls-size", "32m"),
            Map.entry("--journal", "j"),
            Map.entry("--journal-segment", "64m"),
            Map.entry("--journal-keep", "100g"),
            Map.entry("--journal-force", "2s"),
            Map.entry("--journal-failure", "memory"),
            Map.entry("--replay-size", "64m"),
            Map.entry("--cluster", "/dev/null"),
            Map.entry("--node", "2"),
            Map.entry("--connections", "5s"));

    /** Without it these say nothing. */
    private static final String WITH_TLS = " --tls-cert=c --tls-key=k";

    private static final String WITH_JOURNAL = " --journal=j";

    private static final String WITH_CLUSTER = " --cluster=c";

    private static final List<OptionSpec> OPTIONS = RelayServerMain.commandLine(
                    new RelayServerCommand(RelayServer::start, null))
            .getCommandSpec()
            .options();

    @Test
    void theOptionsThatTheScriptAsksForAreThoseThatMemoryDependsOn() throws IOException {
        Set<String> depends = new TreeSet<>();
        Map<String, MemoryPlan> usualOnes = new HashMap<>();
        for (OptionSpec option : OPTIONS) {
            if (option.arity().max() > 0) {
                assertThat(OTHERS).as("a value to try").containsKey(option.longestName());
                String given = option.longestName() + "=" + OTHERS.get(option.longestName());
                String beside = given.startsWith("--tls-") && !given.contains(" ")
                        ? WITH_TLS
                        : given.startsWith("--journal-") || given.startsWith("--replay-size")
                                ? WITH_JOURNAL
                                : given.startsWith("--node") ? WITH_CLUSTER : "";
                MemoryPlan usual =
                        usualOnes.computeIfAbsent(beside, b -> plan(b.equals(WITH_CLUSTER) ? b + " --node=1" : b));
                MemoryPlan other = plan(given + beside + (given.startsWith("--cluster") ? " --node=1" : ""));
                if (other.direct() != usual.direct() || other.heap() != usual.heap()) {
                    depends.add(option.longestName());
                }
            }
        }
        assertThat(depends).contains("--log-size", "--reader-loops", "--mtu");
        // What is in a file nobody knows before it is read.
        depends.add("--config");
        assertThat(asked()).isEqualTo(depends);
    }

    private static MemoryPlan plan(String line) {
        RelayServerCommand command = new RelayServerCommand(RelayServer::start, null);
        RelayServerMain.commandLine(command)
                .parseArgs(line.isBlank() ? new String[0] : line.trim().split(" "));
        return MemoryPlan.of(command.config());
    }

    /** From the script's case, and files of options are asked for, too. */
    private static Set<String> asked() throws IOException {
        Matcher branch = Pattern.compile("(?s)\\n( *--[^)]*)\\)\\n *relay_limits=" + JvmLimits.class.getName())
                .matcher(Files.readString(SCRIPT));
        assertThat(branch.find()).isTrue();
        Set<String> asked = Arrays.stream(branch.group(1).split("[|\\\\\\s]+"))
                .filter(option -> !option.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(asked.remove("@*")).isTrue();
        return asked;
    }

    @Test
    void theScriptHasTheLimitsForTheUsualOptions() throws IOException {
        assertThat(Files.readString(SCRIPT)).contains("\nrelay_limits=\"" + String.join(" ", JvmLimits.of()) + "\"\n");
    }

    @Test
    void theLimitsAreEnough() {
        MemoryPlan plan = MemoryPlan.of(
                RelayConfig.builder().logSize(512 << 20).maxConnections(200_000).build());
        List<String> limits = JvmLimits.of("--log-size", "512m", "--max-connections=200000");
        assertThat(mebibytes(limits, "-XX:MaxDirectMemorySize=")).isEqualTo(MemoryPlan.mebibytes(plan.direct()));
        // The JVM counts one survivor space less, which is a tenth of the young generation.
        assertThat(mebibytes(limits, "-Xmx") - mebibytes(limits, "-Xmn") / 10)
                .isGreaterThanOrEqualTo(MemoryPlan.mebibytes(plan.heap()));
        assertThat(mebibytes(limits, "-Xmx") - mebibytes(limits, "-Xmn"))
                .as("what lives for long fits into the old generation")
                .isGreaterThanOrEqualTo(MemoryPlan.mebibytes(plan.heap()));
    }

    /** A relay with long messages needs no further option, and gets the memory for all of it. */
    @Test
    void theLimitsFollowTheLongestBody() {
        MemoryPlan plan = MemoryPlan.of(RelayConfig.builder().maxBody(64 << 20).build());
        assertThat(plan.of(Part.FRAMES)).isGreaterThanOrEqualTo(128 << 20);
        assertThat(mebibytes(JvmLimits.of("--max-body=64m"), "-XX:MaxDirectMemorySize="))
                .isEqualTo(MemoryPlan.mebibytes(plan.direct()));
    }

    private static long mebibytes(List<String> limits, String flag) {
        String value =
                limits.stream().filter(l -> l.startsWith(flag)).findFirst().orElseThrow();
        return Long.parseLong(value.substring(flag.length(), value.length() - 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--log-size=512x", "--log-size=1", "--no-such-option", "--log-size", "@no-such-file", "--help"})
    void wrongOptionsAreTheRelaysBusiness(String wrong) {
        assertThat(JvmLimits.of(wrong)).isEqualTo(JvmLimits.of());
    }
}
