package dev.msgrelay.server.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.assembly.MemoryPlan;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.testing.Tree;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.OptionSpec;

/** The JVM's limits follow from the options, and the start script has what it takes for the usual ones. */
class JvmLimitsTest {
    private static final Path SCRIPT = Path.of("../bin/relay-server");

    /** For each option another value than its default, such that a relay could be started with it. */
    static final Map<String, String> OTHERS = others("""
            config=none.conf bind=::1 publish-port=1 subscribe-port=2 publish-socket=p subscribe-socket=s
            socket-mode=0660 socket-group=0 transport=nio local-congestion=system congestion=reno admin=none metrics-names=5 health=:7403 event-loops=16
            reader-loops=2 log-size=512m state=64m state-types=1-9 conflate-after=64k ring-size=8m max-body=1500000 mtu=9000 slow-subscriber=skip
            allow-policies=skip heartbeat=6s idle-timeout=16s handshake-timeout=6s max-connections=100000
            max-publishers=4000 peer-timeout=61s stall-timeout=6s drain-timeout=6s pin-size=64m assembly-size=64m
            filter-size=64m control-size=64m control-size-per-connection=128k frame-timeout=11s min-rate=2k
            max-per-address=5 handshakes-per-address=5 replays-per-address=5 max-heartbeat=61s publisher-silence=1m
            name-hold=11s tls-clients=a tls-publish-port=3 tls-subscribe-port=4 tls-provider=jdk tls-size=32m
            journal=j journal-segment=64m journal-keep=100g journal-force=2s journal-failure=memory replay-size=64m
            cluster=/dev/null node=2 connections=5s progress=7s proxy-protocol=required proxy-from=10.0.0.0/8
            """);

    private static Map<String, String> others(String options) {
        Map<String, String> others = new HashMap<>(Map.of(
                "--admin-token", "sha256:" + "0".repeat(64),
                "--tls-cert", "c --tls-key=k",
                "--tls-key", "k --tls-cert=c"));
        for (String option : options.split("\\s+")) {
            String[] both = option.split("=", 2);
            others.put("--" + both[0], both[1]);
        }
        return others;
    }

    /** Without it these say nothing. */
    private static final String WITH_TLS = " --tls-cert=c --tls-key=k";

    private static final String WITH_JOURNAL = " --journal=j";

    private static final String WITH_STATE = " --state=64m";

    private static final String WITH_CLUSTER = " --cluster=c";

    /** What the script computes itself, as StartScriptTest shows. */
    private static final Set<String> COMPUTED = Set.of("--journal", "--tls-cert", "--tls-key", "--log-size", "--state");

    @Test
    void theOptionsThatTheScriptAsksForAreThoseThatMemoryDependsOn() throws IOException {
        Set<String> depends = new TreeSet<>();
        Map<String, MemoryPlan> usualOnes = new HashMap<>();
        for (OptionSpec option : RelayServerMain.commandLine().getCommandSpec().options()) {
            if (option.arity().max() > 0 && !option.usageHelp()) {
                assertThat(OTHERS).as("a value to try").containsKey(option.longestName());
                String given = option.longestName() + "=" + OTHERS.get(option.longestName());
                String beside = given.startsWith("--tls-") && !given.contains(" ")
                        ? WITH_TLS
                        : given.startsWith("--journal-") || given.startsWith("--replay-size")
                                ? WITH_JOURNAL
                                : given.startsWith("--node")
                                        ? WITH_CLUSTER
                                        : given.startsWith("--state-") ? WITH_STATE : "";
                MemoryPlan usual =
                        usualOnes.computeIfAbsent(beside, b -> plan(b.equals(WITH_CLUSTER) ? b + " --node=1" : b));
                MemoryPlan other = plan(given + beside + needed(given));
                if (other.direct() != usual.direct() || other.heap() != usual.heap()) {
                    depends.add(option.longestName());
                }
            }
        }
        assertThat(depends).contains("--log-size", "--reader-loops", "--mtu");
        Set<String> known = new TreeSet<>(COMPUTED);
        known.addAll(asked());
        assertThat(known).isEqualTo(depends);
        String script = Files.readString(SCRIPT);
        String[] words = match("grep -o([^)]*)\\)").replaceAll("\\\\\n", "").split("\\s+-e\\s+");
        for (String option : depends) {
            if (!option.equals("--tls-key")) {
                assertThat(script).contains("${" + Configuration.variable(option.substring(2)));
            }
            assertThat(words).as("in a file").anyMatch(word -> !word.isBlank() && option.contains(word.strip()));
        }
    }

