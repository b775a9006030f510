package dev.msgrelay.client.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.PositionStore;
import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands as a newcomer uses them: right and wrong ports, and one command's output as another's input. */
class CommandsWithARelayTest {
    @TempDir
    private Path directory;

    private RelayServer relay;
    private Endpoint publish;
    private Endpoint subscribe;

    @BeforeEach
    void start() throws IOException {
        relay = RelayServer.start(RelayConfig.builder(0, 0).build());
        publish = Endpoint.of(relay.publishAddress());
        subscribe = Endpoint.of(relay.subscribeAddress());
    }

    @AfterEach
    void stop() {
        relay.close();
    }

    /** All bytes there are, characters that JSON escapes, a body of nothing, one beyond the BMP. */
    @Test
    void whatSubscribePrintsAsJsonPublishTakesByteForByte() throws Exception {
        byte[] noText = new byte[1000];
        new Random(7).nextBytes(noText);
        byte[] ascii = new byte[128];
        for (int i = 0; i < ascii.length; i++) {
            ascii[i] = (byte) i;
        }
        byte[][] bodies = {noText, ascii, new byte[0], "ü\u2028\uFEFF\u202E\uD83D\uDE00\uDB40\uDC01".getBytes(UTF_8)};
        for (int i = 0; i < bodies.length; i++) {
            Path file = Files.write(directory.resolve("body" + i), bodies[i]);
            CommandRun run = i == 2
                    ? CommandRun.of("publish", publish.toString(), "--type=-2", "-m", "")
                    : CommandRun.of("publish", publish.toString(), "--type=" + i, "--raw", "--file=" + file);
            assertThat(run.exitCode()).as(run.err()).isZero();
        }
        CommandRun printed = earliest(bodies.length, "--json");
        assertThat(printed.out().lines())
                .hasSize(1 + bodies.length)
                .first()
                .asString()
                .contains("connected");
        CommandRun again = CommandRun.withInput(printed.bytes(), "publish", publish.toString(), "--json");
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.err()).contains("passed over 1 event without a body");
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < bodies.length; i++) {
                expected.writeBytes(((i == 2 ? -2 : i) + " ").getBytes(UTF_8));
                expected.writeBytes(bodies[i]);
                expected.writeBytes(new byte[] {'|'});
            }
        }
        assertThat(earliest(2 * bodies.length, "--format", "%t %b|").bytes()).isEqualTo(expected.toByteArray());
    }

    /**
     * Each run goes on behind the last message that the one before wrote out, also within what one read has brought.
     */
    @Test
    void aPositionGoesFromRunToRun() throws Exception {
        publish("a\nb\nc\nd\ne\n");
        String position = "--position=" + directory.resolve("audit.position");
        assertThat(earliest(2, "--format=%s:%b ", position).out()).isEqualTo("1:a 2:b ");
        assertThat(earliest(1, "--format=%s:%b ", position).out()).isEqualTo("3:c ");
        publish("f\n");
        assertThat(earliest(3, "--json", position).out().lines())
                .filteredOn(line -> line.contains("\"event\":\"message\""))
                .map(line -> line.replaceFirst(".*\"body\":\"(.)\".*", "$1"))
                .containsExactly("d", "e", "f");
        assertThat(directory.resolve("audit.position")).content().contains("next=7\n");
        // Of the types wanted too: what was passed over is not looked at again.
        publish("g\n");
        CommandRun other = CommandRun.of("publish", publish.toString(), "--type=9", "-m", "h");
        assertThat(other.exitCode()).as(other.err()).isZero();
        assertThat(earliest(1, "--format=%s:%b ", "--types=9", position).out()).isEqualTo("8:h ");
    }

    @Test
    void aPositionIsForOneAtATime() throws Exception {
        Path file = directory.resolve("audit.position");
        PositionStore held = PositionStore.file(file);
        held.load();
        try {
            CommandRun run = CommandRun.of("subscribe", subscribe.toString(), "--position=" + file);
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("in use by another subscriber");
        } finally {
            held.release();
        }
    }

    private void publish(String lines) throws Exception {
        CommandRun run = CommandRun.withInput(lines.getBytes(UTF_8), "publish", publish.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private CommandRun earliest(int count, String... how) {
        String[] args = new String[5 + how.length];
        args[0] = "subscribe";
        args[1] = Integer.toString(subscribe.port());
        args[2] = "--from=earliest";
        args[3] = "--count";
        args[4] = Integer.toString(count);
        System.arraycopy(how, 0, args, 5, how.length);
        CommandRun run = CommandRun.of(args);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    @Test
    void aWrongPortIsToldTheRightOne() {
        CommandRun subscriber = CommandRun.of("subscribe", publish.toString());
        assertThat(subscriber.exitCode()).isEqualTo(1);
        assertThat(subscriber.err().lines())
                .containsExactly("relay-client subscribe: the relay ended the connection: wrong role: HELLO of a"
                        + " subscriber on the port of publishers; subscribers connect to port " + subscribe.port());
        CommandRun publisher = CommandRun.of("publish", subscribe.toString());
        assertThat(publisher.exitCode()).isEqualTo(1);
        assertThat(publisher.err().lines())
                .singleElement()
                .asString()
                .endsWith("; publishers connect to port " + publish.port());
    }

    @Test
    void aDataPortAnswersTop() {
        for (Endpoint port : new Endpoint[] {publish, subscribe}) {
            CommandRun run = CommandRun.of("top", "--once", Integer.toString(port.port()));
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err().lines())
                    .singleElement()
                    .asString()
                    .contains("this is a relay's port for data")
                    .contains(port == publish ? "the port of publishers" : "the port of subscribers");
        }
    }

    @Test
    void pingAndInfoTellWhoAnswersAndWhatIsAllowed() throws IOException {
        assertThat(CommandRun.of("publish", publish.toString(), "-m", "x").exitCode())
                .isZero();
        CommandRun ping = CommandRun.of("ping", subscribe.toString(), publish.toString());
        assertThat(ping.exitCode()).as(ping.err()).isZero();
        assertThat(ping.out().lines()).hasSize(2);
        assertThat(ping.out())
                .containsPattern(
                        subscribe
                                + ": relay.*, may subscribe from 127\\.0\\.0\\.1:\\d+, epoch -?\\d+, newest message 1, round trip [0-9.]+ ms")
                .containsPattern(
                        publish
                                + ": relay.*, may publish from 127\\.0\\.0\\.1:\\d+, epoch -?\\d+, newest message 1, welcome after");
        CommandRun info = CommandRun.of("info", "--json", publish.toString());
        assertThat(info.out())
                .startsWith("{\"endpoint\":\"" + publish)
                .contains("\"maxBody\":1048576", "\"address\":\"127.0.0.1:", "\"identity\":\"\"");
        CommandRun gone = CommandRun.of("ping", subscribe.toString(), "1");
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.err()).contains("relay-client ping: 127.0.0.1:1: cannot connect");
        assertThat(gone.out()).contains("may subscribe");
    }

    @Test
    @Tag("thorough")
    void aSubscriberThatHearsNothingSaysSoOnce() throws Exception {
        CountDownLatch said = new CountDownLatch(1);
        StringWriter err = new StringWriter() {
            @Override
            public void write(String text, int from, int length) {
                super.write(text, from, length);
                if (toString().contains("no message for 5 s")) {
                    said.countDown();
                }
            }
        };
        CompletableFuture<CommandRun> subscriber =
                CommandRun.start(err, "subscribe", subscribe.toString(), "--count=1", "--types=0-9");
        assertThat(said.await(120, SECONDS)).as(err::toString).isTrue();
        CommandRun.of("publish", publish.toString(), "-m", "x", "--quiet");
        CommandRun run = subscriber.get(120, SECONDS);
        assertThat(run.err().lines().filter(line -> line.startsWith("no message for 5 s: connected to " + subscribe)))
                .singleElement()
                .asString()
                .contains("waiting for new messages of the types 0-9");
    }
}
