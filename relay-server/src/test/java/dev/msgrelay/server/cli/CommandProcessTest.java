package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command from its first line to its last: ready, statistics, SIGTERM, drained, gone. */
class CommandProcessTest {
    @TempDir
    private Path folder;

    private static final String TIME = "20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
    private static final Pattern TEXT_READY = Pattern.compile(
            TIME + " relay-server: publishers 127\\.0\\.0\\.1:(\\d+), subscribers 127\\.0\\.0\\.1:(\\d+)");
    private static final Pattern JSON_READY = Pattern.compile(
            "\\{\"event\":\"ready\",\"time\":\"[^\"]+\",\"level\":\"INFO\",\"publish\":\"127\\.0\\.0\\.1:(\\d+)\",\"subscribe\":\"127\\.0\\.0\\.1:(\\d+)\".*}");

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void forPeople() throws Exception {
        try (CommandProcess command = new CommandProcess()) {
            Matcher ready = match(TEXT_READY, command.line(l -> l.contains("relay-server: publishers")));
            relayOne(ready);
            String second = command.line(l -> l.contains("msg/s") && l.contains("pub 1 sub 1"));
            assertThat(second).matches(TIME + "  in .* msg/s .*B/s  out .* msg/s .*B/s  pub 1 sub 1  lag .*B( .*)?");
            assertThat(command.terminate()).isZero();
            assertThat(command.lines()).anyMatch(l -> l.contains("sum") && l.contains("bytes"));
            assertThat(command.lines()).anyMatch(l -> l.matches(TIME + " draining: .*"));
            assertThat(command.line(l -> l.contains(" stopped after ")))
                    .contains("2 messages (36 bytes) in, 2 messages (36 bytes) out");
        }
    }

    /**
     * Numbers are printed as the documents have them. Thorough, as it is one more process; a rule of the protocol's tests
     * keeps the default locale out of all code.
     */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(strings = {"-Duser.language=ar -Duser.country=EG"})
    void whateverTheLanguage(String language) throws Exception {
        try (CommandProcess command = CommandProcess.with(Map.of("JDK_JAVA_OPTIONS", language), "--transport=NIO")) {
            assertThat(command.line(l -> l.contains("    log  "))).endsWith("   8,388,608 bytes");
            relayOne(match(TEXT_READY, command.line(l -> l.contains("relay-server: publishers"))));
            command.line(l -> l.contains("pub 1 sub 1"));
            assertThat(command.terminate()).isZero();
            assertThat(command.line(l -> l.contains(" stopped after ")))
                    .matches(TIME + " stopped after \\d\\.\\d s of draining: 2 messages .*");
        }
    }

