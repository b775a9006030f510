package dev.msgrelay.client.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.RelayOption;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code relay-client copy} between two relays. */
class CopyTest {
    @TempDir
    private Path directory;

    private final List<RelayServer> relays = new ArrayList<>();
    private RelayServer source;
    private RelayServer target;

    @BeforeEach
    void start() throws IOException {
        source = relay();
        target = relay();
    }

    @AfterEach
    void stop() {
        relays.forEach(RelayServer::close);
    }

    private RelayServer relay() throws IOException {
        RelayServer relay = RelayServer.start(RelayConfig.builder(0, 0).build());
        relays.add(relay);
        return relay;
    }

    @Test
    void aStreamGoesOverInItsOrder() {
        publish(source, 1, 500);
        CommandRun run = copy(500);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("copied 500 messages, ");
        assertThat(read(target, 500)).isEqualTo(lines(1, 500));
    }

    @Test
    void eachRunGoesOnWhereTheLastOneEnded() {
        publish(source, 1, 30);
        for (int i = 0; i < 3; i++) {
            CommandRun run = copy(10, "--position=" + file());
            assertThat(run.exitCode()).as(run.err()).isZero();
        }
        assertThat(read(target, 30)).isEqualTo(lines(1, 30));
        assertThat(file()).content().contains("from-next=31\n").contains("number=30\n");
    }

    /** As after a kill: TO has more than the file says. */
    @Test
    void whatTheFileDoesNotKnowOfIsNotSentAgain() throws IOException {
        publish(source, 1, 20);
        copy(5, "--position=" + file());
        String early = Files.readString(file());
        copy(5, "--position=" + file());
        Files.writeString(file(), early);
        CommandRun run = copy(15, "--position=" + file());
        assertThat(run.exitCode()).as(run.err()).isZero();
        publish(target, 21, 1);
        assertThat(read(target, 21)).isEqualTo(lines(1, 21));
    }

    /** The numbers of TO would mean other messages. */
    @Test
    void aPlaceThatNobodyKnowsIsNotGuessed() throws IOException {
        publish(source, 1, 20);
        copy(5, "--position=" + file());
        String early = Files.readString(file());
        copy(5, "--position=" + file());
        Files.writeString(
                file(), early.replaceAll("from-epoch=.*", "from-epoch=7").replaceAll("from-epochs=.*", ""));
        CommandRun run = copy(15, "--position=" + file());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("TO has 5 messages behind the place that is kept, and nobody knows which");
    }

    /** A relay that was started anew has a new epoch, and what it had before is the same. */
    @Test
    void aFreshStartOfFromIsNoReasonToEnd() throws IOException {
        Path journal = directory.resolve("journal");
        source = relay(journal);
        publish(source, 1, 8);
        String early = copyFiveAndThree();
        source.close();
        source = relay(journal);
        publish(source, 9, 2);
        Files.writeString(file(), early);
        CommandRun run = copy(5, "--position=" + file());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(read(target, 10)).isEqualTo(lines(1, 10));
    }

