package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.journal.SampleJournal;
import dev.msgrelay.server.ops.Counter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code relay-server journal check --metrics-file}: its exit code, and the file that monitoring reads. */
class JournalCheckTest {
    private static final int MESSAGES = 300;

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();

    private Path journal() {
        return folder.resolve("journal");
    }

    private Path metricsFile() {
        return folder.resolve("check.prom");
    }

    private int check() {
        out.reset();
        err.getBuffer().setLength(0);
        return new CommandLine(new JournalCommand(out))
                .setErr(new PrintWriter(err))
                .execute(
                        "check",
                        journal().toString(),
                        "--metrics-file",
                        metricsFile().toString());
    }

    private Map<String, Double> metrics() throws IOException {
        return metrics(Files.readString(metricsFile()));
    }

    private Map<String, Double> metrics(String text) {
        String label = "{directory=\"" + journal() + "\"} ";
        Map<String, Double> values = new TreeMap<>();
        for (String line : text.lines().filter(l -> !l.startsWith("#")).toList()) {
            String[] parts = line.split(Pattern.quote(label));
            values.put(parts[0], Double.parseDouble(parts[1]));
        }
        return values;
    }

    private void fill() throws IOException {
        Files.createDirectories(journal());
        SampleJournal.fill(journal(), MESSAGES);
    }

    private void flipAByte() throws IOException {
        Path stream = streams().get(1);
        byte[] bytes = Files.readAllBytes(stream);
        bytes[1000] ^= 1;
        Files.write(stream, bytes);
    }

    private List<Path> streams() throws IOException {
        try (Stream<Path> all = Files.list(journal())) {
            return all.filter(file -> file.toString().endsWith(".stream"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aSoundJournal() throws IOException {
        fill();
        double before = System.currentTimeMillis() / 1000.0;
        assertThat(check()).isZero();
        double after = System.currentTimeMillis() / 1000.0;
        Matcher said = Pattern.compile("\\(positions 0 to (\\d+)\\)").matcher(out.toString(StandardCharsets.UTF_8));
        assertThat(said.find()).isTrue();
        assertThat(metrics())
                .containsEntry("relay_journal_check_sound", 1.0)
                .containsEntry("relay_journal_check_bytes", Double.parseDouble(said.group(1)))
                .hasSize(4);
        assertThat(metrics().get("relay_journal_check_time_seconds")).isBetween(before - 0.001, after + 0.001);
        assertThat(metrics().get("relay_journal_check_duration_seconds")).isNotNegative();
        assertThat(Files.readString(metricsFile()))
                .contains("# TYPE relay_journal_check_sound gauge\n")
                .endsWith("\n");
    }

    @Test
    void aDamagedJournal() throws IOException {
        fill();
        assertThat(check()).isZero();
        flipAByte();
        assertThat(check()).isEqualTo(1);
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("damaged: messages ");
        assertThat(metrics()).containsEntry("relay_journal_check_sound", 0.0);
    }

    @Test
    void aJournalThatCannotBeRead() throws IOException {
        assertThat(check()).isEqualTo(1);
        assertThat(metrics())
                .containsEntry("relay_journal_check_sound", 0.0)
                .containsEntry("relay_journal_check_bytes", 0.0);
    }

    @Test
    void metricsThatCannotBeWrittenAreAFailure() throws IOException {
        fill();
        Files.createDirectories(metricsFile().resolve("in the way"));
        assertThat(check()).isEqualTo(1);
        assertThat(err.toString())
                .contains("relay-server: the metrics cannot be written to " + metricsFile())
                .doesNotContain("java.");
    }

    /** Somebody reads it all the time, as node_exporter may: nothing but whole files is there. */
    @Test
    void itIsReplacedAsAWhole() throws Exception {
        fill();
        assertThat(check()).isZero();
        AtomicBoolean ended = new AtomicBoolean();
        List<String> torn = new ArrayList<>();
        Thread reader = new Thread(() -> {
            while (!ended.get()) {
                try {
                    String text = Files.readString(metricsFile());
                    if (metrics(text).size() != 4) {
                        torn.add(text);
                    }
                } catch (IOException | RuntimeException e) {
                    torn.add(e.toString());
                }
            }
        });
        reader.start();
        for (int i = 0; i < 20; i++) {
            assertThat(check()).isZero();
        }
        ended.set(true);
        Await.join(reader);
        assertThat(torn).isEmpty();
        assertThat(folder).isDirectoryNotContaining("glob:**.new");
    }

    /** It writes and drops segments meanwhile; what it drops is no damage, and its lock is no failure. */
    @Test
    void besideARelayThatWrites() throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.journal(journal())
                        .journalSegment(1 << 20)
                        .journalKeep(3L << 20)
                        .maxBody(1000)
                        .journalForce(Duration.ofMillis(1)));
                PlainPublisher publisher = relay.publisher()) {
            AtomicBoolean ended = new AtomicBoolean();
            Thread sender = new Thread(() -> {
                try {
                    while (!ended.get()) {
                        Frames frames = new Frames();
                        for (int i = 0; i < 100; i++) {
                            frames.frame(i, 1000);
                        }
                        publisher.send(frames);
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            sender.start();
            long dropped = 0;
            for (int i = 0; i < 100 && (i < 5 || dropped == 0); i++) {
                int round = i;
                long position = relay.relay().stats().get(Counter.JOURNAL_POSITION);
                Await.until("more is written", () -> relay.relay().stats().get(Counter.JOURNAL_POSITION) > position);
                Path oldest = streams().get(0);
                assertThat(check())
                        .as(() -> "round " + round + ": " + out.toString(StandardCharsets.UTF_8) + err)
                        .isZero();
                assertThat(metrics()).containsEntry("relay_journal_check_sound", 1.0);
                assertThat(err.toString()).contains("is in use by");
                dropped += Files.exists(oldest) ? 0 : 1;
            }
            assertThat(dropped).as("checks during which a segment was dropped").isPositive();
            ended.set(true);
            Await.join(sender);
        }
    }
}