    /** Who keeps the hash would wait for a client that has no token. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aTokenThatCannotBeWrittenIsAFailure() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "this system has no /dev/full");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));
        command.addAll(TestProcess.javaCommand(RelayServerMain.class.getName(), "token"));
        try (CommandProcess token = CommandProcess.started(command)) {
            assertThat(token.awaitExit()).isEqualTo(1);
            assertThat(token.errors())
                    .contains("relay-server: the token could not be written to standard output")
                    .noneMatch(line -> line.contains("sha256"));
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void forScripts() throws Exception {
        try (CommandProcess command = new CommandProcess("--json", "--slow-subscriber=BACKPRESSURE")) {
            String first = command.line(l -> l.contains("\"ready\""));
            assertThat(first).contains("\"slowSubscriber\":\"backpressure\"").contains("\"memory\":{");
            relayOne(match(JSON_READY, first));
            assertThat(command.line(l -> l.contains("\"event\":\"stats\"") && l.contains("\"messagesIn\":2")))
                    .contains("\"bytesIn\":36,")
                    .contains("\"heldBackMillis\":0,\"backpressureMillis\":0,\"ringCells\":")
                    .contains("\"ringUsedCells\":");
            assertThat(command.terminate()).isZero();
            assertThat(command.line(l -> l.contains("\"event\":\"stopped\"")))
                    .contains("\"messagesIn\":2,\"bytesIn\":36,\"messagesOut\":2,\"bytesOut\":36")
                    .contains("\"drainSeconds\":");
            assertThat(command.lines()).allMatch(l -> l.startsWith("{") && l.endsWith("}"));
            assertThat(command.lines())
                    .allMatch(
                            l -> l.matches(
                                    "\\{\"event\":\"\\w+\",\"time\":\"20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z\",.*"));
            String stats = command.line(l -> l.contains("\"event\":\"stats\""));
            for (Counter counter : Counter.values()) {
                assertThat(stats.contains('"' + counter.key() + "\":"))
                        .as(counter.key())
                        .isNotEqualTo(counter.ofJournal());
            }
        }
    }

    /** All that is said is an object with time, level and event, on one stream: the log, closes, reloads, errors. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void nothingButObjectsForScripts() throws Exception {
        try (CommandProcess command = CommandProcess.logging("--json", "--connections=1s")) {
            Matcher ready = match(JSON_READY, command.line(l -> l.contains("\"ready\"")));
            try (PlainPublisher bad = PlainPublisher.connect(address(ready.group(1)))) {
                bad.send(new Frames().header(7, -1));
                command.line(l -> l.contains("\"event\":\"closed\",")
                        && l.contains("\"level\":\"WARN\",\"reason\":\"")
                        && l.contains("\"message\":\"publisher "));
            }
            command.hangUp();
            command.line(l -> l.contains("\"event\":\"reload\",") && l.contains("\"message\":\"configuration read"));
            command.line(l -> l.contains("\"event\":\"stats\","));
            assertThat(command.terminate()).isZero();
            assertObjectsAlone(command);
        }
        Path file = Files.writeString(folder.resolve("relay.conf"), "json = true\nnmae = 1\n");
        try (CommandProcess refused = new CommandProcess("--config=" + file)) {
            assertThat(refused.awaitExit()).isEqualTo(2);
            refused.line(l -> l.contains("\"event\":\"error\"") && l.contains(file + ":2: unknown key nmae"));
            assertObjectsAlone(refused);
        }
        CommandRun refused = CommandRun.speaking("--json", "--mtu=1");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.lines())
                .anyMatch(l -> l.contains("\"level\":\"ERROR\"") && l.contains("\"message\":\"mtu 1 is not"));
        assertObjectsAlone(refused.lines(), refused.errors());
        // For who checks a file, in words.
        CommandRun words = CommandRun.speaking("--check-config", "--config=" + file);
        assertThat(words.exitCode()).isEqualTo(2);
        assertThat(words.errors()).contains("relay-server: " + file + ":2: unknown key nmae");
        // For a script that checks one.
        CommandRun wrong = CommandRun.speaking("--check-config", "--json", "--config=" + file);
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.lines())
                .anyMatch(l -> l.contains("\"event\":\"error\"") && l.contains(file + ":2: unknown key nmae"));
        assertObjectsAlone(wrong.lines(), wrong.errors());
        CommandRun good = CommandRun.speaking("--check-config", "--json");
        assertThat(good.exitCode()).isZero();
        assertThat(good.lines())
                .anyMatch(l -> l.contains("\"event\":\"checked\"") && l.contains("\"message\":\"no file is named; "));
        assertObjectsAlone(good.lines(), good.errors());
    }

    /** Where nobody else can connect, that is the first that is said. Thorough, as it is one more process. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void inAnImageWithoutAccess() throws Exception {
        List<String> line = CommandProcess.command("--quiet");
        line.addAll(0, List.of("env", "RELAY_IMAGE=1"));
        line.add(3, "-Dorg.slf4j.simpleLogger.log.relay=info");
        try (CommandProcess command = CommandProcess.started(line)) {
            match(TEXT_READY, command.line(l -> l.contains("relay-server: publishers")));
            assertThat(command.errors().get(0))
                    .contains(" WARN nobody beyond this host, or this container, can connect: there is neither");
            assertThat(command.terminate()).isZero();
        }
    }

    private static void assertObjectsAlone(CommandProcess command) {
        assertObjectsAlone(command.lines(), command.errors());
    }

    private static void assertObjectsAlone(List<String> lines, List<String> errors) {
        assertThat(errors).isEmpty();
        assertThat(lines)
                .allMatch(l -> l.matches("\\{\"event\":\"\\w+\",\"time\":\"[^\"]+\",\"level\":\"[A-Z]+\",.*\\}"));
    }

    /** Once for people, once for scripts. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everybodyWhoIsConnected(boolean json) throws Exception {
        try (CommandProcess command = new CommandProcess(
                "--connections=1s", "--quiet", "--slow-subscriber=skip", json ? "--json" : "--mtu=1500")) {
            String first = command.line(l -> json ? l.contains("\"ready\"") : l.contains("relay-server: publishers"));
            Matcher ready = match(json ? JSON_READY : TEXT_READY, first);
            relayOne(ready);
            Account nothing = new Account(new Numbered(new Random(1), 1, 8));
            SpeakingSubscriber subscriber = SpeakingSubscriber.connect(address(ready.group(2)), nothing);
            subscriber
                    .hello(HelloFrame.subscriber()
                            .name("audit \u00fc \"\\ 12345")
                            .types(TypeRanges.parse("7,9,11,100-199")))
                    .awaitWelcome();
            if (json) {
                assertThat(command.line(l -> l.contains("\"types\":\"7,9,11,100-199\"")))
                        .startsWith("{\"event\":\"connection\",\"time\":\"")
                        .contains(
                                "\"name\":\"audit \\u00fc \\\"\\\\ 12345\",\"identity\":\"\",\"address\":\"127.0.0.1:")
                        .contains("\"state\":\"open\",\"waitsFor\":\"\",\"policy\":\"skip\",")
                        .contains("\"cursor\":36,\"lagBytes\":0,\"lagMessages\":0,\"messages\":0,\"bytes\":0,")
                        .containsPattern("\"messagesPerSecond\":0\\.000,\"ageMillis\":\\d+}");
                assertThat(command.line(l -> l.contains("\"role\":\"publisher\"")))
                        .contains("\"state\":\"plain\",")
                        .contains("\"messages\":2,\"bytes\":36,");
            } else {
                command.line(l -> l.matches(TIME + "  connections: 3"));
                assertThat(command.line(l -> l.contains(" audit ")))
                        .matches(
                                " +\\d+ audit \u00fc \"\\\\ ~ 127\\.0\\.0\\.1:\\d+ +sub skip +7,9,11,1~ +36 B +0 B +0 +\\d+s open");
                assertThat(command.line(l -> l.contains(" pub "))).endsWith(" plain");
            }
            subscriber.close();
            assertThat(command.terminate()).isZero();
        }
    }

    /** A relay whose order is in doubt: one line, no draining, code 3. */
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFaultOfItsOwn(boolean json) throws Exception {
        try (CommandProcess command =
                CommandProcess.of(FaultyRelayMain.class, "--drain-timeout=60s", json ? "--json" : "--quiet")) {
            assertThat(command.awaitExit()).isEqualTo(3);
            String why = "stopped because of a fault of its own: " + FaultyRelayMain.FAULT;
            assertThat(command.log())
                    .anyMatch(l -> json
                            ? l.contains("\"level\":\"ERROR\"") && l.endsWith("\"message\":\"" + why + "\"}")
                            : l.equals("relay-server: " + why));
            assertThat(command.lines()).noneMatch(l -> l.contains("draining"));
            assertThat(command.lines())
                    .anyMatch(l -> l.contains(
                            json ? "\"cause\":\"" + FaultyRelayMain.FAULT + '"' : "stopped by a fault of its own"));
        }
    }