    /** An older backup of FROM, after a kill: the place is in both lives, and what is passed over is not. */
    @Test
    void messagesOfAnotherLifeAreNotTakenForThoseThatToHas() throws IOException {
        Path journal = directory.resolve("journal");
        Path backup = directory.resolve("backup");
        source = relay(journal);
        publish(source, 1, 6);
        source.close();
        copyFiles(journal, backup);
        source = relay(journal);
        publish(source, 7, 2);
        String early = copyFiveAndThree();
        source.close();
        source = relay(backup);
        publish(source, 71, 3);
        Files.writeString(file(), early);
        CommandRun run = copy(4, "--position=" + file());
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err())
                .contains(
                        "message 7 of FROM is of another life than the one that was copied; TO has 2 messages behind");
    }

    private String copyFiveAndThree() throws IOException {
        assertThat(copy(5, "--position=" + file()).exitCode()).isZero();
        String early = Files.readString(file());
        assertThat(copy(3, "--position=" + file()).exitCode()).isZero();
        return early;
    }

    private RelayServer relay(Path journal) throws IOException {
        RelayServer relay = RelayServer.start(
                RelayConfig.builder(0, 0).set(RelayOption.JOURNAL, journal).build());
        relays.add(relay);
        return relay;
    }

    private static void copyFiles(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    /** FROM says nothing: TO's end is noticed all the same. */
    @Test
    void theEndOfToEndsTheCopyOfAQuietStream() throws Exception {
        StringWriter err = new StringWriter();
        CompletableFuture<CommandRun> run = CommandRun.start(
                err, "copy", subscribing(source), publishing(target), "--reconnect=none", "--from=earliest");
        publish(source, 1, 1);
        assertThat(read(target, 1)).isEqualTo(lines(1, 1));
        target.close();
        assertThat(run.get(120, TimeUnit.SECONDS).exitCode()).as(err.toString()).isEqualTo(1);
    }

    /** One message fills no buffer: TO's silence ends the copy all the same. */
    @Test
    void aRelayThatAcknowledgesNothingEndsTheCopy() throws Exception {
        publish(source, 1, 1);
        ScriptedRelay.Script silent = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0));
            client.drain();
        };
        try (ScriptedRelay to = ScriptedRelay.of(silent)) {
            CommandRun run = CommandRun.of(
                    "copy", subscribing(source), to.endpoint().toString(), "--from=earliest", "--stall-timeout=6s");
            assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
            assertThat(run.err()).contains("acknowledged nothing for 6s");
        }
    }

    /** The buffer is full before a run is copied; the place stays the one of the messages that TO was given. */
    @Test
    void aRelayThatTakesNothingMoreEndsTheCopyOfALongStream() throws Exception {
        publish(source, ("x".repeat(1000) + "\n").repeat(3000));
        ScriptedRelay.Script silent = client -> {
            client.hello();
            client.send(Frames.welcomePublisher(0));
            client.drain();
        };
        try (ScriptedRelay to = ScriptedRelay.of(silent)) {
            CommandRun run = CommandRun.of(
                    "copy",
                    subscribing(source),
                    to.endpoint().toString(),
                    "--from=earliest",
                    "--stall-timeout=6s",
                    "--position=" + file());
            assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
            assertThat(run.err()).contains("acknowledged nothing for 6s").contains("copied 0 of 1,0");
            assertThat(file()).content().contains("from-next=1\n").contains("number=0\n");
        }
    }

    @Test
    void typesAreChosenAndBelongToTheFile() {
        publish(source, 1, 10);
        CommandRun other = CommandRun.of("publish", publishing(source), "--type=9", "-m", "nine");
        assertThat(other.exitCode()).as(other.err()).isZero();
        CommandRun run = copy(1, "--types=9", "--position=" + file());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(read(target, 1)).isEqualTo("nine\n");
        CommandRun wider = copy(1, "--types=8-9", "--position=" + file());
        assertThat(wider.exitCode()).isEqualTo(1);
        assertThat(wider.err()).contains("is of --types 9, not 8-9: name another file");
    }

    @Test
    void aRelayIsNotCopiedIntoItself() {
        publish(source, 1, 1);
        CommandRun run = CommandRun.of("copy", subscribing(source), publishing(source), "--from=earliest");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("FROM and TO are one relay");
        assertThat(read(source, 1)).isEqualTo(lines(1, 1));
    }

    /** The second relay has the place's number, and another stream. */
    @Test
    void anotherStreamOfToIsTold() throws IOException {
        publish(source, 1, 10);
        copy(5, "--position=" + file());
        target = relay();
        CommandRun run = copy(5, "--position=" + file());
        assertThat(run.exitCode()).as(run.err()).isEqualTo(5);
        assertThat(run.err()).contains("has another stream");
        assertThat(read(target, 5)).isEqualTo(lines(6, 5));
    }

    @Test
    void aBodyThatDoesNotFitEndsTheCopy() throws IOException {
        RelayServer small = RelayServer.start(
                RelayConfig.builder(0, 0).set(RelayOption.MAX_BODY, 10).build());
        relays.add(small);
        target = small;
        byte[] lines = "one\ntwo\ntwelve bytes\nfour\n".getBytes(UTF_8);
        CommandRun published = CommandRun.withInput(lines, "publish", publishing(source));
        assertThat(published.exitCode()).as(published.err()).isZero();
        CommandRun run = copy(4, "--position=" + file());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("message 3 of FROM does not fit TO").contains("copied 2 messages, 6 bytes");
        assertThat(read(target, 2)).isEqualTo("one\ntwo\n");
    }

    @Test
    void wrongUsageIsTold() throws IOException {
        assertThat(CommandRun.of("copy").err()).contains("FROM is missing").contains("--from-context");
        assertThat(CommandRun.of("copy", "1", "2", "--count=0").err()).contains("--count 0 is below 1");
        Files.writeString(file(), "name=x\n");
        CommandRun damaged = copy(1, "--position=" + file());
        assertThat(damaged.exitCode()).isEqualTo(1);
        assertThat(damaged.err()).contains("is damaged (no line producer-id=)");
        Files.delete(file());
        publish(source, 1, 1);
        copy(1, "--position=" + file());
        Files.writeString(file(), Files.readString(file()).replaceAll("types=.*\n", ""));
        assertThat(copy(1, "--position=" + file()).err()).contains("is damaged (no line types=)");
    }

    private Path file() {
        return directory.resolve("b.copy");
    }

    private CommandRun copy(int count, String... more) {
        List<String> args = new ArrayList<>(
                List.of("copy", subscribing(source), publishing(target), "--from=earliest", "--count=" + count));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private static String subscribing(RelayServer relay) {
        return Endpoint.of(relay.subscribeAddress()).toString();
    }

    private static String publishing(RelayServer relay) {
        return Endpoint.of(relay.publishAddress()).toString();
    }

    private static void publish(RelayServer relay, int first, int count) {
        publish(relay, lines(first, count));
    }

    private static void publish(RelayServer relay, String lines) {
        CommandRun run = CommandRun.withInput(lines.getBytes(UTF_8), "publish", publishing(relay));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private static String read(RelayServer relay, int count) {
        CommandRun run =
                CommandRun.of("subscribe", subscribing(relay), "--from=earliest", "--count=" + count, "--format=%b\\n");
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private static String lines(int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(i -> "message " + i + "\n")
                .collect(Collectors.joining());
    }
}
