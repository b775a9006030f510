package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The command itself, with shootouts as small as they can be. Nothing here asserts a speed. */
class ShootoutCommandTest extends CommandTest {
    @TempDir
    private Path temporary;

    @Execution(ExecutionMode.CONCURRENT)
    @Tag("thorough")
    @Test
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
                "--no-calibrate",
                "--out=" + directory);
        JsonObject json = JsonParser.object().from(Files.readString(directory.resolve("results.json")));
        assertThat(code).as(err.toString()).isEqualTo(expectedCode(json));
        assertThat(err.toString()).startsWith("2 lanes x 1 load x 1 round: 2 runs with those for ceilings, about ");
        assertThat(out.toString())
                .contains("loopback", "unix", "body 16-1000", "core-to-core hop ", "results are in " + directory);
        assertThat(json.getObject("ending").getString("how")).isEqualTo("complete");
        assertThat(json.getObject("origin").getArray("commandLine").subList(0, 3))
                .hasToString("[loadgen, shootout, --lanes=loopback,unix]");
        assertThat(json.getArray("lanes")).hasSize(2);
        assertThat(directory.resolve("report.html")).content().contains("16-1000");
    }

    /** Thorough, as it is three runs; that ceilings are measured in turn has tests without processes. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aLaneWithoutALineRateHasCeilingsThatWereMeasuredInTurn() throws Exception {
        int code = execute("shootout", "--lanes=unix", "--rounds=1", "--warmup=200ms", "--duration=500ms", "--json");
        JsonObject json = JsonParser.object().from(out.toString());
        assertThat(code).as(err.toString()).isEqualTo(expectedCode(json));
        assertThat(err.toString()).contains("3 runs with those for ceilings");
        JsonObject cell = json.getArray("lanes").getObject(0).getArray("cells").getObject(0);
        assertThat(cell.getArray("runs")).as("ceilings are no cells").hasSize(1);
        // A ceiling that the machine disturbed is none.
        assertThat(cell.getObject("ceilings", new JsonObject()).getString("source", "measured: plain relay"))
                .isEqualTo("measured: plain relay");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whereResultsCannotBeWrittenNothingIsStarted() throws Exception {
        Path file = Files.createFile(temporary.resolve("file"));
        assertThat(execute("shootout", "--lanes=loopback", "--out=" + file.resolve("results")))
                .isOne();
        assertThat(err.toString()).contains("FAIL: cannot make the directory " + file.resolve("results"));
        assertThat(out.toString()).isEmpty();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void otherResultsAreNotOverwritten() throws Exception {
        Files.writeString(temporary.resolve("results.json"), "{}");
        assertThat(execute("shootout", "--lanes=loopback", "--out=" + temporary))
                .isOne();
        assertThat(err.toString()).contains(temporary + " has results already");
    }

    /** On a machine that is busy enough a run may be invalid; then the exit code says so. */
    private static int expectedCode(JsonObject json) {
        for (Object lane : json.getArray("lanes")) {
            for (Object cell : ((JsonObject) lane).getArray("cells")) {
                for (Object run : ((JsonObject) cell).getArray("runs")) {
                    if (!((JsonObject) run)
                            .getObject("outcome")
                            .getArray("failures")
                            .isEmpty()) {
                        return 1;
                    }
                }
            }
        }
        return 0;
    }
}
