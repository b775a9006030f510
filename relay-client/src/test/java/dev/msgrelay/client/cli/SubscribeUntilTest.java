package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a relay may do on the way to the end of {@code subscribe --until}. */
class SubscribeUntilTest {
    @Test
    void missingMessagesMakeItNotWhole() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(
                    Frames.welcome(1),
                    Frames.message(1, "a"),
                    Frames.gap(2, 3, GapReason.NOT_HELD),
                    Frames.message(1, "d"),
                    Frames.gap(5, 9, GapReason.NOT_HELD));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script, script)) {
            CommandRun run = subscribe(relay, "--until=4");
            assertThat(run.exitCode()).isEqualTo(5);
            assertThat(run.out()).isEqualTo("ad");
            assertThat(run.err())
                    .endsWith("relay-client subscribe: not whole: 2 messages up to message 4 did not come\n");
            assertThat(subscribe(relay, "--until=6").err())
                    .as("a gap beyond the end counts up to it")
                    .endsWith("not whole: 4 messages up to message 6 did not come\n");
        }
    }

    @Test
    void messagesBehindTheEndAreLeftOut() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.joined(
                    Frames.welcome(7), Frames.message(1, "a"), Frames.message(1, "b"), Frames.message(1, "c")));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = subscribe(relay, "--until=8");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("ab");
        }
    }

    /** Its numbers are others. */
    @Test
    void anotherStreamIsNotWhole() throws Exception {
        Script before = client -> {
            client.hello();
            client.send(Frames.welcome(1), Frames.message(1, "a"));
        };
        Script other = client -> {
            client.hello();
            client.send(Frames.welcomeOfOtherEpoch(9, 1), Frames.message(1, "x"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(before, other)) {
            CommandRun run = subscribe(relay, "--until=4");
            assertThat(run.exitCode()).isEqualTo(5);
            assertThat(run.err()).contains("relay-client subscribe: not whole: the relay at " + relay.endpoint());
        }
    }

    /** The relay that was asked for its head has gone, and another one is there. */
    @Test
    void anotherRelayThanTheOneThatWasAskedIsNotWhole() throws Exception {
        Script asked = client -> {
            client.hello();
            client.send(Frames.welcome(5));
            client.drain();
        };
        Script other = client -> {
            client.hello();
            client.send(Frames.welcome(9, 0, 1, 0, Frames.LONG_IDLE));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(asked, other)) {
            CommandRun run = subscribe(relay, "--until=head");
            assertThat(run.exitCode()).isEqualTo(5);
            assertThat(run.err())
                    .endsWith("not whole: the relay at " + relay.endpoint()
                            + " has another stream than the one that was asked\n");
        }
    }

    /** As without --until: the reconnect policy decides, and the failure is that of the connection. */
    @Test
    void aRelayThatEndsBeforeIsAFailedConnection() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.welcome(1), Frames.message(1, "a"));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = subscribe(relay, "--until=9", "--reconnect=none");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out()).isEqualTo("a");
        }
        Script rest = client -> {
            assertThat(client.hello().number()).isEqualTo(2);
            client.send(Frames.welcome(2), Frames.message(1, "b"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script, rest)) {
            CommandRun run = subscribe(relay, "--until=2");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("ab");
        }
    }

    private static CommandRun subscribe(ScriptedRelay relay, String... options) throws Exception {
        String[] first = {"subscribe", relay.endpoint().toString(), "--from=earliest", "--raw"};
        return CommandRun.start(
                        "", Stream.of(first, options).flatMap(Stream::of).toArray(String[]::new))
                .get(120, TimeUnit.SECONDS);
    }
}
