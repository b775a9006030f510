package dev.msgrelay.client.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.cli.CommandRun;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.testing.Signals;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code publish} without {@code --ack}, as a process: what it counts as published, the relay has. */
@Execution(ExecutionMode.CONCURRENT)
class ConfirmedPublishTest {
    private static final String COMMAND = "dev.msgrelay.client.cli.RelayClientMain";

    @TempDir
    private Path directory;

    /** The relay reads for longer than a publisher waits for the end of a connection, and sends PINGs meanwhile. */
    @Test
    void aRelayThatReadsSlowlyGetsAll() throws Exception {
        int messages = 60_000;
        Path config = Files.writeString(directory.resolve("relay.conf"), """
                access {
                    me {
                        from = "127.0.0.0/8"
                        publish = all
                        subscribe = all
                        max-rate = 200k
                    }
                }
                """);
        try (TestProcess relay = relay("--config=" + config, "--heartbeat=500ms")) {
            TestProcess publish = TestProcess.java(COMMAND, "publish", port(relay, "publish"), "--stall-timeout=10m");
            publish.writeInput(lines(messages));
            assertThat(publish.awaitExit()).as("%s", publish.errors()).isZero();
            assertThat(publish.errors())
                    .last()
                    .asString()
                    .startsWith(String.format(Locale.ROOT, "published %,d messages, ", messages))
                    .endsWith(" bytes confirmed");
            CommandRun all = CommandRun.of(
                    "subscribe", port(relay, "subscribe"), "--from=earliest", "--count=" + messages, "--format=%b\n");
            assertThat(all.exitCode()).as(all.err()).isZero();
            assertThat(all.out()).isEqualTo(lines(messages));
        }
    }

    @Test
    void aRelayThatStopsReadingLeavesNoFewerInDoubtThanItLacks() throws Exception {
        int messages = 60_000;
        String padding = "x".repeat(500);
        try (TestProcess relay = relay("--slow-subscriber=backpressure", "--stall-timeout=1h", "--log-size=8m");
                SocketChannel reader = SocketChannel.open()) {
            reader.setOption(StandardSocketOptions.SO_RCVBUF, 16 << 10);
            reader.connect(new InetSocketAddress("127.0.0.1", Integer.parseInt(port(relay, "subscribe"))));
            awaitFirst(relay, reader);
            Path file = Files.writeString(
                    directory.resolve("in"),
                    IntStream.rangeClosed(1, messages)
                            .mapToObj(number -> number + padding + "\n")
                            .collect(Collectors.joining()));
            TestProcess publish = TestProcess.java(
                    COMMAND, "publish", port(relay, "publish"), "--stall-timeout=5s", "--type=7", "--file=" + file);
            assertThat(publish.awaitExit()).as("%s", publish.errors()).isEqualTo(4);
            String sum = publish.error(0, line -> line.contains(" in doubt: "));
            Matcher numbers = Pattern.compile("([\\d,]+) (?:of ([\\d,]+) )?sent, ([\\d,]+) in doubt: .*")
                    .matcher(sum);
            assertThat(numbers.matches()).as(sum).isTrue();
            long accepted = number(numbers.group(numbers.group(2) == null ? 1 : 2));
            long has = untilMarker(relay, reader);
            assertThat(number(numbers.group(3)))
                    .as("%s; the relay has %d", sum, has)
                    .isPositive()
                    .isGreaterThanOrEqualTo(accepted - has);
        }
    }

    private static long number(String grouped) {
        return Long.parseLong(grouped.replace(",", ""));
    }

    /** The time-out is that of the first connection as well, which a busy machine may take its time for. */
    @Test
    void oneSignalWaitsForTheRelayAtMostTheStallTimeout() throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> readInSilence(client, taken))) {
            TestProcess publish = publishToSilence(relay, taken, "--stall-timeout=5s", "--rate=1");
            publish.signal("TERM");
            assertThat(publish.awaitExit()).as("%s", publish.errors()).isEqualTo(143);
            assertThat(publish.errors())
                    .last()
                    .asString()
                    .matches("[\\d,]+ sent, [1-9][\\d,]* in doubt: the relay has not confirmed (it|them)");
        }
    }

    @Test
    void aSecondSignalEndsAtOnce() throws Exception {
        Signals.assumeHeard("INT");
        CountDownLatch taken = new CountDownLatch(1);
        try (ScriptedRelay relay = ScriptedRelay.of(client -> readInSilence(client, taken))) {
            TestProcess publish = publishToSilence(relay, taken, "--stall-timeout=20h");
            publish.signal("INT");
            publish.error(0, line -> line.startsWith("waiting up to "));
            publish.signal("INT");
            assertThat(publish.awaitExit()).as("%s", publish.errors()).isEqualTo(130);
        }
    }

    private static void readInSilence(Peer client, CountDownLatch taken) throws IOException {
        client.hello();
        client.send("WELCOME features=0 heartbeat=60000");
        client.expect(1);
        taken.countDown();
        client.drain();
    }

    /** Returns a process once the relay has taken a message of it: before that a signal finds nothing to wait for. */
    private static TestProcess publishToSilence(ScriptedRelay relay, CountDownLatch taken, String... options)
            throws Exception {
        TestProcess publish = TestProcess.java(
                COMMAND,
                Stream.concat(Stream.of("publish", relay.endpoint().toString()), Stream.of(options))
                        .toArray(String[]::new));
        publish.writeInput(lines(1000));
        publish.error(0, line -> line.startsWith("connected to "));
        assertThat(taken.await(120, TimeUnit.SECONDS))
                .as("%s", publish.errors())
                .isTrue();
        return publish;
    }

    /** Publishes until the subscriber gets something: until then the relay may not know it yet. */
    private static void awaitFirst(TestProcess relay, SocketChannel subscriber) throws Exception {
        FrameReader frames = new FrameReader();
        subscriber.configureBlocking(false);
        do {
            CommandRun one = CommandRun.of("publish", port(relay, "publish"), "--type=9", "-m", "x");
            assertThat(one.exitCode()).as(one.err()).isZero();
        } while (frames.read(subscriber, (type, body) -> {}) == 0);
        subscriber.configureBlocking(true);
    }

    /** Publishes a marker, reads up to it, and returns the number of messages before it. */
    private static long untilMarker(TestProcess relay, SocketChannel subscriber) throws Exception {
        TestProcess marker = TestProcess.java(COMMAND, "publish", port(relay, "publish"), "--type=8", "-m", "end");
        long[] before = {0};
        boolean[] found = {false};
        FrameReader frames = new FrameReader();
        while (!found[0]) {
            int n = frames.read(subscriber, (type, body) -> {
                found[0] |= type == 8;
                before[0] += type == 7 && !found[0] ? 1 : 0;
            });
            assertThat(n).isNotNegative();
        }
        assertThat(marker.awaitExit()).as("%s", marker.errors()).isZero();
        return before[0];
    }

    private static String lines(int messages) {
        return IntStream.rangeClosed(1, messages)
                .mapToObj(number -> number + "\n")
                .collect(Collectors.joining());
    }

    private static TestProcess relay(String... options) throws IOException {
        return TestProcess.java(
                "dev.msgrelay.server.cli.RelayServerMain",
                Stream.concat(Stream.of("--json", "--publish-port=0", "--subscribe-port=0"), Stream.of(options))
                        .toArray(String[]::new));
    }

    private static String port(TestProcess relay, String which) throws InterruptedException {
        return Integer.toString(KilledProcessesTest.port(relay, which));
    }
}
