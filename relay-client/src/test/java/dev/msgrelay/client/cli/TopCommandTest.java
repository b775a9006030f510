package dev.msgrelay.client.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.client.system.TlsFolder;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.admin.AdminServer;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.Signals;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code relay-client top} against a relay's admin port, for scripts and on a terminal. */
class TopCommandTest {
    /** The hash of "open sesame". */
    private static final String HASH = "sha256:41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb";

    @TempDir
    private Path directory;

    private RelayServer relay;
    private RelaySubscriber subscriber;
    private AdminServer admin;
    private String at;

    @BeforeEach
    void start() throws IOException {
        relay = RelayServer.start(
                RelayConfig.builder(0, 0).set(LOG_SIZE, 8 << 20).build());
        subscriber = RelaySubscriber.connect(SubscriberOptions.builder(Endpoint.of(relay.subscribeAddress()))
                .name("audit")
                .build());
        while (subscriber.epoch() == 0) {
            subscriber.poll((sequence, type, body) -> {});
        }
        admin(null);
    }

    private void admin(String token) throws IOException {
        if (admin != null) {
            admin.close();
        }
        admin = AdminServer.start(relay, AdminConfig.parse("127.0.0.1:0", token));
        at = ":" + admin.address().getPort();
    }

    @AfterEach
    void stop() {
        subscriber.close();
        relay.close();
        admin.close();
    }

    @Test
    void oneScreen() {
        CommandRun run = CommandRun.of("top", at, "--once");
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith("ready  ")
                .contains("slow subscribers: disconnect\n")
                .contains("in       0 msg/s, 0 B/s, 0 messages, publishers 0\n", "0 messages, subscribers 1\n")
                .contains("lag      0 over 1 s behind, the furthest 0 B;")
                .containsPattern("\n +0 B +<1 open +0 audit +\\d+s 127\\.0\\.0\\.1:\\d+ +disconnect +1 all\n");
    }

