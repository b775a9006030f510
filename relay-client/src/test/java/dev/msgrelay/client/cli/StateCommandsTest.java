package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.client.StateView;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.StartFrom;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.cli.ExitCodes;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.testing.scripted.FrameText;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.Peer.Frame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code get}, {@code subscribe --from state}, {@code publish --delete}, and what the relay sees of a client. */
class StateCommandsTest {
    /** A state of types 7 and 9, of which 9 was removed again, and what {@code more} says before it. */
    private static Script state(String more) {
        return client -> {
            client.hello();
            client.send(Frames.welcome(1));
            client.send(FrameText.encode(more));
            client.send(
                    Frames.message(9, "old"),
                    Frames.message(7, "hi"),
                    Frames.gap(12, 19, GapReason.SUPERSEDED),
                    Frames.message(9, ""),
                    Frames.ping(1, 21, 20));
            client.drain();
        };
    }

    @TempDir
    private Path directory;

    private static final String PASSED_OVER = "GAP from=1 to=9 reason=4";

    private static CommandRun get(Script script, String... more) throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            String[] args = new String[more.length + 2];
            args[0] = "get";
            System.arraycopy(more, 0, args, 1, more.length);
            args[args.length - 1] = relay.endpoint().toString();
            CommandRun run = CommandRun.of(args);
            HelloFrame hello = relay.hellos().get(0);
            assertThat(hello.start()).isSameAs(StartFrom.STATE);
            assertThat(hello.number()).isLessThanOrEqualTo(1);
            return run;
        }
    }

    @Test
    void getPrintsTheNewestOfEachType() throws Exception {
        CommandRun run = get(state(PASSED_OVER), "--types", "1-99");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out().lines()).containsExactly("sequence 11, type 7, 2 bytes: hi");
        assertThat(run.err()).isEmpty();
        run = get(state(PASSED_OVER), "--type", "7", "--json");
        assertThat(run.exitCode()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out().lines())
                .containsExactly("{\"event\":\"message\",\"sequence\":11,\"type\":7,\"length\":2,\"body\":\"hi\"}");
    }

    /** What one read brings behind the end of the state is not the state's, and no fault of it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "MESSAGE type=7 body=new; PING id=2 next=22 head=21",
                "MESSAGE type=7 body=new",
                "GAP from=21 to=30 reason=2",
                "ERROR code=9 text=ended"
            })
    void getIsTheStateAtItsEnd(String behind) throws Exception {
        Script script = client -> {
            client.hello();
            List<ByteBuffer> frames = new ArrayList<>(List.of(
                    Frames.welcome(1),
                    Frames.gap(1, 19, GapReason.SUPERSEDED),
                    Frames.message(7, "hi"),
                    Frames.ping(1, 21, 20)));
            for (String frame : behind.split("; ")) {
                frames.add(FrameText.encode(frame));
            }
            client.send(Frames.joined(frames.toArray(new ByteBuffer[0])));
            client.drain();
        };
        CommandRun run = get(script, "--type", "7");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCodes.DONE);
        assertThat(run.out().lines()).containsExactly("sequence 20, type 7, 2 bytes: hi");
        assertThat(run.err()).isEmpty();
    }

    /** The limit is that of the state alone. */
    @Test
    void getDoesNotFailByWhatComesBehindAFullState() throws Exception {
        String full = "x".repeat(200 - StateView.ENTRY_BYTES);
        Script script = client -> {
            client.hello();
            client.send(Frames.joined(
                    Frames.welcome(1), Frames.message(7, full), Frames.ping(1, 2, 1), Frames.message(7, full)));
            client.drain();
        };
        Script larger = client -> {
            client.hello();
            client.send(Frames.joined(Frames.welcome(1), Frames.message(7, full + "x"), Frames.ping(1, 2, 1)));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script, larger)) {
            StringWriter out = new StringWriter();
            StringWriter err = new StringWriter();
            CommandLine command = new CommandLine(new GetCommand(200))
                    .registerConverter(Duration.class, Durations::parse)
                    .registerConverter(TypeRanges.class, TypeRanges::parse)
                    .setOut(new PrintWriter(out))
                    .setErr(new PrintWriter(err));
            String[] args = {"--type", "7", relay.endpoint().toString()};
            assertThat(command.execute(args)).as(err.toString()).isEqualTo(ExitCodes.DONE);
            assertThat(out.toString()).contains("sequence 1, type 7").contains(full);
            assertThat(command.execute(args)).isNotEqualTo(ExitCodes.DONE);
            assertThat(err.toString()).contains("the state is too large for one command, get fewer types");
        }
    }

    @Test
    void getFindsNothing() throws Exception {
        Script empty = client -> {
            assertThat(client.hello().types()).isEqualTo(TypeRanges.of(5, 5));
            client.send(Frames.welcome(1), Frames.gap(1, 9, GapReason.SUPERSEDED), Frames.ping(1, 10, 9));
            client.drain();
        };
        CommandRun run = get(empty, "--type", "5");
        assertThat(run.exitCode()).isEqualTo(ExitCodes.MISSED);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().strip()).isEqualTo("relay-client get: no message of type 5");
    }

    @Test
    void getOfAStateThatIsNotWhole() throws Exception {
        CommandRun run = get(state("GAP from=1 to=9 reason=2"), "--types", "1-99");
        assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_WHOLE);
        assertThat(run.out().lines()).containsExactly("sequence 11, type 7, 2 bytes: hi");
        assertThat(run.err()).contains("not whole: the relay has forgotten a part of its state");
    }

    @ParameterizedTest
    @CsvSource({
        "MALFORMED_CONTROL, is older than start = state (the relay ended the connection: ",
        "UNSUPPORTED, this relay keeps none"
    })
    void getFromARelayThatHasNoState(CloseReason reason, String words) throws Exception {
        Script script = client -> {
            client.hello();
            client.send(ErrorFrame.encode(reason, "this relay keeps none"));
        };
        CommandRun run = get(script, "--type", "5");
        assertThat(run.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(run.err()).contains(words).contains("this relay keeps none");
    }

    @Test
    void getIsToldWhatToGet() {
        for (String[] wrong :
                new String[][] {{"get"}, {"get", "--type", "1", "--types", "1-9"}, {"get", "--type", "x"}}) {
            CommandRun run = CommandRun.of(wrong);
            assertThat(run.exitCode()).as(String.join(" ", wrong)).isEqualTo(ExitCodes.USAGE);
            assertThat(run.err()).contains("--type");
        }
    }

    @Test
    void subscribeSumsUpWhatWasSuperseded() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(state(PASSED_OVER))) {
            String to = relay.endpoint().toString();
            CommandRun run = CommandRun.of("subscribe", "--from", "state", "--types", "1-99", "--count", "3", to);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(relay.hellos().get(0).start()).isSameAs(StartFrom.STATE);
            assertThat(run.out().lines())
                    .containsExactly(
                            "sequence 10, type 9, 3 bytes: old",
                            "sequence 11, type 7, 2 bytes: hi",
                            "sequence 20, type 9, 0 bytes: ");
            assertThat(run.err())
                    .contains("passed over 17 messages: newer ones of the same types had taken their place")
                    .doesNotContain("missed");
        }
    }

    @Test
    void subscribeUntilTheHeadOfTheStateIsWhole() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(state(PASSED_OVER))) {
            String to = relay.endpoint().toString();
            CommandRun run = CommandRun.of("subscribe", "--from", "state", "--until", "head", "--quiet", to);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out().lines()).hasSize(3);
            assertThat(run.err()).isEmpty();
        }
    }

    /** The head at the start is 100, and 7, whose newest was 90, changes before its turn has come. */
    @Test
    void subscribeUntilHeadHasATypeThatChangesMeanwhile() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(Frames.joined(
                    Frames.welcome(1),
                    Frames.gap(1, 99, GapReason.SUPERSEDED),
                    Frames.message(9, "a"),
                    Frames.gap(101, 104, GapReason.SUPERSEDED),
                    Frames.message(7, "new"),
                    Frames.ping(1, 106, 105),
                    Frames.message(5, "behind the end")));
            client.drain();
        };
        // One connection is enough: the state's own end is that of the run.
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            String to = relay.endpoint().toString();
            CommandRun run =
                    CommandRun.of("subscribe", "--from", "state", "--until", "head", "--format", "%s %b\n", to);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out().lines()).containsExactly("100 a", "105 new");
            assertThat(relay.hellos()).hasSize(1);
        }
    }

    @Test
    void subscribeUntilHeadOfAStateThatLacksAPartIsNotWhole() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(state("GAP from=1 to=9 reason=2"))) {
            String to = relay.endpoint().toString();
            CommandRun run = CommandRun.of("subscribe", "--from", "state", "--until", "head", to);
            assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_WHOLE);
            assertThat(run.out().lines()).hasSize(3);
            assertThat(run.err()).contains("not whole: 9 messages up to message 20 did not come");
        }
    }

    /** A type that has changed meanwhile comes behind the message that is named. */
    @ParameterizedTest
    @ValueSource(strings = {"20", "1h"})
    void aStateEndsAtNoMessageAndNoTime(String until) {
        CommandRun run = CommandRun.of("subscribe", "--from", "state", "--until", until, "127.0.0.1:1");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCodes.USAGE);
        assertThat(run.err()).contains("--until with --from state can be head alone");
    }

    @Test
    void thePolicyLatestEndsAtNoMessage() {
        CommandRun run = CommandRun.of(
                "subscribe", "--from", "earliest", "--policy", "latest", "--until", "head", "127.0.0.1:1");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCodes.USAGE);
        assertThat(run.err()).contains("--until and --policy latest exclude each other");
    }

    @Test
    void subscribeWithAnIntervalSaysWhichIsGranted() throws Exception {
        Script script = client -> {
            client.hello();
            client.send(FrameText.encode("WELCOME policy=5 features=8 interval=1000"));
            client.send(
                    Frames.message(9, "a"),
                    Frames.ping(1, 2, 1),
                    Frames.gap(2, 9, GapReason.SUPERSEDED),
                    Frames.message(9, "b"),
                    Frames.ping(2, 11, 10));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.repeating(script)) {
            String to = relay.endpoint().toString();
            String[] args = {"subscribe", "--from=state", "--interval=500ms", "--count=2", "--format=%s %b\n", to};
            CommandRun run = CommandRun.of(args);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out().lines()).containsExactly("1 a", "10 b");
            assertThat(run.err())
                    .contains("connected to " + to + " (scripted), with messages every 1000 ms")
                    .contains(to + " does not grant --interval 500ms: its interval for this subscriber is 1s")
                    .contains("passed over 8 messages");
            args[3] = "--idle=1s";
            run = CommandRun.of(args);
            assertThat(run.exitCode()).as(run.out()).isOne();
            assertThat(run.err()).contains("--idle 1s is not over the interval that the relay grants, 1s: ");
            args[3] = "--count=2";
            args[4] = "--json";
            assertThat(CommandRun.of(args).out()).contains(" every 1000 ms\",\"intervalMillis\":1000}");
            assertThat(relay.hellos()).hasSize(3).allSatisfy(hello -> {
                assertThat(hello.policy()).isSameAs(Policy.LATEST);
                assertThat(hello.intervalMillis()).isEqualTo(500);
            });
        }
    }

    @Test
    void subscribeKeepsThePlaceOfACompleteState() throws Exception {
        Script again = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.start()).isSameAs(StartFrom.STATE);
            assertThat(hello.epoch()).isEqualTo(Frames.EPOCH);
            assertThat(hello.number()).isEqualTo(21);
            client.send(Frames.joined(Frames.welcome(21), Frames.message(9, "new"), Frames.ping(1, 22, 21)));
            client.drain();
        };
        Script inOneRead = client -> {
            client.hello();
            client.send(Frames.joined(
                    Frames.welcome(1), Frames.message(9, "a"), Frames.message(7, "b"), Frames.ping(1, 3, 2)));
            client.drain();
        };
        Path file = directory.resolve("place");
        try (ScriptedRelay relay = ScriptedRelay.of(inOneRead, state(PASSED_OVER), again)) {
            String[] args = {
                "subscribe",
                "--from=state",
                "--position=" + file,
                "--types=1-99",
                "--count=1",
                "--quiet",
                relay.endpoint().toString()
            };
            CommandRun run = CommandRun.of(args);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(file).as("one of two is not the state").doesNotExist();
            args[4] = "--until=head";
            run = CommandRun.of(args);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out().lines()).hasSize(3);
            assertThat(file).content().contains("next=21\n");
            run = CommandRun.of(args);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).isEqualTo("sequence 21, type 9, 3 bytes: new\n");
            assertThat(file).content().contains("next=22\n");
        }
    }

    @Test
    void publishDeletesByAnEmptyMessage() throws Exception {
        List<Frame> got = new ArrayList<>();
        Script script = client -> {
            client.hello();
            client.send(FrameText.encode("WELCOME features=0"));
            for (Frame frame = client.next(); frame != null; frame = client.next()) {
                if (FrameText.name(frame.type()).equals("PING")) {
                    client.send(FrameText.encode("PONG id="
                            + FrameText.decode(frame.type(), frame.body()).get("id")));
                } else if (FrameText.name(frame.type()).equals("MESSAGE")) {
                    got.add(frame);
                }
            }
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = CommandRun.of(
                    "publish", "--delete", "--type", "7", relay.endpoint().toString());
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).hasSize(1);
            assertThat(got.get(0).type()).isEqualTo(7);
            assertThat(got.get(0).body().remaining()).isZero();
        }
        for (String[] wrong : new String[][] {
            {"publish", "--delete"},
            {"publish", "--delete", "--type", "7", "--message", "x"},
            {"publish", "--delete", "--type", "7", "--file", "x"}
        }) {
            assertThat(CommandRun.of(wrong).exitCode())
                    .as(String.join(" ", wrong))
                    .isEqualTo(ExitCodes.USAGE);
        }
    }

    @Test
    void pingAndInfoSayWhatTheRelaySees() throws Exception {
        Script tells = client -> {
            client.hello();
            client.send(FrameText.encode("WELCOME features=16 next=5 address=192.0.2.7:40001 identity=audit"));
            answerChanges(client);
        };
        Script silent = client -> {
            client.hello();
            client.send(Frames.welcome(5));
            answerChanges(client);
        };
        try (ScriptedRelay relay = ScriptedRelay.of(tells, tells, silent, silent)) {
            String to = relay.endpoint().toString();
            assertThat(CommandRun.of("ping", to).out())
                    .contains(", may subscribe as audit from 192.0.2.7:40001, epoch ");
            assertThat(CommandRun.of("info", "--json", to).out())
                    .contains("\"address\":\"192.0.2.7:40001\",\"identity\":\"audit\"");
            assertThat(CommandRun.of("ping", to).out()).contains(", may subscribe, epoch ");
            assertThat(CommandRun.of("info", to).out()).contains("address           not told: the relay is older");
        }
    }

    /** Until the client has measured its round trips. */
    private static void answerChanges(Peer client) throws Exception {
        for (Frame frame = client.next(); frame != null; frame = client.next()) {
            if (FrameText.name(frame.type()).equals("SUBSCRIBE")) {
                String request = FrameText.decode(frame.type(), frame.body()).get("request");
                client.send(FrameText.encode("SUBSCRIBED sequence=5 request=" + request));
            }
        }
    }
}
