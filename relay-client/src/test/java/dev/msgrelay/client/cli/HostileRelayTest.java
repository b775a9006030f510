package dev.msgrelay.client.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A relay that means ill, or that is none: what the commands print of it has bounds. */
class HostileRelayTest {
    private static final int GAPS = 10_000;

    /** Much longer than whatever a client of ours says in one line. */
    private static final int LONG_TEXT = 16_000;

    @Test
    void aFloodOfGapsIsSummedUp() throws Exception {
        ScriptedRelay.Script script = client -> {
            client.hello();
            client.send(Frames.welcome(1));
            for (int i = 0; i < GAPS; i++) {
                // Two messages are missed, and one comes.
                client.send(Frames.gap(3L * i + 1, 3L * i + 2, GapReason.NOT_HELD), Frames.message(7, "x"));
            }
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = CommandRun.of(
                    "subscribe", relay.endpoint().toString(), "--from", "earliest", "--count", Integer.toString(GAPS));
            assertThat(run.exitCode()).isZero();
            List<String> gaps =
                    run.err().lines().filter(line -> line.contains("missed")).toList();
            assertThat(gaps).hasSizeLessThan(200);
            assertThat(gaps.get(0)).startsWith("missed 2 messages, 1 to 2");
            // Nothing that is lost is left out of the account.
            assertThat(gaps.stream().mapToLong(HostileRelayTest::missed).sum()).isEqualTo(2L * GAPS);
        }
    }

    private static long missed(String line) {
        return Long.parseLong(line.replaceFirst(".*missed (\\d+) messages.*", "$1"));
    }

    @Test
    void theRelaysWordsAreCut() throws Exception {
        String words = "w".repeat(LONG_TEXT);
        ScriptedRelay.Script script = client -> {
            client.hello();
            client.send(error(CloseReason.NOT_PERMITTED, words));
        };
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            CommandRun run = CommandRun.of("subscribe", relay.endpoint().toString(), "--name", "x");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("www").hasSizeLessThan(1_000);
        }
    }

    private static ByteBuffer error(CloseReason reason, String text) {
        byte[] utf8 = text.getBytes(UTF_8);
        return ByteBuffer.allocate(10 + utf8.length)
                .putInt(ControlFrames.ERROR)
                .putInt(2 + utf8.length)
                .putShort((short) reason.code())
                .put(utf8)
                .flip();
    }

    // ---- top -------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(
            strings = {
                "event: about\ndata: {}\n\n",
                "event: about\ndata: {\"version\":\"1\"}\n\n",
                "event: about\ndata: {\"version\":[],\"transport\":3,\"slowSubscriber\":{},\"parts\":1,\"counters\":2}\n\n",
                "event: message\ndata: {\"hello\":\"world\"}\n\nevent: message\ndata: {\"hello\":\"world\"}\n\n",
                "event: about\ndata: {\"version\":\"1\",\"transport\":\"nio\",\"slowSubscriber\":\"skip\",\"parts\":[1],"
                        + "\"counters\":[]}\n\n",
                "event: about\ndata: {\"version\":\"1\",\"transport\":\"nio\",\"slowSubscriber\":\"skip\",\"parts\":[],"
                        + "\"counters\":[]}\n\nevent: stats\ndata: {}\n\nevent: stats\ndata: {}\n\n",
                "event: about\ndata: {\"version\":\"1\",\"transport\":\"nio\",\"slowSubscriber\":\"skip\",\"parts\":[],"
                        + "\"counters\":[]}\n\nevent: stats\ndata: {\"time\":\"noon\",\"memory\":{},\"closes\":{},"
                        + "\"ended\":[],\"lagging\":[]}\n\n",
                "data: 1\n\n"
            })
    void eventsOfSomethingElseAreNamedAsThat(String events) throws Exception {
        String answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: "
                + events.getBytes(UTF_8).length + "\r\n\r\n" + events;
        assertNoAdminPort(answer);
    }

    @Test
    void aPageIsNoStreamOfEvents() throws Exception {
        assertNoAdminPort("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>");
    }

    private static void assertNoAdminPort(String answer) throws Exception {
        ScriptedRelay.Script script = client -> {
            client.send(UTF_8.encode(answer));
            client.drain();
        };
        try (ScriptedRelay other = ScriptedRelay.repeating(script)) {
            CommandRun run = CommandRun.of("top", other.endpoint().toString(), "--once");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("no relay's admin port").hasSizeLessThan(500);
            assertThat(run.err().lines()).hasSize(1);
        }
    }

    /** What refuses, and then says nothing more, is not waited for, but for as long as its first answer may take. */
    @ConcurrentTest
    void aRefusalWhoseTextNeverComes() throws Exception {
        ScriptedRelay.Script script = client -> {
            client.send(UTF_8.encode("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nnot"));
            client.drain();
        };
        try (ScriptedRelay other = ScriptedRelay.repeating(script)) {
            CommandRun run = CommandRun.of("top", other.endpoint().toString(), "--once", "--connect-timeout", "5s");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).contains("answers 404");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://", "http:///x", "https://:1", "http://a b"})
    void addressesWithoutAHostAreWrongUsage(String address) {
        CommandRun run = CommandRun.of("top", address, "--once");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(address);
    }
}
