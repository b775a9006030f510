package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.testing.TestProcess;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The command itself, with a short run. */
class RunCommandTest extends CommandTest {
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aValidRunPassesAndPrintsItsTable() {
        assertThat(executeUntilSomethingComes("run", "--warmup", "100ms", "--duration", "400ms"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .startsWith("PASS: ")
                .contains("1 publisher -> 1 subscriber", "lane loopback", "  full speed ", "  bound by ", "  machine ")
                .contains("time in queue ", "longest gap between two deliveries ")
                .containsPattern("highest rate kept: .* msg/s, p99 |no rate was kept: ")
                .containsPattern("ceiling +.* through the plain relay, of which this is [0-9.]+")
                .containsPattern("rate +p50 +p99 +p99.9 +over 1 ms late")
                .containsPattern(" 50 % .* %")
                .doesNotContain("peak memory");
        assertThat(out.toString().lines()).hasSizeLessThanOrEqualTo(20);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatWasNotCheckedDoesNotPass() {
        assertThat(executeUntilSomethingComes(
                        "run", "--warmup", "100ms", "--duration", "300ms", "--rate", "500", "--check", "none"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .startsWith("PASS: ")
                .contains("not checked: subscribers only counted")
                .containsPattern("latency +not measured: subscribers only counted")
                .doesNotContain("every byte");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void theResultIsAvailableAsJson() throws Exception {
        int code = executeUntilSomethingComes(
                "run", "--warmup", "100ms", "--duration", "400ms", "--rate", "500", "--body", "16-90", "--json");
        JsonObject json = JsonParser.object().from(out.toString());
        assertThat(json.getObject("origin").getString("command")).isEqualTo("run");
        JsonObject lane = json.getArray("lanes").getObject(0);
        assertThat(lane.getString("name")).isEqualTo("loopback");
        JsonObject cell = lane.getArray("cells").getObject(0);
        assertThat(cell.getString("contestant")).isEqualTo("relay");
        JsonObject body = cell.getObject("parameters").getObject("body");
        assertThat(body.getString("text")).isEqualTo("16-90");
        assertThat(body.getDouble("meanBytes")).isEqualTo(53);
        JsonObject run = cell.getArray("runs").getObject(0);
        // Whether the schedule is kept depends on what else the machine does.
        assertThat(run.getObject("outcome").getArray("failures").toString()).doesNotContain("subscriber", "window");
        assertThat(run.getObject("outcome").getBoolean("passed")).isEqualTo(code == 0);
        assertThat(Instant.parse(json.getObject("origin").getString("started")))
                .isBeforeOrEqualTo(Instant.parse(run.getObject("moment").getString("started")));
        JsonObject correctness = run.getObject("correctness");
        assertThat(correctness.getObject("schedule").getObject("lateness").getLong("recorded"))
                .isPositive();
        assertThat(run.getObject("delays").getObject("latency").getLong("recorded"))
                .isPositive();
        assertThat(run.getObject("delays").isNull("timeInQueue")).isTrue();
        assertThat(run.getObject("outcome").has("environment")).isTrue();
        assertThat(correctness
                        .getArray("subscribers")
                        .getObject(0)
                        .getObject("faults")
                        .getLong("lost"))
                .isZero();
        assertThat(run.getObject("throughput").getObject("out").getLong("messages"))
                .isPositive();
        assertThat(run.getObject("throughput").has("timeline")).isTrue();
        JsonObject resources = run.getObject("resources");
        assertThat(resources.getObject("boundBy").getArray("reasons")).isNotEmpty();
        assertThat(resources.getObject("signals").getObject("sampled").getInt("samples"))
                .isPositive();
    }

    /** Thorough, as it is one more run; how such runs are told has tests without processes. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void sizesAreTold() {
        executeUntilSomethingComes(
                "run",
                "--warmup",
                "100ms",
                "--duration",
                "300ms",
                "--rate",
                "500",
                "--body",
                "16-90",
                "--subscribers",
                "2",
                "--explain");
        assertThat(out.toString())
                .contains("bodies of 16 to 90 bytes (mean 53)")
                .contains("peak memory", "core-to-core hop ", "  machine ")
                .containsPattern("on time: [0-9.]+ % left within 1 ms");
    }

    /** JSON is all of stdout, or nothing. */
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void afterCtrlCStdoutIsNoHalfDocument() throws Exception {
        List<String> command = TestProcess.javaCommand(
                LoadgenMain.class.getName(), "run", "--warmup", "100ms", "--duration", "1m", "--json");
        try (TestProcess process = new TestProcess(command)) {
            process.error(0, line -> line.contains("measuring") && !line.contains("ceiling"));
            process.terminate();
            assertThat(process.lines()).isEmpty();
            assertThat(process.errors()).anyMatch(line -> line.startsWith("PARTIAL: interrupted after"));
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void aRelayThatIsNotThereIsAFailure() {
        assertThat(execute("run", "--connect", "127.0.0.1:2", "--duration", "100ms"))
                .isOne();
        assertThat(err.toString())
                .contains("FAIL: no publisher is let in: cannot connect to 127.0.0.1:2")
                .hasLineCount(1);
    }
}