    /**
     * The ready line has endpoints as clients take them; with --quiet nothing is said between it and the end.
     * Thorough, as it is one more process.
     */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void quietlyOnIpv6() throws Exception {
        assumeTrue(hasIpv6Loopback(), "this machine has no ::1");
        Pattern here = Pattern.compile(".*\"publish\":\"\\[::1]:(\\d+)\",\"subscribe\":\"\\[::1]:(\\d+)\".*");
        try (CommandProcess command = new CommandProcess("--quiet", "--json", "--bind=::1")) {
            Matcher ready = match(here, command.line(l -> l.contains("\"ready\"")));
            relayOne(new InetSocketAddress("::1", port(ready, 1)), new InetSocketAddress("::1", port(ready, 2)));
            assertThat(command.terminate()).isZero();
            assertThat(command.lines()).hasSize(3);
        }
    }

    private static boolean hasIpv6Loopback() {
        try (ServerSocketChannel any = ServerSocketChannel.open()) {
            any.bind(new InetSocketAddress("::1", 0));
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static int port(Matcher ready, int group) {
        return Integer.parseInt(ready.group(group));
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatClientsMayAskFor() throws Exception {
        Numbered nothing = new Numbered(new Random(1), 1, 8);
        try (CommandProcess command = new CommandProcess(
                "--json",
                "--slow-subscriber=skip",
                "--allow-policies=backpressure",
                "--heartbeat=2m",
                "--idle-timeout=7m",
                "--handshake-timeout=200ms",
                "--max-connections=3",
                "--max-publishers=1")) {
            Matcher ready = match(JSON_READY, command.line(l -> l.contains("\"ready\"")));
            try (PlainPublisher late = PlainPublisher.connect(address(ready.group(2)))) {
                late.send(new Frames().header(ControlFrames.HELLO, 42));
                PlainPublisher.Error error = late.awaitError();
                assertThat(error.code()).isEqualTo(CloseReason.HANDSHAKE_TIMEOUT.code());
                assertThat(error.text()).contains("200 ms");
            }
            command.line(l -> l.contains("\"event\":\"stats\"") && l.contains("\"subscribers\":0"));
            SpeakingSubscriber allowed = SpeakingSubscriber.connect(address(ready.group(2)), new Account(nothing));
            WelcomeFrame welcome = allowed.hello(HelloFrame.subscriber().policy(Policy.BACKPRESSURE))
                    .awaitWelcome();
            assertThat(welcome.policy()).isEqualTo(Policy.BACKPRESSURE);
            assertThat(welcome.heartbeatMillis()).isEqualTo(120_000);
            assertThat(welcome.idleTimeoutMillis()).isEqualTo(420_000);
            SpeakingSubscriber denied = SpeakingSubscriber.connect(address(ready.group(2)), new Account(nothing));
            denied.hello(HelloFrame.subscriber().policy(Policy.DISCONNECT));
            assertThat(denied.awaitWelcome().policy()).isEqualTo(Policy.SKIP);
            // Statistics from before are read first.
            command.line(l -> l.contains("\"event\":\"stats\"") && l.contains("\"subscribers\":2"));
            try (PlainPublisher only = PlainPublisher.connect(address(ready.group(1)));
                    PlainPublisher fourth = PlainPublisher.connect(address(ready.group(1)))) {
                assertThat(fourth.awaitError().code()).isEqualTo(CloseReason.TOO_MANY_CONNECTIONS.code());
                denied.close();
                command.line(l -> l.contains("\"event\":\"stats\"") && l.contains("\"subscribers\":1"));
                // A closed connection keeps its place until its memory is given back, after it is counted no more.
                Await.until(
                        "there is a place", () -> refusal(ready.group(1)) != CloseReason.TOO_MANY_CONNECTIONS.code());
                assertThat(refusal(ready.group(1))).isEqualTo(CloseReason.TOO_MANY_PUBLISHERS.code());
                only.send(new Frames().frame(1, 1));
            }
            allowed.close();
            assertThat(command.terminate()).isZero();
        }
    }

    /** Returns the code with which the port refuses one publisher more. */
    private static int refusal(String port) {
        try (PlainPublisher publisher = PlainPublisher.connect(address(port))) {
            return publisher.awaitError().code();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Two messages through the relay; the connections stay open, so that closing them is the relay's business. */
    private void relayOne(Matcher ready) throws Exception {
        relayOne(address(ready.group(1)), address(ready.group(2)));
    }

    private void relayOne(InetSocketAddress publish, InetSocketAddress subscribe) throws Exception {
        PlainSubscriber subscriber = PlainSubscriber.connect(subscribe);
        // Nobody tells a plain client when it has been taken in. One that comes to its port behind it is told.
        try (PlainPublisher next = PlainPublisher.connect(subscribe)) {
            next.send(HelloFrame.subscriber().build().encode()).readSome(8);
            next.halfClose().readToEnd();
        }
        PlainPublisher publisher = PlainPublisher.connect(publish);
        publisher.send(new Frames().frame(Frames.type(0, 0), 10));
        publisher.send(new Frames().frame(Frames.type(0, 1), 10));
        subscriber.awaitMessages(2).received().assertAllOf(2);
    }

    private static InetSocketAddress address(String port) {
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(port));
    }

    private static Matcher match(Pattern pattern, String line) {
        Matcher matcher = pattern.matcher(line);
        assertThat(matcher.matches()).as(line).isTrue();
        return matcher;
    }
}
