package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.WelcomeFrame;
import dev.msgrelay.testing.OddFiles;
import dev.msgrelay.testing.scripted.FrameText;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.Peer.Frame;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code publish --ack --name --file}, run again after a run that was cut short, or was not. */
class ResumptionTest {
    private static final long OTHER_EPOCH = 99;

    @TempDir
    private Path directory;

    private Path file;
    private final List<String> got = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void write() throws IOException {
        file = Files.write(directory.resolve("in"), List.of("a", "b", "c", "d"));
    }

    @Test
    void goesOnBehindWhatTheRelayHas() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(cut(40, 2), serve(Frames.welcomePublisher(42), 2, 44))) {
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            assertThat(got).containsExactly("a", "b");
            got.clear();
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("c", "d");
            assertThat(run.err()).contains("going on with " + file + " behind its message 2");
            assertThat(relay.hellos()).extracting(HelloFrame::number).containsOnly(0L);
            assertThat(relay.hellos().stream().map(HelloFrame::producer).distinct())
                    .singleElement()
                    .matches(id -> !id.isNone());
        }
    }

    @Test
    void aRunThatHasEndedIsPublishedAgainOnDemandOnly() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                serve(Frames.welcomePublisher(0), 4, 4),
                serve(Frames.welcomePublisher(4), 0, 0),
                serve(Frames.welcomePublisher(4), 4, 8))) {
            assertThat(publish(relay).exitCode()).isZero();
            CommandRun again = publish(relay);
            assertThat(again.exitCode()).as(again.err()).isZero();
            assertThat(again.err())
                    .contains("nothing to publish: the relay has all 4 messages of " + file)
                    .contains("--from-start")
                    .contains("published 0 messages");
            assertThat(got).containsExactly("a", "b", "c", "d");
            assertThat(publish(relay, "--from-start").exitCode()).isZero();
            assertThat(got).containsExactly("a", "b", "c", "d", "a", "b", "c", "d");
        }
    }

    /** Five messages of something else under the name come in between. */
    @Test
    void ofAFileThatHasGrownTheNewLinesArePublished() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                serve(Frames.welcomePublisher(10), 4, 14),
                serve(Frames.welcomePublisher(19), 2, 21),
                serve(Frames.welcomePublisher(21), 0, 0))) {
            assertThat(publish(relay).exitCode()).isZero();
            Files.write(file, List.of("e", "f"), StandardOpenOption.APPEND);
            got.clear();
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("e", "f");
            assertThat(run.err()).contains("behind its message 4");
            CommandRun again = publish(relay);
            assertThat(again.err()).contains("the relay has all 6 messages");
        }
    }

    /** The second try is refused as the first one: it publishes nothing that would be taken for more of the file. */
    @Test
    void anotherFileUnderTheSameNameIsRefused() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                serve(Frames.welcomePublisher(0), 4, 4),
                serve(Frames.welcomePublisher(4), 0, 0),
                serve(Frames.welcomePublisher(4), 0, 0),
                serve(Frames.welcomePublisher(4), 5, 9),
                serve(Frames.welcomePublisher(9), 0, 0))) {
            assertThat(publish(relay).exitCode()).isZero();
            Files.write(file, List.of("A", "B", "C", "D", "E"));
            got.clear();
            for (int i = 0; i < 2; i++) {
                CommandRun run = publish(relay);
                assertThat(run.exitCode()).isEqualTo(1);
                assertThat(run.err())
                        .contains(file + " is not the file of the earlier run: its first 4 messages are others."
                                + " --from-start publishes all of it; --append goes on behind message 4")
                        .contains("published 0 messages");
            }
            assertThat(publish(relay, "--from-start").exitCode()).isZero();
            assertThat(got).containsExactly("A", "B", "C", "D", "E");
            CommandRun again = publish(relay);
            assertThat(again.exitCode()).as(again.err()).isZero();
            assertThat(again.err()).contains("the relay has all 5 messages");
        }
    }

    /** A message's length counts: the same bytes cut in another way are another file. */
    @Test
    void anotherFileIsAppendedOnDemand() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                serve(Frames.welcomePublisher(0), 4, 4),
                serve(Frames.welcomePublisher(4), 0, 0),
                serve(Frames.welcomePublisher(4), 1, 5),
                serve(Frames.welcomePublisher(5), 0, 0))) {
            assertThat(publish(relay).exitCode()).isZero();
            Files.write(file, List.of("ab", "", "c", "d", "e"));
            got.clear();
            assertThat(publish(relay).err()).contains(file + " is not the file of the earlier run");
            CommandRun run = publish(relay, "--append");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("e");
            assertThat(publish(relay).err()).contains("the relay has all 5 messages");
        }
    }

    /** Older versions have not kept what a file began with. */
    @Test
    void aRecordOfAnOlderVersionIsGoneOnWithUnchecked() throws Exception {
        try (ScriptedRelay relay =
                ScriptedRelay.of(serve(Frames.welcomePublisher(0), 4, 4), serve(Frames.welcomePublisher(4), 1, 5))) {
            assertThat(publish(relay).exitCode()).isZero();
            Path record = directory.resolve("state/orders.publisher");
            List<String> older = Files.readAllLines(record).stream()
                    .filter(line -> !line.startsWith("known"))
                    .toList();
            assertThat(Files.readAllLines(record)).hasSize(older.size() + 2);
            Files.write(record, older);
            Files.write(file, List.of("A", "b", "c", "d", "e"));
            got.clear();
            assertThat(publish(relay).exitCode()).isZero();
            assertThat(got).containsExactly("e");
        }
    }

    /** A run that goes on with a file and is cut short leaves the beginning known. */
    @Test
    void aFileIsKnownBehindARunThatWasCutShort() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                serve(Frames.welcomePublisher(0), 4, 4), cut(4, 1), serve(Frames.welcomePublisher(5), 0, 0))) {
            assertThat(publish(relay).exitCode()).isZero();
            Files.write(file, List.of("e", "f"), StandardOpenOption.APPEND);
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            Files.write(file, List.of("A", "b", "c", "d", "e", "f"));
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("its first 4 messages are others", "goes on behind message 5");
        }
    }

    /** A run that was cut short behind two lines; then a run from a pipe counts three messages more. */
    @Test
    void aRunFromAPipeInBetweenDoesNotCountForTheFile() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                cut(0, 2), serve(Frames.welcomePublisher(2), 3, 5), serve(Frames.welcomePublisher(5), 2, 7))) {
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            CommandRun piped = CommandRun.withInput(
                    "x\ny\nz\n".getBytes(UTF_8),
                    "publish",
                    relay.endpoint().toString(),
                    "--ack",
                    "--name=orders",
                    "--state=" + directory.resolve("state"));
            assertThat(piped.exitCode()).as(piped.err()).isZero();
            got.clear();
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("c", "d");
        }
    }

    /** A relay without a journal was started anew behind a run that had ended. */
    @Test
    void whatAnotherStreamIsToGetIsChosen() throws Exception {
        for (boolean append : new boolean[] {true, false}) {
            got.clear();
            write();
            ByteBuffer anew = Frames.welcome(OTHER_EPOCH, WelcomeFrame.EPOCH_CHANGED, 1, 0, Frames.LONG_IDLE);
            try (ScriptedRelay relay = ScriptedRelay.of(
                    serve(Frames.welcomePublisher(0), 4, 4), serve(anew, append ? 1 : 5, append ? 1 : 5))) {
                assertThat(publish(relay, "--from-start").exitCode()).isZero();
                Files.write(file, List.of("e"), StandardOpenOption.APPEND);
                got.clear();
                CommandRun run = append ? publish(relay, "--append") : publish(relay);
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(got).containsExactlyElementsOf(append ? List.of("e") : List.of("a", "b", "c", "d", "e"));
                assertThat(run.err())
                        .contains("the relay has another stream than in the last run")
                        .contains("what it had acknowledged is gone")
                        .doesNotContain("0 messages that it had not");
            }
        }
    }

    @Test
    void allThatWasLeftWasToHearOfIt() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(cut(0, 4), serve(Frames.welcomePublisher(4), 0, 0))) {
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    void anotherInputIsPublishedFromItsStart() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                cut(0, 2), serve(Frames.welcomePublisher(2), 2, 4), serve(Frames.welcomePublisher(4), 4, 8))) {
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            got.clear();
            assertThat(publish(relay, "--chunk", "5").exitCode()).isZero();
            assertThat(got).containsExactly("a\nb\nc", "\nd\n");
            got.clear();
            assertThat(publish(relay).exitCode()).isZero();
            assertThat(got).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    void isPublishedFromItsStartOnDemand() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(cut(0, 2), serve(Frames.welcomePublisher(2), 4, 6))) {
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            got.clear();
            assertThat(publish(relay, "--from-start").exitCode()).isZero();
            assertThat(got).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    void aRelayThatWasStartedAnewHasNothingOfIt() throws Exception {
        ByteBuffer anew = Frames.welcome(OTHER_EPOCH, WelcomeFrame.EPOCH_CHANGED, 1, 0, Frames.LONG_IDLE);
        try (ScriptedRelay relay = ScriptedRelay.of(cut(0, 2), serve(anew, 4, 4))) {
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            got.clear();
            assertThat(publish(relay).exitCode()).isZero();
            assertThat(got).containsExactly("a", "b", "c", "d");
        }
    }

    /** A relay with a journal, which has line 1 and lost line 2. */
    @Test
    void aLaterLifeOfTheStreamIsGoneOnWith() throws Exception {
        ByteBuffer later = Frames.welcome(OTHER_EPOCH, 0, 1, 1, Frames.LONG_IDLE);
        try (ScriptedRelay relay = ScriptedRelay.of(cut(0, 2), serve(later, 3, 4))) {
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            got.clear();
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("b", "c", "d");
            assertThat(relay.hellos()).extracting(HelloFrame::epoch).containsExactly(0L, Frames.EPOCH);
        }
    }

    /**
     * The backup was made behind line 2, and the relay was started anew behind it: it does not know the epoch since.
     */
    @Test
    void anOlderBackupIsGoneOnWith() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                serve(epochs("epoch=200 epochs=200:3,100:1"), 4, 4),
                serve(epochs("flags=1 epoch=300 accepted=2 epochs=300:5,100:1"), 0, 0),
                serve(epochs("epoch=300 accepted=2 epochs=300:5,100:1"), 3, 5),
                serve(epochs("epoch=300 accepted=5 epochs=300:5,100:1"), 0, 0))) {
            assertThat(publish(relay).exitCode()).isZero();
            Files.write(file, List.of("e"), StandardOpenOption.APPEND);
            got.clear();
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("c", "d", "e");
            assertThat(run.err())
                    .contains("the relay no longer has messages 3 to 4 of " + file
                            + ", which it had acknowledged in an earlier run: publishing them again")
                    .doesNotContain("another stream");
            assertThat(publish(relay).err()).contains("the relay has all 5 messages");
            assertThat(relay.hellos()).extracting(HelloFrame::epoch).containsExactly(0L, 200L, 100L, 300L);
            assertThat(relay.hellos()).extracting(HelloFrame::number).containsOnly(0L);
        }
    }

    @Test
    void ofAnotherFileNoneIsPublishedBehindAnOlderBackup() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                serve(Frames.welcomePublisher(0), 4, 4),
                serve(Frames.welcomePublisher(2), 0, 0),
                serve(Frames.welcomePublisher(2), 0, 0),
                serve(Frames.welcomePublisher(2), 3, 5),
                serve(Frames.welcomePublisher(5), 0, 0))) {
            assertThat(publish(relay).exitCode()).isZero();
            got.clear();
            Files.write(file, List.of("a", "b", "C", "d", "e"));
            assertThat(publish(relay).err())
                    .contains(file + " is not the file of the earlier run: its first 4 messages");
            Files.write(file, List.of("a", "b", "c"));
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("--append goes on behind message 2").contains("published 0 messages");
            Files.write(file, List.of("a", "b", "C", "d", "e"));
            run = publish(relay, "--append");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("C", "d", "e");
            assertThat(publish(relay).err()).contains("the relay has all 5 messages");
        }
    }

    @Test
    void onDemandOnlyWhatIsNewIsPublishedBehindAnOlderBackup() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(
                serve(Frames.welcomePublisher(0), 4, 4),
                serve(Frames.welcomePublisher(2), 1, 3),
                serve(Frames.welcomePublisher(3), 1, 4))) {
            assertThat(publish(relay).exitCode()).isZero();
            for (String line : List.of("e", "f")) {
                Files.write(file, List.of(line), StandardOpenOption.APPEND);
                got.clear();
                CommandRun run = publish(relay, "--append");
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(got).containsExactly(line);
            }
        }
    }

    /** Lines 2 and 3 were acknowledged: they are published again in their place, before line 4. */
    @Test
    void whatIsRolledBackWithinTheRunIsPublishedAgain() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(epochs("epoch=200 epochs=200:1"));
            take(client, 4);
            client.send(Frames.ack(3, 3));
        };
        Script back = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isEqualTo(4);
            client.send(epochs("flags=3 epoch=300 accepted=0 fork=2 epochs=300:2,200:1"));
            assertThat(client.next()).as("nothing comes behind the gap").isNull();
        };
        Script anew = client -> {
            HelloFrame hello = client.hello();
            assertThat(hello.number()).isZero();
            assertThat(hello.epoch()).isEqualTo(300);
            client.send(epochs("epoch=300 accepted=1 epochs=300:2,200:1"));
            take(client, 3);
            client.send(Frames.ack(4, 4));
            client.drain();
        };
        Script again = serve(epochs("epoch=300 accepted=4 epochs=300:2,200:1"), 0, 0);
        try (ScriptedRelay relay = ScriptedRelay.of(first, back, anew, again)) {
            CommandRun run = publish(relay, "--from-start");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("a", "b", "c", "d", "b", "c", "d");
            assertThat(run.err())
                    .contains("was rolled back: messages 2 to 3, which it had acknowledged, may be gone")
                    .contains("going on with " + file + " behind its message 1")
                    .containsOnlyOnce("published");
            assertThat(publish(relay).err()).contains("the relay has all 4 messages");
        }
    }

    private static ByteBuffer epochs(String fields) {
        return FrameText.encode("WELCOME features=65 " + fields);
    }

    /** Lines 1 and 2 are acknowledged in a stream that is gone, line 3 is in the next one when the run is cut short. */
    @Test
    void aRelayThatIsStartedAnewWithinTheRunKeepsTheCount() throws Exception {
        Script first = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0));
            take(client, 2);
            client.send(Frames.ack(2, 2));
        };
        Script anew = client -> {
            assertThat(client.hello().number()).isEqualTo(3);
            client.send(Frames.welcome(OTHER_EPOCH, 1, 1, 0, Frames.LONG_IDLE));
            take(client, 1);
            client.send(Frames.ack(3, 1), ErrorFrame.encode(CloseReason.TOO_MANY_NAMES, "stop"));
            client.drain();
        };
        Script again = serve(Frames.welcome(OTHER_EPOCH, 0, 2, 3, Frames.LONG_IDLE), 1, 4);
        try (ScriptedRelay relay = ScriptedRelay.of(first, anew, again)) {
            assertThat(publish(relay).exitCode()).isEqualTo(1);
            got.clear();
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(got).containsExactly("d");
        }
    }

    @Test
    void aFileThatHasBecomeShorterIsNamed() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(cut(0, 3), serve(Frames.welcomePublisher(3), 0, 0))) {
            assertThat(publish(relay, "--reconnect", "none").exitCode()).isEqualTo(1);
            Files.write(file, List.of("a"));
            CommandRun run = publish(relay);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err())
                    .contains("the relay has 3 messages of " + file)
                    .contains("--from-start");
        }
    }

    /** What was read out of it is gone: behind a run that was cut short all of it is something else. */
    @Test
    void aPipeIsNotGoneOnWith() throws Exception {
        Path pipe = directory.resolve("pipe");
        OddFiles.pipe(pipe);
        try (ScriptedRelay relay = ScriptedRelay.of(cut(0, 2), serve(Frames.welcomePublisher(2), 2, 4))) {
            for (int i = 0; i < 2; i++) {
                CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(pipe));
                CommandRun run = publish(relay, "--reconnect", "none", "--file", pipe.toString());
                assertThat(run.exitCode()).as(run.err()).isEqualTo(1 - i);
                writing.get(120, TimeUnit.SECONDS);
            }
            assertThat(got).containsExactly("a", "b", "a", "b");
        }
    }

    private static void write(Path pipe) {
        try {
            Files.write(pipe, List.of("a", "b"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whatCannotBeKeptIsNamed() throws Exception {
        Path occupied = Files.createFile(directory.resolve("occupied"));
        CommandRun run = CommandRun.of(
                "publish",
                ":1",
                "--ack",
                "--name",
                "orders",
                "--file",
                file.toString(),
                "--state",
                occupied.toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("cannot keep the producer id of 'orders' in " + occupied)
                .doesNotContain("java.");
    }

    /** One line says so, and no stack beside it. */
    @Test
    void aDiskThatIsFullWithinTheRunIsNamed() throws Exception {
        List<Throwable> uncaught = Collections.synchronizedList(new ArrayList<>());
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> uncaught.add(fault));
        try (ScriptedRelay relay = ScriptedRelay.of(client -> {
            client.hello();
            for (String kept : List.of("state/orders.publisher", "state/orders.lock", "state")) {
                Files.delete(directory.resolve(kept));
            }
            client.send(Frames.welcomePublisher(0));
            client.drain();
        })) {
            CommandRun run = publish(relay, "--quiet");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err().lines())
                    .singleElement()
                    .asString()
                    .contains("cannot keep what is published: " + directory.resolve("state"));
            relay.await();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertThat(uncaught).isEmpty();
    }

    /** Takes so many messages behind number {@code accepted}, and acknowledges none. */
    private Script cut(long accepted, int messages) {
        return client -> {
            client.hello();
            client.send(Frames.welcomePublisher(accepted));
            take(client, messages);
        };
    }

    private Script serve(ByteBuffer welcome, int messages, long acknowledged) {
        return client -> {
            client.hello();
            client.send(welcome);
            take(client, messages);
            if (acknowledged > 0) {
                client.send(Frames.ack(acknowledged, acknowledged));
            }
            client.drain();
        };
    }

    private void take(Peer client, int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            Frame frame = client.next();
            got.add(new String(Frames.copy(frame.body()), UTF_8));
        }
    }

    private CommandRun publish(ScriptedRelay relay, String... more) {
        List<String> args = new ArrayList<>(List.of(
                "publish",
                relay.endpoint().toString(),
                "--ack",
                "--name",
                "orders",
                "--state",
                directory.resolve("state").toString()));
        args.addAll(List.of(more));
        if (!args.contains("--file")) {
            args.addAll(List.of("--file", file.toString()));
        }
        return CommandRun.of(args.toArray(String[]::new));
    }
}
