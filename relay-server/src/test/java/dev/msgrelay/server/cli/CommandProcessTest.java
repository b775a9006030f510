package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.ValueSource;

/** The command from its first line to its last: ready, statistics, SIGTERM, drained, gone. */
class CommandProcessTest {
    @TempDir
    private Path folder;

    private static final String TIME = "20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
    private static final String TEXT_READY =
            "relay-server: publishers 127\\.0\\.0\\.1:\\d+, subscribers 127\\.0\\.0\\.1:\\d+";
    private static final String JSON_READY =
            "\\{\"event\":\"ready\",\"time\":\"[^\"]+\",\"level\":\"INFO\",\"publish\":\"127\\.0\\.0\\.1:\\d+\",\"subscribe\":\"127\\.0\\.0\\.1:\\d+\".*}";

    @ConcurrentTest
    void forPeople() throws Exception {
        try (CommandProcess command = new CommandProcess("--progress=1s", "--quiet")) {
            assertThat(command.line(l -> l.contains("relay-server: publishers")))
                    .matches(TEXT_READY);
            relayOne(command);
            String second = command.line(l -> l.contains("msg/s") && l.contains("pub 1 sub 1"));
            assertThat(second).matches(TIME + "  in .* msg/s .*B/s  out .* msg/s .*B/s  pub 1 sub 1  lag .*B( .*)?");
            assertThat(command.terminate()).isZero();
            assertThat(command.lines()).anyMatch(l -> l.contains(", memory at most "));
            assertThat(command.lines()).anyMatch(l -> l.matches(TIME + " draining: .*"));
            assertThat(command.line(l -> l.contains(" stopped after ")))
                    .contains("2 messages (36 bytes) in, 2 messages (36 bytes) out");
        }
    }

    /**
     * Numbers are printed as the documents have them. Thorough, as it is one more process; a rule of the protocol's
     * tests keeps the default locale out of all code.
     */
    @Tag("thorough")
    @ConcurrentTest.Parameterized
    @ValueSource(strings = {"-Duser.language=ar -Duser.country=EG"})
    void whateverTheLanguage(String language) throws Exception {
        try (CommandProcess command =
                CommandProcess.with(Map.of("JDK_JAVA_OPTIONS", language), "--transport=NIO", "--progress=1s")) {
            relayOne(command);
            command.line(l -> l.contains("pub 1 sub 1"));
            assertThat(command.terminate()).isZero();
            assertThat(command.line(l -> l.contains(" stopped after ")))
                    .matches(TIME + " stopped after \\d\\.\\d s of draining: 2 messages .*");
        }
    }

