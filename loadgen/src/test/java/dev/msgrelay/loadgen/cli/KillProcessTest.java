package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form of the campaign, as a user starts it. */
@Timeout(180)
class KillProcessTest {
    @TempDir
    private Path temporary;

    private Process process;

    @AfterEach
    void end() {
        if (process != null) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Test
    void nothingThatWasAcknowledgedIsLost() throws Exception {
        start("--kills=6", "--rate=2000", "--json");
        assertThat(process.waitFor(150, TimeUnit.SECONDS)).isTrue();
        String said = Files.readString(temporary.resolve("stderr"));
        assertThat(process.exitValue()).as(said).isZero();
        JsonObject json = JsonParser.object().from(Files.readString(temporary.resolve("stdout")));
        assertThat(json.getBoolean("passed")).isTrue();
        assertThat(said).contains("seed " + json.getLong("seed")).contains("kill 6/6: ");
        List<JsonObject> levels = json.getArray("outcomes").getObject(0).getArray("lines").stream()
                .map(JsonObject.class::cast)
                .toList();
        assertThat(levels).hasSize(3).allSatisfy(line -> {
            assertThat(line.getObject("account").getLong("acknowledged")).isPositive();
            assertThat(line.getObject("account").getLong("had")).isPositive();
        });
        int kills = levels.get(0).getInt("relayKills");
        for (JsonObject line : levels) {
            kills += line.getInt("publisherKills") + line.getInt("subscriberKills");
        }
        assertThat(kills).isGreaterThanOrEqualTo(6);
        assertThat(left()).as("temporary files").isEmpty();
    }

    @Test
    void afterCtrlCNobodyIsLeft() throws Exception {
        start("--kills=1000");
        while (!Files.readString(temporary.resolve("stderr")).contains("kill 2/1000")) {
            assertThat(process.isAlive()).isTrue();
            TimeUnit.MILLISECONDS.sleep(20);
        }
        List<ProcessHandle> all = process.descendants().toList();
        assertThat(all).hasSizeGreaterThanOrEqualTo(5);
        // As Ctrl-C, which a JVM may have inherited as ignored.
        process.destroy();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(143);
        for (ProcessHandle one : all) {
            one.onExit().get(20, TimeUnit.SECONDS);
        }
        assertThat(left()).as("temporary files").isEmpty();
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> files = Files.list(temporary.resolve("tmp"))) {
            return files.toList();
        }
    }

    private void start(String... args) throws IOException {
        Path tmp = Files.createDirectory(temporary.resolve("tmp"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + tmp,
                "-cp",
                System.getProperty("java.class.path"),
                LoadgenMain.class.getName(),
                "kill"));
        command.addAll(List.of(args));
        process = new ProcessBuilder(command)
                .redirectOutput(temporary.resolve("stdout").toFile())
                .redirectError(temporary.resolve("stderr").toFile())
                .start();
    }
}
