package dev.msgrelay.server.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.Seeds;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The example that docs/protocol.md points to does what it says, against this relay. */
class ExampleSubscriberTest {
    private static final Path EXAMPLE = Path.of("..", "docs", "examples", "subscriber.py");

    private final Numbered messages = new Numbered(Seeds.random("ExampleSubscriberTest"), 10, 100, 700);

    @BeforeAll
    static void thereIsPython() throws Exception {
        ThisMachine.needCommand("python3", "--version");
        assertThat(Files.isRegularFile(EXAMPLE)).as("%s", EXAMPLE).isTrue();
    }

    private static List<String> run(TestRelay relay, long last, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of("python3", EXAMPLE.toString(), "127.0.0.1"));
        command.add("" + relay.relay().subscribeAddress().getPort());
        command.addAll(List.of(args));
        Process process = TestProcess.builder(command).redirectErrorStream(true).start();
        List<String> lines = new CopyOnWriteArrayList<>();
        Workers reader = new Workers().start("process-output", () -> {
            try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
                in.lines().forEach(lines::add);
            }
        });
        try {
            Await.until(
                    () -> "message " + last + ": " + lines,
                    () -> lines.stream().anyMatch(l -> l.startsWith(last + " ")) || !process.isAlive());
            relay.relay().close();
            assertThat(process.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            reader.join();
        } finally {
            process.destroyForcibly();
        }
        return lines;
    }

    private List<String> expected(LongStream sequences) {
        Stream<String> lines = sequences.mapToObj(s -> s + " " + messages.type(s) + " " + messages.length(s));
        return Stream.concat(lines, Stream.of("ERROR 10: relay shutting down")).toList();
    }

    @Test
    void typesFromEarliest() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publish(2000);
            relay.awaitMessagesIn(2000);
            TypeRanges types = TypeRanges.of(3, 3, 6, 8);
            long[] wanted = LongStream.rangeClosed(1, 2000)
                    .filter(sequence -> types.contains(messages.type(sequence)))
                    .toArray();
            assertThat(run(relay, wanted[wanted.length - 1], "--types=3,6-8", "--from=earliest"))
                    .isEqualTo(expected(LongStream.of(wanted)));
        }
    }

    @Test
    void everythingFromASequenceThatIsGone() throws Exception {
        try (TestRelay relay = TestRelay.small(Setting.NIO_TCP, Policy.DISCONNECT);
                NumberedPublisher publisher = new NumberedPublisher(relay, messages)) {
            publisher.publishBytes(TestRelay.SMALL_LOG + 1_000_000);
            long last = publisher.next() - 1;
            relay.awaitMessagesIn(last);
            List<String> lines = run(relay, last, "--from=5");
            String gap = lines.get(0);
            assertThat(gap).matches("GAP 5 to \\d+, reason 2");
            long sequence = Long.parseLong(gap.split("[ ,]")[3]) + 1;
            List<String> expected = expected(LongStream.rangeClosed(sequence, last));
            assertThat(lines.subList(1, lines.size())).isEqualTo(expected);
        }
    }
}
