package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import dev.msgrelay.testing.Tree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** bin/relay-server in a copy of the project that is built already, with a java that prints what it is started with. */
class StartScriptTest {
    @TempDir
    private Path home;

    private Path script;
    private Tree system;

    @BeforeEach
    void copy() throws IOException {
        system = new Tree(home.resolve("system"));
        script = home.resolve("bin/relay-server");
        Files.createDirectories(home.resolve("bin/lib"));
        String text = Files.readString(Path.of("../bin/relay-server"));
        assertThat(text).contains("\nrelay_system=\n");
        Files.writeString(script, text.replace("\nrelay_system=\n", "\nrelay_system='" + system.root() + "'\n"));
        Files.copy(Path.of("../bin/lib/start.sh"), home.resolve("bin/lib/start.sh"));
        for (String module : List.of("relay-protocol", "relay-server")) {
            Files.createDirectories(home.resolve(module + "/src/main"));
            Files.createFile(home.resolve(module + "/pom.xml"));
        }
        Files.createFile(home.resolve("pom.xml"));
        Files.createDirectories(home.resolve("jdk/bin"));
        Files.writeString(home.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        Path java = home.resolve("jdk/bin/java");
        Files.writeString(java, String.format(Locale.ROOT, """
                #!/bin/sh
                case "$*" in
                *cli.JvmLimits*) echo "$*" >"%s/asked"; echo "-Xmx777m -XX:MaxDirectMemorySize=888m" ;;
                *) for argument in "$@"; do echo "$argument"; done ;;
                esac
                """, home));
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.createDirectories(home.resolve("relay-server/target"));
        Files.createFile(home.resolve("relay-server/target/relay-server-1-all.jar"));
    }

    private List<String> start(String javaOpts, String... args) throws Exception {
        return start(Map.of(), javaOpts, args);
    }

    private List<String> start(Map<String, String> environment, String javaOpts, String... args) throws Exception {
        Map<String, String> all = new HashMap<>(environment);
        all.put("JAVA_OPTS", javaOpts);
        List<String> command = new ArrayList<>(List.of("sh", script.toString()));
        command.addAll(List.of(args));
        return said(0, all, command);
    }

    private List<String> said(int exitCode, Map<String, String> environment, List<String> command) throws Exception {
        ProcessBuilder builder = TestProcess.builder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", home.resolve("jdk").toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isEqualTo(exitCode);
        return said.lines().toList();
    }

    /** The first file that the JVM opens would be what is published, and what is printed into. */
    @Test
    void whatIsClosedStaysUnreadableAndUnwritable() throws Exception {
        Files.writeString(home.resolve("jdk/bin/java"), """
                #!/bin/sh
                for fd in 0 1 2; do
                    { true 4>&$fd; } 2>/dev/null && echo "$fd is taken" >&3
                done
                cat >/dev/null 2>&1 || echo "nothing can be read" >&3
                { echo; } 2>/dev/null || echo "nothing can be written" >&3
                """);
        List<String> command = List.of("sh", "-c", "exec sh \"$0\" 3>&1 <&- >&- 2>&-", script.toString());
        assertThat(said(0, Map.of(), command))
                .containsExactly(
                        "0 is taken", "1 is taken", "2 is taken", "nothing can be read", "nothing can be written");
    }

    private boolean asked() {
        return Files.exists(home.resolve("asked"));
    }

    @Test
    void aBuildSaysWhatItBuilds() throws Exception {
        Path jar = home.resolve("relay-server/target/relay-server-1-all.jar");
        Path mvn = home.resolve("tools/mvn");
        Files.createDirectories(mvn.getParent());
        Files.writeString(mvn, String.format(Locale.ROOT, """
                #!/bin/sh
                echo "$*" >%1$s/arguments
                printf '\\033[0m[INFO] Scanning for projects...\\n'
                echo '[INFO] --------------------< dev.msgrelay:relay-protocol >---------------------'
                echo '[INFO] Building Relay wire protocol 0.1.0-SNAPSHOT                        [1/2]'
                echo '[INFO] Building jar: /a/relay-protocol.jar'
                echo '[INFO] ---------------------< dev.msgrelay:relay-server >----------------------'
                echo '[INFO] Building Relay server 0.1.0-SNAPSHOT                               [2/2]'
                if [ -e %1$s/broken ]; then
                    echo '[ERROR] /a/B.java:[1,2] no such thing'
                    exit 1
                fi
                : >%2$s
                printf '\\033[0m'
                """, home, jar));
        assertThat(mvn.toFile().setExecutable(true)).isTrue();
        Map<String, String> path = Map.of("PATH", mvn.getParent() + ":" + ThisMachine.path());
        for (String modules : List.of("relay-server,relay-client,loadgen", "relay-server")) {
            Files.delete(jar);
            assertThat(start(path, "", "--json").subList(0, 3))
                    .allMatch(line -> line.indexOf('\033') < 0)
                    .containsExactly(
                            "relay-server: building " + modules
                                    + ", once and after changes; the log is target/build.log",
                            "relay-server: relay-protocol (1/2)",
                            "relay-server: relay-server (2/2)");
            assertThat(home.resolve("target/build.log")).content().contains("Scanning for projects");
            assertThat(home.resolve("arguments")).content().contains(" -pl " + modules + " -am package ");
            for (String other : List.of("relay-client", "loadgen")) {
                Files.createDirectories(home.resolve(other + "/target"));
                Files.writeString(home.resolve(other + "/target/" + other + "-1-all.jar"), "");
            }
        }
        Files.delete(jar);
        Files.createFile(home.resolve("broken"));
        assertThat(said(1, path, List.of("sh", script.toString())))
                .contains("relay-server: /a/B.java:[1,2] no such thing")
                .last()
                .isEqualTo("relay-server: the build failed: mvn -pl relay-server -am package -DskipTests");
    }

    @Test
    void theUsualLimitsAreThereWithoutAsking() throws Exception {
        List<String> started = start("", "--json", "--publish-port", "0");
        assertThat(started).containsAll(JvmLimits.of()).contains("-XX:+ExitOnOutOfMemoryError", "--json");
        assertThat(asked()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        // Of the process's own group, of one around it, of a container, which sees itself as the root; of both
        // versions.
        "0::/a/b, /a/b/memory.max, 301777215, true",
        "0::/a/b, /a/memory.max, 209715200, true",
        "0::/, /memory.max, 209715200, true",
        "5:memory:/a, /memory/a/memory.limit_in_bytes, 209715200, true",
        "4:cpu:/|5:memory:/docker/1, /memory/memory.limit_in_bytes, 209715200, true",
        "'5:cpuacct,memory:/', /memory/memory.limit_in_bytes, 67108864, true",
        // As much as a relay takes at once, more, or none at all.
        "0::/a, /a/memory.max, 301777216, false",
        "0::/a, /a/memory.max, 1000000000, false",
        "0::/a, /a/memory.max, max, false",
        "5:memory:/a, /memory/a/memory.limit_in_bytes, 9223372036854771712, false",
        "0::/a, /b/memory.max, 209715200, false",
        "5:cpu:/a, /memory/a/memory.limit_in_bytes, 209715200, false",
    })
    void aLimitOfMemoryIsAskedAbout(String groups, String file, String value, boolean asks) throws Exception {
        system.with("proc/self/cgroup", groups.replace('|', '\n')).with("sys/fs/cgroup" + file, value);
        start("", "--publish-port", "0");
        assertThat(asked()).isEqualTo(asks);
    }

    @Test
    void aLimitThatIsTooLowForAnyJvmIsNamed() throws Exception {
        system.with("proc/self/cgroup", "0::/a").with("sys/fs/cgroup/a/memory.max", "67108863");
        assertThat(said(1, Map.of(), List.of("sh", script.toString())))
                .containsExactly("relay-server: the limit of memory is 67108863 bytes (" + system.root()
                        + "/sys/fs/cgroup/a/memory.max), and a JVM alone takes 64 MiB");
    }

    @Test
    void otherSizesHaveOtherLimits() throws Exception {
        List<String> started = start("", "--max-body", "9m", "a b", "*");
        assertThat(started)
                .contains("-Xmx777m", "-XX:MaxDirectMemorySize=888m")
                .doesNotContainAnyElementsOf(JvmLimits.of());
        assertThat(started.subList(started.size() - 4, started.size())).containsExactly("--max-body", "9m", "a b", "*");
        assertThat(Files.readString(home.resolve("asked"))).endsWith("JvmLimits --max-body 9m a b *\n");
    }

    @Test
    void inEitherFormAndFromAFile() throws Exception {
        assertThat(start("", "--max-body=9m")).contains("-Xmx777m");
        assertThat(start("", "@options")).containsAll(JvmLimits.of());
    }

    @ParameterizedTest
    @CsvSource({
        "log-size = 64m, true",
        "state = 64m, true",
        "'  log { size = 64m }', true",
        "max-body=9m, true",
        "'publish-port = 0, include \"other.conf\"', true",
        "'log\\u002dsize = 64m', true",
        "'publish-port = 0 # the log-size is what it is', true",
        "'  # log-size = 64m', false",
        "bind = 127.0.0.1, false",
    })
    void aFileIsAskedAboutWhereItMayGiveASize(String line, boolean asks) throws Exception {
        Path file = Files.writeString(home.resolve("a relay.conf"), "json = true\n" + line + "\n");
        start("", "--config", file.toString());
        assertThat(asked()).isEqualTo(asks);
        start("", "--config=" + file);
        assertThat(asked()).isEqualTo(asks);
        start(Map.of("RELAY_CONFIG", file.toString()), "");
        assertThat(asked()).isEqualTo(asks);
    }

    @Test
    void aJournalAndTlsHaveTheirLimitsWithoutAsking() throws Exception {
        List<String> journal = JvmLimits.of("--journal=j");
        List<String> both = JvmLimits.of("--journal=j", "--tls-cert=c", "--tls-key=k");
        assertThat(start("", "--journal", "j")).containsAll(journal);
        assertThat(start(Map.of("RELAY_JOURNAL", "j"), "")).containsAll(journal);
        assertThat(start("", "--tls-cert=c", "--tls-key=k")).containsAll(JvmLimits.of("--tls-cert=c", "--tls-key=k"));
        assertThat(start("", "--journal=j", "--tls-cert=c", "--tls-key", "k")).containsAll(both);
        Path file = Files.writeString(home.resolve("relay.conf"), "journal = j\ntls { cert = c, key = k }\n");
        assertThat(start("", "--config", file.toString())).containsAll(both);
        assertThat(asked()).isFalse();
        assertThat(start("", "--journal", "j", "--journal-keep", "1g")).contains("-Xmx777m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"6m", "16m", "16896k", "64m", "97m", "134217728", "512M", "1g"})
    void aLogHasItsLimitsWithoutAsking(String size) throws Exception {
        List<String> plain = JvmLimits.of("--log-size=" + size);
        String[] more = {"--journal=j", "--tls-cert=c", "--tls-key=k", "--log-size", size};
        assertThat(start("", "--log-size", size)).containsAll(plain);
        assertThat(start(Map.of("RELAY_LOG_SIZE", size), "")).containsAll(plain);
        assertThat(start(Map.of("RELAY_LOG_SIZE", "8m"), "", "--log-size=" + size))
                .containsAll(plain);
        assertThat(start("", more)).containsAll(JvmLimits.of(more));
        assertThat(asked()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2m", "64m", "1223390", "1g"})
    void aStateHasItsLimitsWithoutAsking(String size) throws Exception {
        List<String> limits = JvmLimits.of("--state=" + size);
        String[] more = {"--journal=j", "--tls-cert=c", "--tls-key=k", "--log-size=64m", "--state", size};
        assertThat(start("", "--state=" + size, "--state-types=1-9")).containsAll(limits);
        assertThat(start(Map.of("RELAY_STATE", size), "")).containsAll(limits);
        assertThat(start("", more)).containsAll(JvmLimits.of(more));
        assertThat(asked()).isFalse();
        start("", "--state=2g");
        assertThat(asked()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "m", "64x", "064m", "2g", "1073741825", "99999999999999999999", "9999999999g", "-1"})
    void whatIsNoSizeOfALogIsAsked(String size) throws Exception {
        start("", "--log-size=" + size);
        assertThat(asked()).isEqualTo(!size.isEmpty());
    }

    @Test
    void andFromTheEnvironment() throws Exception {
        assertThat(start(Map.of("RELAY_TOKEN", "t", "RELAY_HOME", "h"), "")).containsAll(JvmLimits.of());
        assertThat(start(Map.of("RELAY_MAX_BODY", "9m"), "")).contains("-Xmx777m");
        assertThat(start(Map.of("RELAY_PUBLISH_PORT", "0", "RELAY_MTU", ""), ""))
                .containsAll(JvmLimits.of());
    }

    /**
     * The environment that the JVM gets: characters beyond ASCII, and errors of the system in English. What is there of
     * locales says a {@code locale} of the test.
     */
    @ParameterizedTest
    @CsvSource({
        "LC_ALL=de_DE.UTF-8, UTF-8, LC_CTYPE=de_DE.UTF-8 LC_MESSAGES=C",
        "LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 LC_TIME=tr_TR.UTF-8 LC_CTYPE=C, UTF-8,"
                + " LANG=tr_TR.UTF-8 LC_CTYPE=de_DE.UTF-8 LC_MESSAGES=C LC_TIME=tr_TR.UTF-8",
        "LC_CTYPE=de_DE.UTF-8 LC_MESSAGES=de_DE.UTF-8, UTF-8, LC_CTYPE=de_DE.UTF-8 LC_MESSAGES=C",
        "LANG=de_DE.UTF-8, UTF-8, LANG=de_DE.UTF-8 LC_MESSAGES=C",
        "LANG=de_DE.UTF-8 LANGUAGE=de, UTF-8, LANG=de_DE.UTF-8 LANGUAGE=de LC_MESSAGES=C",
        // Of cron, of systemd.
        "LC_ALL=, ANSI_X3.4-1968, LC_CTYPE=C.UTF-8 LC_MESSAGES=C",
        "LC_ALL=C, ANSI_X3.4-1968, LC_CTYPE=C.UTF-8 LC_MESSAGES=C",
        "LANG=de_DE LC_TIME=de_DE, ISO-8859-1, LC_CTYPE=C.UTF-8 LC_MESSAGES=C",
        // Of a machine that does not have what the terminal's machine has.
        "LANG=no_NO.UTF-8 LC_CTYPE=de_DE.UTF-8, 'locale: Cannot set LC_ALL to default locale\nUTF-8',"
                + " LC_CTYPE=C.UTF-8 LC_MESSAGES=C",
    })
    void theJvmHasUtf8AndEnglishErrors(String environment, String charmap, String has) throws Exception {
        Files.writeString(home.resolve("jdk/bin/java"), "#!/bin/sh\nenv | grep -e '^LC_' -e '^LANG' | LC_ALL=C sort\n");
        Path locale = home.resolve("tools/locale");
        Files.createDirectories(locale.getParent());
        Files.writeString(locale, "#!/bin/sh\nprintf '" + charmap + "\\n' >&2\n");
        assertThat(locale.toFile().setExecutable(true)).isTrue();
        String path = "PATH=" + locale.getParent() + ":" + ThisMachine.path();
        List<String> command = new ArrayList<>(List.of("env", "-i", path, "JAVA_HOME=" + home.resolve("jdk")));
        command.addAll(List.of(environment.split(" ")));
        command.addAll(List.of("sh", script.toString()));
        assertThat(said(0, Map.of(), command)).containsExactly(has.split(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"token", "--help=all", "--version"})
    void whatStartsNoRelayTouchesNoHeapOfOne(String first) throws Exception {
        List<String> started = start(Map.of("RELAY_LOG_SIZE", "512m"), "", first);
        assertThat(started).contains("-XX:TieredStopAtLevel=1", first).doesNotContain("-XX:+AlwaysPreTouch");
        assertThat(asked()).isFalse();
        assertThat(start("", "--json", first)).contains("-XX:+AlwaysPreTouch");
    }

    @Test
    void whatTheUserGivesWins() throws Exception {
        List<String> started = start("-Xmx5g -XX:MaxDirectMemorySize=3g", "--max-body=9m");
        assertThat(started).contains("-Xmx5g").doesNotContain("-Xmx777m");
        // Of two equal flags the JVM takes the last one.
        assertThat(started.indexOf("-XX:MaxDirectMemorySize=3g"))
                .isGreaterThan(started.indexOf("-XX:MaxDirectMemorySize=888m"));
        assertThat(start("-Xmx5g")).noneMatch(flag -> flag.startsWith("-Xmn") || flag.startsWith("-Xms"));
    }

    @Test
    void aPackageHasItsOwnRuntimeAndJar() throws Exception {
        Files.createDirectories(home.resolve("runtime"));
        Files.move(home.resolve("jdk/bin"), home.resolve("runtime/bin"));
        Files.move(home.resolve("jdk/release"), home.resolve("runtime/release"));
        Files.createDirectories(home.resolve("lib"));
        Path jar = Files.createFile(home.resolve("lib/relay-server.jar"));
        assertThat(start("", "--json")).contains(jar.toString());
    }
}
