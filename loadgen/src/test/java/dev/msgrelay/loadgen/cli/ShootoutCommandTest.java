package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.testing.ConcurrentTest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The command itself, with shootouts as small as they can be. Nothing here asserts a speed. */
class ShootoutCommandTest extends CommandTest {
    @TempDir
    private Path temporary;

    @Tag("thorough")
    @ConcurrentTest
    void lanesAreComparedAndTheFilesAreThere() throws Exception {
        Path directory = temporary.resolve("new").resolve("results");
        int code = execute(
                "shootout",
                "--lanes=loopback,unix",
                "--rounds=1",
                "--warmup=100ms",
                "--duration=300ms",
                "--subscribers=2",
                "--body=16-1000",
                "--out=" + directory);
        JsonNode json = Json.parse(Files.readString(directory.resolve("results.json")));
        assertThat(code).as(err.toString()).isEqualTo(expectedCode(json));
        assertThat(err.toString()).startsWith("2 lanes x 2 loads x 1 round: 9 runs with those for ceilings, about ");
        assertThat(out.toString())
                .startsWith("1 -> 2, body 16-1000, full speed; p50 and p99 at 20,000 msg/s\n")
                .contains("loopback", "unix", "results are in " + directory);
        assertThat(json.path("ending").path("how").asString("")).isEqualTo("complete");
        assertThat(json.path("origin").path("commandLine").path(2).asString("")).isEqualTo("--lanes=loopback,unix");
        assertThat(json.path("lanes")).hasSize(2);
        assertThat(directory.resolve("report.html")).content().contains("\"min\":16,\"max\":1000");
    }

    @ConcurrentTest
    void whereResultsCannotBeWrittenNothingIsStarted() throws Exception {
        Path file = Files.createFile(temporary.resolve("file"));
        assertThat(execute("shootout", "--lanes=loopback", "--out=" + file.resolve("results")))
                .isOne();
        assertThat(err.toString()).contains("FAIL: cannot make the directory " + file.resolve("results"));
        assertThat(out.toString()).isEmpty();
    }

    @ConcurrentTest
    void otherResultsAreNotOverwritten() throws Exception {
        Files.writeString(temporary.resolve("results.json"), "{}");
        assertThat(execute("shootout", "--lanes=loopback", "--out=" + temporary))
                .isOne();
        assertThat(err.toString()).contains(temporary + " has results already");
    }

    /** On a machine that is busy enough a run may be invalid; then the exit code says so. */
    private static int expectedCode(JsonNode json) {
        for (JsonNode lane : json.path("lanes")) {
            for (JsonNode cell : lane.path("cells")) {
                for (JsonNode run : cell.path("runs")) {
                    if (!run.path("outcome").path("failures").isEmpty()) {
                        return 1;
                    }
                }
            }
        }
        return 0;
    }
}