    @Test
    void oneObject() throws Exception {
        CommandRun run = CommandRun.of("top", "http://127.0.0.1" + at + "/", "--once", "--json");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).hasSize(1);
        JsonObject stats = JsonParser.object().from(run.out());
        assertThat(stats.getLong("subscribers")).isEqualTo(1);
        assertThat(stats.getArray("lagging").getObject(0).getString("name")).isEqualTo("audit");
    }

    @Test
    void aToken() throws Exception {
        admin(HASH);
        CommandRun without = CommandRun.of("top", at, "--once");
        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.err().lines()).hasSize(1);
        assertThat(without.err()).contains("answers 401: a token is needed");
        Path token = Files.writeString(directory.resolve("token"), "open sesame\n");
        assertThat(CommandRun.of("top", at, "--once", "--token-file", token.toString())
                        .exitCode())
                .isZero();
        CommandRun far = CommandRun.of("top", "192.0.2.1:7402", "--once", "--token-file", token.toString());
        assertThat(far.exitCode()).isEqualTo(1);
        assertThat(far.err()).contains("the token would go to http://192.0.2.1:7402 in the clear");
    }

    /** As far as the relay may be: by https, with a token. */
    @Test
    void byHttps() throws Exception {
        TlsFolder files = new TlsFolder(directory);
        Path token = Files.writeString(directory.resolve("token"), "open sesame\n");
        try (RelayServer secured = RelayServer.start(RelayConfig.builder(0, 0)
                        .set(LOG_SIZE, 8 << 20)
                        .set(TLS_FILES, files.files(files.relay(), false))
                        .set(TLS_PUBLISH_PORT, 0)
                        .set(TLS_SUBSCRIBE_PORT, 0)
                        .build());
                AdminServer port = AdminServer.start(secured, AdminConfig.parse("https://127.0.0.1:0", HASH))) {
            String[] here = {
                "top",
                "127.0.0.1:" + port.address().getPort(),
                "--once",
                "--token-file",
                token.toString(),
                "--tls-ca",
                files.ca.toString()
            };
            CommandRun run = CommandRun.of(here);
            assertThat(run.err()).isEmpty();
            assertThat(run.out()).contains("publishers 0\n", "subscribers 0\n");
            CommandRun untrusted = CommandRun.of("top", port.place(), "--once", "--token-file", token.toString());
            assertThat(untrusted.exitCode()).isEqualTo(1);
            assertThat(untrusted.err())
                    .contains("no admin port answers at " + port.place(), "unable to find valid certification path")
                    .contains("the relay's certificate is refused: ")
                    .doesNotContain("sun.security");
            CommandRun plain = CommandRun.of("top", here[1], "--once");
            assertThat(plain.exitCode()).isEqualTo(1);
            assertThat(plain.err())
                    .contains("no admin port answers at http://" + here[1] + ": it ")
                    .contains("the address of a port with TLS begins with https://");
            CommandRun clear = CommandRun.of("top", "http" + port.place().substring(5), "--tls-ca", "x");
            assertThat(clear.exitCode()).isEqualTo(2);
            assertThat(clear.err()).contains("--tls-ca is for https");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "top relay, 2, endpoint 'relay' has no port",
        "top unix:/x, 2, is no TCP port",
        "top :0, 2, port 0",
        "top :1 --once, 1, no admin port answers at http://127.0.0.1:1",
        "top --token-file no-such-file, 1, cannot read no-such-file",
        "top --connect-timeout soon, 2, soon' is not a duration",
    })
    void whatIsWrongIsNamed(String line, int code, String words) {
        CommandRun run = CommandRun.of(line.split(" "));
        assertThat(run.exitCode()).isEqualTo(code);
        assertThat(run.err().lines().findFirst().orElseThrow())
                .startsWith("relay-client top: ")
                .contains(words);
        assertThat(run.err().lines()).hasSize(code == 2 ? 2 : 1);
    }

    @Test
    void httpsWhereThePortIsPlain() {
        CommandRun run = CommandRun.of("top", "https://127.0.0.1" + at, "--once");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .containsExactly("relay-client top: no admin port answers at https://127.0.0.1" + at
                        + ": TLS with 127.0.0.1" + at + " failed: the answer is no TLS: this port may be a plain one");
    }

    /** A port that is something else. */
    @Test
    void noAdminPort() {
        CommandRun run =
                CommandRun.of("top", ":" + relay.subscribeAddress().getPort(), "--once", "--connect-timeout=2s");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no admin port answers at http://127.0.0.1:");
        assertThat(run.err().lines()).hasSize(1);
    }

    /** In a terminal of its own, known to the machine or not: both keys give the terminal back as it was. */
    @ParameterizedTest
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @CsvSource({"0, xterm", "130, xterm", "0, none-such", "130, none-such", "0, ''", "130, dumb"})
    void onATerminal(int code, String term) throws Exception {
        ThisMachine.needProgram("script");
        // Its children ignore Ctrl-C then, too: so it is where tests run as a shell's background job.
        if (code != 0) {
            Signals.assumeHeard("INT");
        }
        // The shell outlives Ctrl-C, whichever shell it is. What it handles, its children do not inherit.
        String command = "trap : INT; stty rows 24 cols 100; " + ThisMachine.java()
                + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
                + ThisMachine.classPath() + "' " + RelayClientMain.class.getName() + " top " + at
                + "; code=$?; stty -a | grep -o ' icanon'; exit $code";
        ProcessBuilder builder = TestProcess.builder(List.of("script", "-qec", command, "/dev/null"));
        builder.environment().put("TERM", term);
        Process script = builder.redirectErrorStream(true).start();
        try {
            StringBuilder said = new StringBuilder();
            readUntil(script.getInputStream(), said, "audit");
            assertThat(said.toString()).contains("subscribers 1");
            assertThat(said.toString()).doesNotContain("WARNING", "Exception");
            assertThat(said.indexOf("\u001b[?1049h") >= 0).isEqualTo(term.equals("xterm"));
            assertThat(said.indexOf("\u001b") >= 0).isNotEqualTo(term.equals("dumb"));
            script.getOutputStream().write(code == 0 ? 'q' : 3);
            script.getOutputStream().flush();
            readUntil(script.getInputStream(), said, " icanon");
            assertThat(said.indexOf("\u001b[?1049l") >= 0).isEqualTo(term.equals("xterm"));
            script.getOutputStream().close();
            assertThat(script.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(script.exitValue()).as(said.toString()).isEqualTo(code);
        } finally {
            script.descendants().forEach(ProcessHandle::destroyForcibly);
            script.destroyForcibly();
        }
    }

    private static void readUntil(InputStream in, StringBuilder said, String wanted) throws IOException {
        byte[] some = new byte[4096];
        while (said.indexOf(wanted) < 0) {
            int n = in.read(some);
            assertThat(n).as("the end, after: %s", said).isPositive();
            said.append(new String(some, 0, n, StandardCharsets.UTF_8));
        }
    }
}