    /** What an option cannot be without. */
    private static String needed(String given) {
        return given.startsWith("--cluster")
                ? " --node=1"
                : given.startsWith("--proxy-protocol")
                        ? " --proxy-from=::1"
                        : given.startsWith("--proxy-from") ? " --proxy-protocol=required" : "";
    }

    private static MemoryPlan plan(String line) {
        RelayServerCommand command = new RelayServerCommand(RelayServer::start, null);
        RelayServerMain.commandLine(command)
                .parseArgs(line.isBlank() ? new String[0] : line.trim().split(" "));
        return MemoryPlan.of(command.config());
    }

    /** From the script's case. */
    private static Set<String> asked() throws IOException {
        return Arrays.stream(match("\\n( *--[^)]*)\\)\\n *relay_sizes=given").split("[|\\\\\\s]+"))
                .filter(option -> !option.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String match(String pattern) throws IOException {
        Matcher match = Pattern.compile(pattern).matcher(Files.readString(SCRIPT));
        assertThat(match.find()).as(pattern).isTrue();
        return match.group(1);
    }

    /** A limit of memory that the script does not ask about is enough for the most that it computes itself. */
    @ParameterizedTest
    @ValueSource(longs = {16 << 20, 1 << 30})
    void theScriptAsksWhereSuchARelayDoesNotFit(long log, @TempDir Path root) throws IOException {
        long beside = Long.parseLong(
                match("relay_value\" -ge \\$\\(\\((\\d+) \\+ relay_log \\+ relay_state\\)\\) \\] \\|\\| return 0"));
        new Tree(root)
                .with("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
                .with("proc/self/cgroup", "0::/")
                .with("sys/fs/cgroup/memory.max", Long.toString(beside + log + (64 << 20)));
        String[] most = {"--journal=j", "--tls-cert=c", "--tls-key=k", "--log-size=" + log, "--state=64m"};
        assertThat(JvmLimits.here(new SystemTree(root), most)).isEqualTo(JvmLimits.of(most));
    }

    @Test
    void theLimitsAreEnough() {
        MemoryPlan plan = MemoryPlan.of(RelayConfig.builder()
                .set(LOG_SIZE, 512 << 20)
                .set(MAX_CONNECTIONS, 200_000)
                .build());
        List<String> limits = JvmLimits.of("--log-size", "512m", "--max-connections=200000");
        assertThat(mebibytes(limits, "-XX:MaxDirectMemorySize=")).isEqualTo(MemoryPlan.mebibytes(plan.direct()));
        // The JVM counts one survivor space less, which is a tenth of the young generation.
        assertThat(mebibytes(limits, "-Xmx") - mebibytes(limits, "-Xmn") / 10)
                .isGreaterThanOrEqualTo(MemoryPlan.mebibytes(plan.heap()));
        assertThat(mebibytes(limits, "-Xmx") - mebibytes(limits, "-Xmn"))
                .as("what lives for long fits into the old generation")
                .isGreaterThanOrEqualTo(MemoryPlan.mebibytes(plan.heap()));
    }

    @Test
    void theLimitsFollowTheLongestBody() {
        MemoryPlan plan =
                MemoryPlan.of(RelayConfig.builder().set(MAX_BODY, 64 << 20).build());
        assertThat(plan.of(Part.FRAMES)).isGreaterThanOrEqualTo(128 << 20);
        assertThat(mebibytes(JvmLimits.of("--max-body=64m"), "-XX:MaxDirectMemorySize="))
                .isEqualTo(MemoryPlan.mebibytes(plan.direct()));
    }

    /** A JVM that touched its heap would be killed before the relay can name the limit. */
    @Test
    void whereTheRelayDoesNotFitTheHeapIsNotTouched(@TempDir Path root) {
        Tree tree = new Tree(root)
                .with("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw")
                .with("proc/self/cgroup", "0::/");
        SystemTree system = new SystemTree(root);
        String untouched = "-XX:-AlwaysPreTouch";
        assertThat(JvmLimits.here(system)).isEqualTo(JvmLimits.of());
        tree.with("sys/fs/cgroup/memory.max", Long.toString(300 << 20));
        assertThat(JvmLimits.here(system)).isEqualTo(JvmLimits.of());
        assertThat(JvmLimits.here(system, "--log-size=256m"))
                .startsWith(JvmLimits.of("--log-size=256m").toArray(String[]::new))
                .endsWith(untouched);
        tree.with("sys/fs/cgroup/memory.max", Long.toString(200 << 20));
        assertThat(JvmLimits.here(system)).endsWith(untouched);
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
