package dev.msgrelay.client.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.PongFrame;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.Signals;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code subscribe --exec}: a command for each message. */
class ExecTest {
    @TempDir
    private Path directory;

    private RelayServer relay;

    @BeforeEach
    void start() throws IOException {
        relay = RelayServer.start(RelayConfig.builder(0, 0).build());
    }

    @AfterEach
    void stop() {
        relay.close();
    }

    @Test
    void theBodyIsItsInputAndTypeAndSequenceItsEnvironment() throws Exception {
        String hostile = "'; echo $(exit 3) \"`false`\\";
        publish(hostile, "--type=-7");
        publish("b");
        CommandRun run = exec("{ printf '%s %s ' \"$RELAY_SEQUENCE\" \"$RELAY_TYPE\"; cat; echo; } >>" + file("got"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(Files.readString(directory.resolve("got"))).isEqualTo("1 -7 " + hostile + "\n2 1 b\n");
        assertThat(run.err()).contains("received 2 messages");
    }

    @Test
    void allBytesOfALongBodyArriveOrAreLeftUnread() throws Exception {
        byte[] body = new byte[300_000];
        new Random(3).nextBytes(body);
        Path in = Files.write(directory.resolve("in"), body);
        publish("", "--raw", "--file=" + in);
        assertThat(exec("cat >" + file("got")).exitCode()).isZero();
        assertThat(Files.readAllBytes(directory.resolve("got"))).isEqualTo(body);
        assertThat(exec("true").exitCode()).isZero();
    }

    /** Also where the run would have ended with that message. */
    @Test
    void aCommandThatFailsGetsItsMessageAgainInTheNextRun() throws Exception {
        Stream.of("a", "b", "c").forEach(this::publish);
        String position = "--position=" + directory.resolve("p");
        for (String more : List.of("--until=head", "--count=2", "--count=1")) {
            CommandRun run = exec("test \"$(cat)\" != b || exit 3", position, more);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .endsWith("relay-client subscribe: --exec: the command ended with code 3 at message 2\n");
            assertThat(directory.resolve("p")).content().contains("next=2\n");
        }
        assertThat(exec("cat >>" + file("got"), position).exitCode()).isZero();
        assertThat(Files.readString(directory.resolve("got"))).isEqualTo("bc");
        assertThat(directory.resolve("p")).content().contains("next=4\n");
    }

    @Test
    void itIsTriedAgainAsOftenAsIsSaid() throws Exception {
        publish("a");
        String third = "echo x >>" + file("tries") + "; test \"$(wc -l <" + file("tries") + ")\" -ge 3";
        CommandRun run = exec(third, "--exec-retry=1");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(Files.readAllLines(directory.resolve("tries"))).hasSize(2);
        Files.delete(directory.resolve("tries"));
        assertThat(exec(third, "--exec-retry=2").exitCode()).isZero();
        assertThat(Files.readAllLines(directory.resolve("tries"))).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "no-such-command-here 2>/dev/null, ended with code 127: the shell does not find it at message 1",
        "exit 2, ended with code 2 at message 1",
        "kill -9 $$, was ended by signal 9 at message 1"
    })
    void theEndIsToldInWords(String command, String words) {
        publish("a");
        CommandRun run = exec(command);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).endsWith("relay-client subscribe: --exec: the command " + words + "\n");
    }

    /** The command waits for the relay, which waits for signs of life that nobody asked for. */
    @Test
    void aLongCommandDoesNotEndTheConnection() throws Exception {
        Path done = directory.resolve("done");
        try (ScriptedRelay scripted = ScriptedRelay.of(client -> {
            client.hello();
            client.send(Frames.welcome(7, 0, 1, 0, Frames.LONG_IDLE), Frames.message(1, "a"));
            for (int signs = 0; signs < 5; signs++) {
                assertThat(PongFrame.id(client.expect(ControlFrames.PONG))).isZero();
            }
            Files.createFile(done);
            client.send(Frames.message(1, "b"));
            client.drain();
        })) {
            String command = "until test -e " + file("done") + "; do sleep 0.05; done";
            CommandRun run = CommandRun.start(
                            "", "subscribe", scripted.endpoint().toString(), "--count=2", "--exec", command)
                    .get(120, TimeUnit.SECONDS);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.err().lines()).hasSize(2).noneMatch(line -> line.contains("lost"));
        }
    }

    @Test
    void ctrlCEndsTheCommandToo() throws Exception {
        Signals.assumeHeard("INT");
        publish("a");
        String position = directory.resolve("p").toString();
        try (TestProcess process = TestProcess.java(
                "dev.msgrelay.client.cli.RelayClientMain",
                "subscribe",
                Endpoint.of(relay.subscribeAddress()).toString(),
                "--from=earliest",
                "--position=" + position,
                "--exec",
                "echo started >&2; sleep 1000; true")) {
            process.error(0, line -> line.equals("started"));
            List<ProcessHandle> all = process.descendants();
            assertThat(all).isNotEmpty();
            process.signal("INT");
            assertThat(process.awaitExit()).as("%s", process.errors()).isEqualTo(130);
            assertThat(process.errors()).last().asString().startsWith("received 0 messages");
            for (ProcessHandle one : all) {
                one.onExit().get(120, TimeUnit.SECONDS);
            }
        }
        assertThat(exec("true", "--position=" + position).err()).contains("received 1 message");
    }

    private String file(String name) {
        return "'" + directory.resolve(name) + "'";
    }

    private void publish(String message) {
        publish("", "-m", message);
    }

    private void publish(String message, String type) {
        publish("", "-m", message, type);
    }

    private void publish(String stdin, String... options) {
        String endpoint = Endpoint.of(relay.publishAddress()).toString();
        CommandRun run = CommandRun.withInput(
                stdin.getBytes(UTF_8),
                Stream.concat(Stream.of("publish", endpoint), Stream.of(options))
                        .toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** Runs the command for each message that is there, or from the place of a position. */
    private CommandRun exec(String command, String... options) {
        String endpoint = Endpoint.of(relay.subscribeAddress()).toString();
        return CommandRun.of(Stream.concat(
                        Stream.of("subscribe", endpoint, "--from=earliest", "--exec", command),
                        Stream.of(options.length > 1 ? options : with(options)))
                .toArray(String[]::new));
    }

    private static String[] with(String... options) {
        return Stream.concat(Stream.of(options), Stream.of("--until=head")).toArray(String[]::new);
    }
}
