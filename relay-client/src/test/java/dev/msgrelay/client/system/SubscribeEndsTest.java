package dev.msgrelay.client.system;

import static dev.msgrelay.server.config.RelayOption.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where {@code subscribe} starts and ends by itself, as a script needs it, with a relay. */
class SubscribeEndsTest {
    @TempDir
    private Path directory;

    private RelayServer relay;

    @BeforeEach
    void start() throws IOException {
        start(RelayConfig.builder(0, 0));
    }

    private void start(RelayConfig.Builder config) throws IOException {
        relay = RelayServer.start(config.build());
    }

    @AfterEach
    void stop() {
        relay.close();
    }

    @Test
    void headIsTheNewestMessageAtTheStart() {
        publish("a\nb\nc\n");
        expect(0, "1:a 2:b 3:c ", "--from=earliest", "--until=head");
        expect(0, "2:b 3:c ", "--from=2", "--until=head");
        assertThat(subscribe("--from=earliest", "--until=head", "--count=2").out())
                .isEqualTo("1:a 2:b ");
    }

    @Test
    void anEmptyStreamIsReadAtOnce() {
        expect(0, "", "--from=earliest", "--until=head");
    }

    @Test
    void eachRunWithAPositionGoesOnWhereTheLastOneEnded() {
        publish("a\nb\nc\nd\ne\n");
        String position = "--position=" + directory.resolve("export.position");
        expect(0, "1:a 2:b 3:c ", "--from=earliest", "--until=3", position);
        expect(0, "4:d ", "--until=4", position);
        expect(0, "5:e ", "--until=head", position);
        expect(0, "", "--until=head", position);
        assertThat(directory.resolve("export.position")).content().contains("next=6\n");
        expect(0, "", "--until=2", position);
        assertThat(directory.resolve("export.position"))
                .as("it goes back for no --until")
                .content()
                .contains("next=6\n");
    }

    /** The last message wanted is of another type: a PING tells that it was left out. */
    @Test
    void messagesThatAreLeftOutCount() {
        publish("a\nb\n");
        publish("c\n", "--type=9");
        expect(0, "1:a 2:b ", "--from=earliest", "--types=1", "--until=head");
    }

    @Test
    void aSequenceBeyondTheNewestIsWaitedFor() {
        publish("a\n");
        assertThat(subscribe("--from=earliest", "--until=2", "--idle=300ms"))
                .satisfies(run -> assertThat(run.exitCode()).isEqualTo(4))
                .satisfies(run -> assertThat(run.err())
                        .contains("relay-client subscribe: no message for 300ms, and message 2 is not reached"));
        publish("b\nc\n");
        expect(0, "1:a 2:b ", "--from=earliest", "--until=2", "--idle=60s");
    }

    @Test
    void silenceIsNotInTime() {
        CommandRun nothing = subscribe("--idle=200ms");
        assertThat(nothing.exitCode()).isEqualTo(4);
        assertThat(nothing.err()).endsWith("relay-client subscribe: no message for 200ms\n");
        publish("a\n");
        CommandRun few = subscribe("--from=earliest", "--idle=200ms", "--count=3");
        assertThat(few.exitCode()).isEqualTo(4);
        assertThat(few.err()).contains("no message for 200ms, and --count 3 is not reached");
    }

    @Test
    void silenceWithoutAConnectionIsAFailure() {
        stop();
        CommandRun run = subscribe("--idle=200ms", "--reconnect=endless");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).contains("relay-client subscribe: no message for 200ms: ", "cannot connect");
    }

    @Test
    void lastIsACountOfTheStreamsNumbers() {
        expect(0, "", "--from=last:2", "--until=head");
        publish("a\nb\n");
        publish("c\n", "--type=9");
        expect(0, "2:b 3:c ", "--from=last:2", "--until=head");
        expect(0, "1:a 2:b 3:c ", "--from=last:100", "--until=head");
        expect(0, "3:c ", "--from=last:2", "--types=9", "--until=head");
        String position = "--position=" + directory.resolve("p");
        expect(0, "3:c ", "--from=last:1", "--count=1", position);
        publish("d\n");
        expect(0, "4:d ", "--from=last:4", "--until=head", position);
    }

    @Test
    void withoutAJournalThereAreNoTimes() {
        CommandRun run = subscribe("--from=earliest", "--until=1m");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .startsWith(
                        "relay-client subscribe: --until: it is a time, and the relay has no journal, so it knows none");
    }

    @Test
    void aTimeIsAPlaceInTheJournal() throws Exception {
        stop();
        start(RelayConfig.builder(0, 0)
                .set(JOURNAL, directory.resolve("journal"))
                .set(JOURNAL_SEGMENT, 4 << 20));
        publish("a\nb\n", "--ack=written");
        Instant between = laterThan(Instant.now());
        laterThan(between);
        publish("c\n", "--ack=written");
        expect(0, "1:a 2:b ", "--from=earliest", "--until=" + between);
        expect(0, "2:b ", "--from=2", "--until=" + between);
        expect(0, "1:a 2:b 3:c ", "--from=last:3", "--until=" + laterThan(Instant.now()));
    }

    /** A time of another millisecond, which has come. */
    private static Instant laterThan(Instant before) {
        Instant now = Instant.now();
        while (now.toEpochMilli() <= before.toEpochMilli() + 1) {
            Thread.onSpinWait();
            now = Instant.now();
        }
        return now;
    }

    private void publish(String lines, String... options) {
        String endpoint = Endpoint.of(relay.publishAddress()).toString();
        CommandRun run = CommandRun.withInput(lines.getBytes(UTF_8), with("publish", endpoint, options));
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private CommandRun subscribe(String... options) {
        String endpoint = Endpoint.of(relay.subscribeAddress()).toString();
        return CommandRun.of(with("subscribe", endpoint, with("--format=%s:%b ", "--quiet", options)));
    }

    private static String[] with(String first, String second, String... more) {
        return Stream.concat(Stream.of(first, second), Stream.of(more)).toArray(String[]::new);
    }

    private void expect(int exitCode, String out, String... options) {
        CommandRun run = subscribe(options);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
        assertThat(run.out()).isEqualTo(out);
    }
}
