package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.SystemWords;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.Peer.Frame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands where they say HELLO or connect again. */
class SessionCommandsTest {
    private static final int EPOCH_CHANGED = 1;

    @TempDir
    private Path state;

    private final List<String> got = new ArrayList<>();

    @Test
    void subscribeSaysWhatItsOptionsSay() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.welcome(5), Frames.gap(5, 6, GapReason.NOT_HELD), Frames.message(7, "hi"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            String[] more = {"--types", "1-9", "--from", "earliest", "--policy", "skip", "--name", "x", "--print"};
            CommandRun run = subscribe(relay, join(more, "--count", "1"));
            assertThat(run.exitCode()).isZero();
            HelloFrame hello = relay.hellos().get(0);
            assertThat(hello.types()).isEqualTo(TypeRanges.of(1, 9));
            assertThat(hello.start()).isSameAs(StartFrom.EARLIEST);
            assertThat(hello.policy()).isSameAs(Policy.SKIP);
            assertThat(hello.name()).isEqualTo("x");
            assertThat(hello.wants(Features.SEQUENCES)).isTrue();
            assertThat(run.out().lines()).containsExactly("sequence 7, type 7, 2 bytes: hi");
            assertThat(run.err().lines())
                    .hasSize(4)
                    .startsWith(
                            "connected to " + relay.endpoint() + " (scripted)",
                            relay.endpoint()
                                    + " does not grant --policy skip: its policy for this subscriber is disconnect",
                            "missed 2 messages, 5 to 6: no longer held")
                    .last()
                    .asString()
                    .startsWith("received 1 message");
        }
    }

    @Test
    void subscribeStartsAtASequenceAndGoesOnAfterALoss() throws Exception {
        Script first = client -> {
            assertThat(client.hello().number()).isEqualTo(40);
            client.send(Frames.welcome(40), Frames.message(1, "a"));
        };
        Script second = client -> {
            assertThat(client.hello().number()).isEqualTo(41);
            client.send(Frames.welcome(41), Frames.message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second)) {
            CommandRun run = subscribe(relay, "--from", "40", "--print", "--count", "2");
            assertThat(run.exitCode()).isZero();
            assertThat(run.out().lines())
                    .containsExactly("sequence 40, type 1, 1 bytes: a", "sequence 41, type 1, 1 bytes: b");
            assertThat(run.err()).contains("the relay at " + relay.endpoint() + " closed the connection; next try in ");
        }
    }

    @Test
    void subscribeTellsTheSameAsJson() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(Frames.welcome(1), Frames.gap(1, 2, GapReason.SLOW), Frames.message(1, "a"));
        };
        Script restarted = client -> {
            client.hello();
            client.send(Frames.welcome(9, EPOCH_CHANGED, 1, 0, 60_000), Frames.message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, restarted)) {
            CommandRun run = subscribe(relay, "--name", "x", "--print", "--json", "--count", "2");
            String at = "\",\"endpoint\":\"" + relay.endpoint() + "\",\"text\":\"";
            assertThat(run.out().lines().map(line -> line.replaceAll("in \\d+ ms|,\"ms.*", "")))
                    .containsExactly(
                            "{\"event\":\"connected" + at + "connected to " + relay.endpoint() + " (scripted)\"}",
                            "{\"event\":\"gap\",\"from\":1,\"to\":2,\"code\":1}",
                            "{\"event\":\"message\",\"sequence\":3,\"type\":1,\"length\":1,\"body\":\"a\"}",
                            "{\"event\":\"lost" + at + "the relay at " + relay.endpoint()
                                    + " closed the connection; next try \"}",
                            "{\"event\":\"connected" + at + "connected to " + relay.endpoint() + " (scripted)\"}",
                            "{\"event\":\"streamChanged" + at + "the relay at " + relay.endpoint()
                                    + " has another stream: of the former one all from message 4 on is lost;"
                                    + " this one goes on with message 1\"}",
                            "{\"event\":\"message\",\"sequence\":1,\"type\":1,\"length\":1,\"body\":\"b\"}");
            assertThat(run.err()).isEmpty();
        }
    }

    @Test
    void subscribeWithoutReconnectingEndsWithTheConnection() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.welcome(1), ErrorFrame.encode(CloseReason.SHUTDOWN, "bye\u001b[2J"));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = subscribe(relay, "--reconnect", "none", "--quiet");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err().lines())
                    .containsExactly("relay-client subscribe: the relay ended the connection: relay shutting down:"
                            + " bye\uFFFD[2J");
        }
    }

    @Test
    void subscribeConnectsAgainWithoutHelloToo() throws Exception {
        Script first = client -> client.send(Frames.message(1, "a"));
        Script second = client -> {
            client.send(Frames.message(1, "b"));
            assertThat(client.next()).isNull();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second)) {
            CommandRun run = subscribe(relay, "--plain", "--print", "--count", "2");
            assertThat(run.exitCode()).isZero();
            assertThat(run.out().lines()).containsExactly("type 1, 1 bytes: a", "type 1, 1 bytes: b");
            assertThat(run.err()).contains("an unknown number of messages was missed");
            relay.await();
        }
    }

    @Test
    void severalEndpointsAreTriedInTurn() throws Exception {
        String gone;
        try (ScriptedRelay server = ScriptedRelay.tcp()) {
            gone = server.endpoint().toString();
        }
        Script script = client -> {
            client.hello();
            client.send(Frames.welcome(1), Frames.message(1, "a"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = CommandRun.of("subscribe", gone, relay.endpoint().toString(), "--count", "1");
            assertThat(run.exitCode()).isZero();
            assertThat(run.err())
                    .contains("cannot connect to " + gone + ": " + SystemWords.refused() + "; next try at once");
        }
    }

    @Test
    void publishEndsWhenAllIsAcknowledged() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0));
            take(client, 2);
            client.send(Frames.ack(1, 1));
        };
        Script second = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isEqualTo(2);
            assertThat(hello.name()).isEqualTo("orders");
            client.send(Frames.welcomePublisher(1));
            take(client, 2);
            client.send(Frames.ack(3, 3));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second)) {
            CommandRun run = publish(relay, "a\nb\nc\n", "--ack", "--name", "orders", "--state", state.toString());
            assertThat(run.exitCode()).isZero();
            relay.await();
            assertThat(got).containsExactly("1:a", "1:b", "1:b", "1:c");
            assertThat(run.err().lines()).last().asString().isEqualTo("published 3 messages, 3 bytes acknowledged");
        }
    }

    @Test
    void publishSaysWhichMessageIsLongerThanTheRelayTakes() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0));
            take(client, 1);
            client.send(Frames.ack(1, 1));
            client.drain();
        };
        Path input = Files.writeString(state.resolve("input"), "a\n" + "b".repeat((1 << 20) + 1) + "\n");
        String[] options = {"--ack", "--name", "orders", "--state", state.toString(), "--file", input.toString()};
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = publish(relay, "", join(options, "--max-body", "2m"));
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err().lines())
                    .last()
                    .isEqualTo("relay-client publish: message 2: body of 1048577 bytes is over the limit of 1048576");
            assertThat(got).containsExactly("1:a");
        }
    }

    @Test
    void publishMakesUpANameOfItsOwnForEachRun() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0));
            take(client, 1);
            client.send(Frames.ack(1, 1));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script, script)) {
            publish(relay, "a\n", "--ack");
            publish(relay, "a\n", "--ack");
            assertThat(relay.hellos())
                    .extracting(HelloFrame::name)
                    .doesNotHaveDuplicates()
                    .allSatisfy(name -> assertThat(name).startsWith("relay-client-"));
        }
    }

    @ConcurrentTest
    void publishSaysHowManyAreNotAcknowledged() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0));
            take(client, 3);
            client.send(Frames.ack(1, 1));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = publish(relay, "a\nb\nc\n", "--ack", "--stall-timeout", "5");
            assertThat(run.exitCode()).as("not in time").isEqualTo(4);
            assertThat(run.err())
                    .contains("published 1 of 3 messages, 1 of 3 bytes acknowledged")
                    .contains("relay-client publish: closed with 2 messages not acknowledged");
        }
    }

    @Test
    void publishThatIsRefusedWithoutAcknowledgementsSaysWhatIsInDoubt() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0));
            take(client, 1);
            client.send(ErrorFrame.encode(CloseReason.NOT_PERMITTED, "type 7"));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = publish(relay, "a\n", "--rate", "1");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .contains("\n1 sent, 1 in doubt: the relay has not confirmed it\n")
                    .contains("relay-client publish: the relay ended the connection: not permitted")
                    .doesNotContain("published");
        }
    }

    @Test
    void publishIsStoppedByANewerConnectionOfItsName() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0), ErrorFrame.encode(CloseReason.NAME_TAKEN, "orders"));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = publish(
                    relay,
                    "a\n",
                    "--ack",
                    "--name",
                    "orders",
                    "--state",
                    state.toString(),
                    "--reconnect",
                    "endless",
                    "--quiet");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err().lines())
                    .containsExactly("relay-client publish: the relay ended the connection: name taken by a newer"
                            + " connection: orders");
        }
    }

    @Test
    void publishWaitsForTheLevelThatItNames() throws Exception {
        Script script = client -> {
            assertThat(client.hello().level()).isSameAs(Level.FORCED);
            client.send(Frames.welcomeWithLevels(1, 0));
            take(client, 2);
            client.send(Frames.ack(2, 2, 2, 1), Frames.ack(2, 2, 2, 2));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script, script)) {
            for (String[] words : List.of(new String[] {"--ack=forced"}, new String[] {"--ack", "forced"})) {
                CommandRun run = publish(relay, "a\nb\n", words);
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.err()).contains("2 messages, 2 bytes acknowledged");
            }
        }
    }

    /** Any other word than a level is an endpoint. */
    @Test
    void ackWithoutALevelTakesNoneFromAnEndpoint() throws Exception {
        Script script = client -> {
            assertThat(client.hello().wants(Features.LEVELS)).isFalse();
            client.send(Frames.welcomePublisher(0));
            take(client, 1);
            client.send(Frames.ack(1, 1));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = CommandRun.start(
                            "a\n", "publish", "--ack", relay.endpoint().toString())
                    .get(120, TimeUnit.SECONDS);
            assertThat(run.exitCode()).as(run.err()).isZero();
        }
    }

    @Test
    void subscribeTellsThatTheStreamWasRolledBack() throws Exception {
        Script first = client -> {
            assertThat(client.hello().level()).isSameAs(Level.WRITTEN);
            client.send(Frames.welcomeWithLevels(5, 0), Frames.message(1, "a"), Frames.message(1, "b"));
        };
        Script second = client -> {
            client.hello();
            int flags = WelcomeFrame.EPOCH_CHANGED | WelcomeFrame.ROLLED_BACK;
            client.send(
                    new WelcomeFrame(
                                    1,
                                    Policy.DISCONNECT,
                                    flags,
                                    Features.LEVELS,
                                    9,
                                    6,
                                    0,
                                    1 << 20,
                                    1000,
                                    5000,
                                    1024,
                                    "",
                                    6)
                            .encode(),
                    Frames.message(1, "c"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(first, second)) {
            CommandRun run = subscribe(relay, "--durable", "written", "--count", "3");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.err())
                    .contains("the stream of the relay at " + relay.endpoint() + " was rolled back: messages 6 to 6");
        }
    }

    private void take(Peer client, int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            Frame frame = client.next();
            got.add(frame.type() + ":" + new String(Frames.copy(frame.body()), UTF_8));
        }
    }

    private static CommandRun subscribe(ScriptedRelay relay, String... options) throws Exception {
        return CommandRun.start(
                        "", join(new String[] {"subscribe", relay.endpoint().toString()}, options))
                .get(120, TimeUnit.SECONDS);
    }

    private static CommandRun publish(ScriptedRelay relay, String stdin, String... options) throws Exception {
        return CommandRun.start(
                        stdin, join(new String[] {"publish", relay.endpoint().toString()}, options))
                .get(120, TimeUnit.SECONDS);
    }

    private static String[] join(String[] first, String... more) {
        return Stream.of(first, more).flatMap(Stream::of).toArray(String[]::new);
    }
}
