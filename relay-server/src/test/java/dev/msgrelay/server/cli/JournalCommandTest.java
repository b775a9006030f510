package dev.msgrelay.server.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.journal.SampleJournal;
import dev.msgrelay.server.journal.disk.FileDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code relay-server journal check, dump, repair} on a real directory. */
class JournalCommandTest {
    private static final int MESSAGES = 300;

    @TempDir
    private Path folder;

    private Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void fill() throws IOException {
        directory = Files.createDirectory(folder.resolve("journal"));
        assertThat(SampleJournal.fill(directory, MESSAGES)).isGreaterThanOrEqualTo(4);
    }

    private int run(String... args) {
        out.reset();
        err.getBuffer().setLength(0);
        return CommandParser.of(new JournalCommand(out))
                .setErr(new PrintWriter(err))
                .execute(args);
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(directory)) {
            for (Path file : all.toList()) {
                files.put(file.getFileName().toString(), HexFormat.of().formatHex(Files.readAllBytes(file)));
            }
        }
        return files;
    }

    private List<Path> streams() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> file.toString().endsWith(".stream"))
                    .sorted()
                    .toList();
        }
    }

    private void damage() throws IOException {
        byte[] bytes = Files.readAllBytes(streams().get(1));
        bytes[1000] ^= 1;
        Files.write(streams().get(1), bytes);
    }

    @Test
    void aSoundOne() throws Exception {
        Map<String, String> before = files();
        assertThat(run("check", directory.toString())).isZero();
        assertThat(lines().get(0)).contains("messages 1 to " + MESSAGES);
        assertThat(lines()).contains("sound").anyMatch(line -> line.startsWith("2 starts, "));
        assertThat(run("check", directory.toString(), "--json")).isZero();
        JsonObject json = JsonParser.object().from(lines().get(0));
        assertThat(json.getBoolean("sound")).isTrue();
        assertThat(json.getLong("endSequence")).isEqualTo(MESSAGES + 1);
        assertThat(json.getLong("forcedPosition")).isEqualTo(json.getLong("endPosition"));
        assertThat(err.toString()).isEmpty();
        assertThat(files()).as("nothing was changed").isEqualTo(before);
    }

    /** Nobody writes to it, so there is no warning. */
    @Test
    void aCopyWithoutItsLock() throws IOException {
        Files.delete(directory.resolve(FileDisk.LOCK));
        assertThat(run("check", directory.toString())).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(lines()).contains("sound");
    }

    @Test
    void dump() throws JsonParserException {
        assertThat(run("dump", directory.toString())).isZero();
        assertThat(lines()).hasSize(MESSAGES);
        assertThat(lines().get(7)).startsWith("sequence 8, type 7, ");
        assertThat(run("dump", directory.toString(), "--from", "200", "--count", "3", "--json"))
                .isZero();
        assertThat(lines()).hasSize(3);
        for (int i = 0; i < 3; i++) {
            JsonObject json = JsonParser.object().from(lines().get(i));
            assertThat(json.getLong("sequence")).isEqualTo(200 + i);
            assertThat(json.getInt("type")).isEqualTo(199 + i);
            byte[] body = json.has("body")
                    ? json.getString("body").getBytes(StandardCharsets.UTF_8)
                    : Base64.getDecoder().decode(json.getString("base64"));
            assertThat(body).hasSize(json.getInt("length"));
        }
        String next = Long.toString(MESSAGES + 1);
        assertThat(run("dump", directory.toString(), "--from", next)).isZero();
        assertThat(lines()).isEmpty();
        assertThat(run("dump", directory.toString(), "--from", "5000")).isEqualTo(1);
        assertThat(lines()).isEmpty();
        assertThat(err)
                .hasToString("relay-server: --from 5000 is beyond the next message of this journal, " + next + "\n");
    }

    /** As {@code head} does: a journal may be large, and takes hours to read. */
    @Test
    void aDumpEndsWhenNobodyReadsItAnyMore() {
        SampleJournal.fill(directory, 4_000);
        AtomicInteger writes = new AtomicInteger();
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                writes.incrementAndGet();
                throw new IOException("Broken pipe");
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                write(0);
            }
        };
        int code = new CommandLine(new JournalCommand(closed))
                .setErr(new PrintWriter(err))
                .execute("dump", directory.toString());
        assertThat(code).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(writes.get()).isLessThan(100);
    }

    @Test
    void aDamagedOne() throws Exception {
        assertThat(check()).isZero();
        damage();
        assertThat(check()).isEqualTo(1);
        assertThat(metrics()).containsEntry("relay_journal_check_sound", 0.0);
        String told = lines().stream()
                .filter(line -> line.startsWith("damaged: messages "))
                .findFirst()
                .orElseThrow();
        assertThat(lines()).doesNotContain("sound");

        assertThat(run("dump", directory.toString())).isEqualTo(1);
        assertThat(lines()).hasSizeBetween(1, MESSAGES - 1);
        assertThat(err.toString()).contains("missing: ");
        List<String> left = new ArrayList<>(lines());

        assertThat(run("repair", directory.toString())).isZero();
        assertThat(lines()).contains(told.replace("damaged: ", "written off: "));
        assertThat(files().keySet()).anyMatch(name -> name.endsWith(".index.damaged"));
        assertThat(run("check", directory.toString())).isZero();
        assertThat(lines()).contains("sound").anyMatch(line -> line.startsWith("lost: messages "));
        assertThat(run("dump", directory.toString())).isEqualTo(1);
        assertThat(lines()).isEqualTo(left);
    }

    private JsonObject state() throws JsonParserException {
        run("check", directory.toString(), "--json");
        String last = lines().get(lines().size() - 1);
        assertThat(last).startsWith("{\"event\":\"state\"");
        return JsonParser.object().from(last);
    }

    @Test
    void aSnapshotOfTheState() throws Exception {
        long end = SampleJournal.snapshot(directory);
        assertThat(check()).isZero();
        assertThat(lines())
                .contains(
                        "snapshot of the state: 1 type up to message " + (end - 1)
                                + ", without what was newest up to message 3",
                        "sound");
        JsonObject sound = state();
        assertThat(sound.getBoolean("sound")).isTrue();
        assertThat(sound.getLong("messages")).isEqualTo(1);
        assertThat(sound.getLong("endSequence")).isEqualTo(end);
        assertThat(sound.getLong("forgottenValue")).isEqualTo(2);
        assertThat(sound.getLong("forgottenTombstone")).isEqualTo(3);
        assertThat(sound.getString("types")).isEqualTo("1-99");
        // A repair of a sound journal leaves it where it is.
        Map<String, String> before = files();
        assertThat(run("repair", directory.toString())).isZero();
        assertThat(files()).isEqualTo(before);
    }

    /** Its journal is sound; the next start would not find the state. */
    @Test
    void aSnapshotThatIsOfNoUse() throws Exception {
        SampleJournal.snapshot(directory);
        byte[] whole = Files.readAllBytes(directory.resolve("state"));
        byte[] damaged = whole.clone();
        damaged[damaged.length - 1] ^= 1;
        // The highest number of a forgotten value is at byte 40; that of tombstones is 3.
        Map<String, byte[]> faults = Map.of(
                "is damaged at byte ",
                damaged,
                "is damaged: its front is not possible",
                withFront(whole, 40, 4),
                "is torn: ",
                Arrays.copyOf(whole, 150),
                "is of another ",
                withFront(whole, 16, 4711));
        int aside = 0;
        for (Map.Entry<String, byte[]> fault : faults.entrySet()) {
            Files.write(directory.resolve("state"), fault.getValue());
            assertThat(check()).isEqualTo(1);
            assertThat(metrics()).containsEntry("relay_journal_check_sound", 0.0);
            assertThat(lines())
                    .doesNotContain("sound")
                    .anyMatch(line -> line.startsWith("damaged: the snapshot of the state (state) " + fault.getKey()));
            JsonObject told = state();
            assertThat(told.getBoolean("sound")).isFalse();
            assertThat(told.getString("why")).startsWith(fault.getKey());
            assertThat(run("repair", directory.toString())).isZero();
            assertThat(lines())
                    .anyMatch(
                            line -> line.startsWith("put aside: the snapshot of the state (state) " + fault.getKey()));
            assertThat(files())
                    .doesNotContainKey("state")
                    .containsKey(++aside == 1 ? "state.damaged" : "state.damaged-" + aside);
            assertThat(check()).isZero();
        }
    }

    /** The snapshot with another number in its front, whose sum is right. */
    private static byte[] withFront(byte[] snapshot, int offset, long value) {
        ByteBuffer bytes = ByteBuffer.wrap(snapshot.clone()).putLong(offset, value);
        int end = 88 + "1-99".length();
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), 0, end);
        return bytes.putInt(end, (int) crc.getValue()).array();
    }

    @Test
    void whatCannotBeDone(@TempDir Path other) throws IOException {
        Files.writeString(other.resolve("notes"), "of somebody");
        for (String command : List.of("check", "dump", "repair")) {
            assertThat(run(command, other.toString())).isEqualTo(1);
            assertThat(err).hasToString("relay-server: there is no journal in " + other + "\n");
        }
        assertThat(other).isDirectoryNotContaining("glob:**lock");
        assertThat(run("dump", directory.toString(), "--from", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--from 0");
        assertThat(run()).isEqualTo(2);
        assertThat(run("repair")).isEqualTo(2);
        directory = folder.resolve("none");
        assertThat(check()).isEqualTo(1);
        assertThat(err.toString()).contains(directory + " is no directory");
        assertThat(metrics())
                .containsEntry("relay_journal_check_sound", 0.0)
                .containsEntry("relay_journal_check_bytes", 0.0);
    }

    // ---- with --metrics-file: the file that monitoring reads ---------------------------------------------------

    private Path metricsFile() {
        return folder.resolve("check.prom");
    }

    private int check() {
        return run(
                "check", directory.toString(), "--metrics-file", metricsFile().toString());
    }

    private Map<String, Double> metrics() throws IOException {
        return metrics(Files.readString(metricsFile()));
    }

    private Map<String, Double> metrics(String text) {
        String label = "{directory=\"" + directory + "\"} ";
        Map<String, Double> values = new TreeMap<>();
        for (String line : text.lines().filter(l -> !l.startsWith("#")).toList()) {
            String[] parts = line.split(Pattern.quote(label));
            values.put(parts[0], Double.parseDouble(parts[1]));
        }
        return values;
    }

    @Test
    void aSoundJournal() throws IOException {
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
    void metricsThatCannotBeWrittenAreAFailure() throws IOException {
        Files.createDirectories(metricsFile().resolve("in the way"));
        assertThat(check()).isEqualTo(1);
        assertThat(err.toString())
                .contains("relay-server: the metrics cannot be written to " + metricsFile())
                .doesNotContain("java.");
    }

    /** Somebody reads it all the time, as node_exporter may: nothing but whole files is there. */
    @Test
    void itIsReplacedAsAWhole() throws Exception {
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
        directory = folder.resolve("live");
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(JOURNAL, directory)
                        .set(JOURNAL_SEGMENT, 1 << 20)
                        .set(JOURNAL_KEEP, 3L << 20)
                        .set(STATE, 1 << 20)
                        .set(MAX_BODY, 1000)
                        .set(JOURNAL_FORCE, Duration.ofMillis(1)));
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
