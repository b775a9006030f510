package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.cluster.ClusterNode;
import dev.msgrelay.testing.TestProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The short form of the campaign, as a user starts it. */
@Tag("thorough")
class KillProcessTest {
    private static final Path SHARED = Path.of("/dev/shm");

    @TempDir
    private Path temporary;

    private TestProcess process;

    @AfterEach
    void end() {
        if (process != null) {
            process.close();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void nothingThatWasAcknowledgedIsLost() throws Exception {
        start("--kills=6", "--rate=2000", "--json");
        int code = process.awaitExit(150);
        String said = String.join("\n", process.errors());
        assertThat(code).as(said).isZero();
        JsonObject json = JsonParser.object().from(String.join("\n", process.lines()));
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

    /** A leader and a node that was stopped: what was acknowledged is at each node, in one order. */
    @Test
    void aClusterLosesNothing() throws Exception {
        assumeRoomForACluster();
        start("--cluster", "--kills=3", "--incidents=leader,pause", "--seed=1", "--json");
        assertThat(process.awaitExit(120)).as("%s", process.errors()).isZero();
        JsonObject json = JsonParser.object().from(String.join("\n", process.lines()));
        assertThat(json.getBoolean("passed")).isTrue();
        JsonObject outcome = json.getObject("outcome");
        int times = 0;
        for (Object one : outcome.getArray("incidents")) {
            JsonObject incident = (JsonObject) one;
            times += incident.getInt("times");
            assertThat(incident.getObject("least").getDouble("worstSeconds")).isPositive();
        }
        assertThat(times).isEqualTo(3);
        List<JsonObject> streams =
                outcome.getArray("streams").stream().map(JsonObject.class::cast).toList();
        assertThat(streams).hasSize(3).allSatisfy(stream -> {
            assertThat(stream.getString("digest")).isEqualTo(streams.get(0).getString("digest"));
            assertThat(stream.getObject("account").getLong("acknowledged")).isPositive();
            assertThat(stream.getLong("messages"))
                    .isGreaterThanOrEqualTo(stream.getObject("account").getLong("acknowledged"));
        });
        assertThat(left()).as("temporary files").isEmpty();
        assertThat(shared()).as("shared memory").isEmpty();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void afterCtrlCNobodyIsLeft() throws Exception {
        start("--kills=1000");
        endsAfter("kill 2/1000");
    }

    @Test
    void afterCtrlCNobodyIsLeftOfACluster() throws Exception {
        assumeRoomForACluster();
        start("--cluster", "--kills=1000", "--incidents=leader,link");
        endsAfter("incident 1/1000");
        assertThat(shared()).as("shared memory").isEmpty();
    }

    private static void assumeRoomForACluster() throws IOException {
        long needed = 3 * ClusterNode.SHARED_BYTES;
        long free = Files.isDirectory(SHARED) ? Files.getFileStore(SHARED).getUsableSpace() : 0;
        String reason = "a cluster needs " + needed + " bytes in " + SHARED + ", and " + free + " are free: skipped";
        if (free < needed) {
            System.out.println(reason);
        }
        assumeTrue(free >= needed, reason);
    }

    /** What this test's loadgen has there. */
    private List<Path> shared() throws IOException {
        String owner = "loadgen " + process.pid() + "\n";
        try (Stream<Path> all = Files.list(SHARED)) {
            return all.filter(one -> {
                        try {
                            return Files.readString(one.resolve(".lock")).equals(owner);
                        } catch (IOException e) {
                            return false;
                        }
                    })
                    .toList();
        }
    }

    private void endsAfter(String word) throws Exception {
        process.error(0, line -> line.contains(word));
        List<ProcessHandle> all = process.descendants();
        assertThat(all).hasSizeGreaterThanOrEqualTo(5);
        // As Ctrl-C, which a JVM may have inherited as ignored.
        assertThat(process.terminate()).isEqualTo(143);
        for (ProcessHandle one : all) {
            one.onExit().get(120, TimeUnit.SECONDS);
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
        List<String> command = TestProcess.javaCommand(LoadgenMain.class.getName(), "kill");
        command.add(1, "-Djava.io.tmpdir=" + tmp);
        command.addAll(List.of(args));
        process = new TestProcess(command);
    }
}
