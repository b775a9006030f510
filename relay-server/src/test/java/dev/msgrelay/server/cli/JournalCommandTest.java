package dev.msgrelay.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.server.journal.SampleJournal;
import dev.msgrelay.server.journal.disk.FileDisk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code relay-server journal check, dump, repair} on a real directory. */
class JournalCommandTest {
    private static final int MESSAGES = 300;

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void fill() {
        assertThat(SampleJournal.fill(directory, MESSAGES)).isGreaterThanOrEqualTo(4);
    }

    private int run(String... args) {
        out.reset();
        err.getBuffer().setLength(0);
        return new CommandLine(new JournalCommand(out))
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

    /** Changes a byte in the middle of the second stream file. */
    private void damage() throws IOException {
        String name = files().keySet().stream()
                .filter(n -> n.endsWith(".stream"))
                .skip(1)
                .findFirst()
                .orElseThrow();
        byte[] bytes = Files.readAllBytes(directory.resolve(name));
        bytes[1000] ^= 1;
        Files.write(directory.resolve(name), bytes);
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
        damage();
        assertThat(run("check", directory.toString())).isEqualTo(1);
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

    @Test
    void whatCannotBeDone(@TempDir Path other) throws IOException {
        Files.writeString(other.resolve("notes"), "of somebody");
        for (String command : List.of("check", "dump", "repair")) {
            assertThat(run(command, other.toString())).isEqualTo(1);
            assertThat(err).hasToString("relay-server: there is no journal in " + other + "\n");
        }
        assertThat(other).isDirectoryNotContaining("glob:**lock");
        assertThat(run("check", directory + "/none")).isEqualTo(1);
        assertThat(err.toString()).contains(directory + "/none is no directory");
        assertThat(run("dump", directory.toString(), "--from", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--from 0");
        assertThat(run()).isEqualTo(2);
        assertThat(run("repair")).isEqualTo(2);
    }
}