    /** Who keeps the hash would wait for a client that has no token. */
    @ConcurrentTest
    void aTokenThatCannotBeWrittenIsAFailure() throws Exception {
        ThisMachine.need(Files.exists(Path.of("/dev/full")), "this system has no /dev/full");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));
        command.addAll(TestProcess.javaCommand(RelayServerMain.class.getName(), "token"));
        try (CommandProcess token = CommandProcess.started(command)) {
            assertThat(token.awaitExit()).isEqualTo(1);
            assertThat(token.errors())
                    .contains("relay-server: the token could not be written to standard output")
                    .noneMatch(line -> line.contains("sha256"));
        }
    }

    @ConcurrentTest
    void forScripts() throws Exception {
        try (CommandProcess command = new CommandProcess("--json", "--slow-subscriber=BACKPRESSURE")) {
            String first = command.line(l -> l.contains("\"ready\""));
            assertThat(first)
                    .matches(JSON_READY)
                    .contains("\"slowSubscriber\":\"backpressure\"")
                    .contains("\"memory\":{");
            relayOne(command);
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
                        .isNotEqualTo(counter.ofJournal() || counter.ofState());
            }
        }
    }

    @ConcurrentTest
    void nothingButObjectsForScripts() throws Exception {
        try (CommandProcess command = CommandProcess.logging("--json", "--connections=1s")) {
            try (PlainPublisher bad = PlainPublisher.connect(command.publishers())) {
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
        String config = "--config=" + file;
        speaksObjects(2, List.of("\"level\":\"ERROR\"", "\"message\":\"mtu 1 is not"), "--json", "--mtu=1");
        // For who checks a file, in words; and for a script that checks one.
        CommandRun.speaking("--check-config", config).assertRefused(2, file + ":2: unknown key nmae");
        List<String> wrong = List.of("\"event\":\"error\"", file + ":2: unknown key nmae");
        speaksObjects(2, wrong, "--check-config", "--json", config);
        List<String> good = List.of("\"event\":\"checked\"", "\"message\":\"no file is named; ");
        speaksObjects(0, good, "--check-config", "--json");
    }

    private static void speaksObjects(int exitCode, List<String> words, String... args) {
        CommandRun run = CommandRun.speaking(args).ended(exitCode);
        assertThat(run.lines()).anyMatch(line -> words.stream().allMatch(line::contains));
        assertObjectsAlone(run.lines(), run.errors());
    }

    /** Where nobody else can connect, that is the first that is said. Thorough, as it is one more process. */
    @Tag("thorough")
    @ConcurrentTest
    void inAnImageWithoutAccess() throws Exception {
        try (CommandProcess command = CommandProcess.startedBy(List.of("env", "RELAY_IMAGE=1"), "--quiet")) {
            assertThat(command.line(l -> l.contains("relay-server: publishers")))
                    .matches(TEXT_READY);
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

    @ConcurrentTest.Parameterized
    @ValueSource(booleans = {false, true})
    void everybodyWhoIsConnected(boolean json) throws Exception {
        try (CommandProcess command = new CommandProcess(
                "--connections=1s", "--quiet", "--slow-subscriber=skip", json ? "--json" : "--mtu=1500")) {
            relayOne(command);
            Account nothing = new Account(new Numbered(new Random(1), 1, 8));
            SpeakingSubscriber subscriber = SpeakingSubscriber.connect(command.subscribers(), nothing);
            subscriber
                    .hello(HelloFrame.subscriber()
                            .name("audit \u00fc \"\\ 12345")
                            .types(TypeRanges.parse("7,9,11,100-199")))
                    .awaitWelcome();
            // An earlier table may have found it before it was open.
            if (json) {
                assertThat(command.line(
                                l -> l.contains("\"types\":\"7,9,11,100-199\"") && l.contains("\"state\":\"open\"")))
                        .startsWith("{\"event\":\"connection\",\"time\":\"")
                        .contains(
                                "\"name\":\"audit \\u00fc \\\"\\\\ 12345\",\"identity\":\"\",\"address\":\"127.0.0.1:")
                        .contains("\"state\":\"open\",\"waitsFor\":\"\",\"policy\":\"skip\",")
                        .contains("\"cursor\":36,\"lagBytes\":0,\"lagMessages\":0,\"messages\":0,\"bytes\":0,")
                        .containsPattern("\"messagesPerSecond\":0\\.000,\"ageMillis\":\\d+}");
                // An earlier table may have found it before its messages.
                command.line(l -> l.contains("\"role\":\"publisher\"")
                        && l.contains("\"state\":\"plain\",")
                        && l.contains("\"messages\":2,\"bytes\":36,"));
            } else {
                command.line(l -> l.matches(TIME + "  connections: 3"));
                assertThat(command.line(l -> l.contains(" audit ") && l.endsWith(" open")))
                        .matches(
                                " +\\d+ audit \u00fc \"\\\\ ~ 127\\.0\\.0\\.1:\\d+ +sub skip +7,9,11,1~ +36 B +0 B +0 +\\d+s open");
                command.line(l -> l.contains(" pub ") && l.endsWith(" plain"));
            }
            subscriber.close();
            assertThat(command.terminate()).isZero();
        }
    }

    @ConcurrentTest.Parameterized
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

    /** The JVM's own end would wait for the disk. */
    @ConcurrentTest
    void aHungDiskHaltsIt() throws Exception {
        try (CommandProcess command = CommandProcess.of(HungRelayMain.class, "--drain-timeout=60s")) {
            assertThat(command.awaitExit()).isEqualTo(3);
        }
    }

    /**
     * The ready line has endpoints as clients take them; with --quiet nothing is said between it and the end.
     * Thorough, as it is one more process.
     */
    @Tag("thorough")
    @ConcurrentTest
    void quietlyOnIpv6() throws Exception {
        ThisMachine.needIpv6();
        Pattern here = Pattern.compile(".*\"publish\":\"\\[::1]:(\\d+)\",\"subscribe\":\"\\[::1]:(\\d+)\".*");
        try (CommandProcess command = new CommandProcess("--quiet", "--json", "--bind=::1")) {
            Matcher ready = here.matcher(command.line(l -> l.contains("\"ready\"")));
            assertThat(ready.matches()).isTrue();
            relayOne(new InetSocketAddress("::1", port(ready, 1)), new InetSocketAddress("::1", port(ready, 2)));
            assertThat(command.terminate()).isZero();
            assertThat(command.lines()).hasSize(3);
        }
    }

    private static int port(Matcher ready, int group) {
        return Integer.parseInt(ready.group(group));
    }

    /** Two messages through the relay; the connections stay open, so that closing them is the relay's business. */
    private static void relayOne(CommandProcess command) throws Exception {
        relayOne(command.publishers(), command.subscribers());
    }

    private static void relayOne(InetSocketAddress publish, InetSocketAddress subscribe) throws Exception {
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
}
