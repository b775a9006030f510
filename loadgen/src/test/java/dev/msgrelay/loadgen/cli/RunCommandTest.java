package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.TestProcess;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

class RunCommandTest extends CommandTest {
    @ConcurrentTest
    void aValidRunPassesAndPrintsItsTable() {
        assertThat(executeUntilSomethingComes("run", "--warmup", "100ms", "--duration", "400ms"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .startsWith("full speed ")
                .contains("\nPASS: all ", "  more: --html FILE, a page; --json; --explain\n")
                .contains("1 publisher -> 1 subscriber", "loopback, ", "  full speed ", "  bound by ", "  machine ")
                .contains("time in queue ", "longest gap between two deliveries ")
                .containsPattern("ceiling +.* by the plain\\s+relay; this\\s+is\\s+[0-9.]+\\s+of\\s+it")
                .containsPattern("rate +p50 +p99 +p99.9 +over 1 ms late")
                .containsPattern(" 50 % .* %")
                .containsPattern("\n      plain relay +[0-9.]+ [num]s ")
                .doesNotContain("peak memory");
        assertThat(out.toString().lines()).hasSizeLessThanOrEqualTo(45);
    }

    /** A few ticks are in each measured part, unless the user says otherwise. */
    @ParameterizedTest
    @CsvSource({"0,0,4", "0,500,4", "0,5000,20", "9,1000,10", "9,5000,20"})
    void theMeasuredPartHasTicks(int rate, int intervalMillis, int seconds) {
        Load load = Load.oneToOne(100).withRate(rate).withInterval(intervalMillis);
        assertThat(parsed("run").first(load).measured()).hasSeconds(seconds);
        assertThat(parsed("run", "--duration", "10s").first(load).measured()).hasSeconds(10);
    }

    private static RunCommand parsed(String... args) {
        CommandLine all = LoadgenMain.commandLine(new LoadgenMain());
        all.parseArgs(args);
        return all.getSubcommands().get("run").getCommand();
    }

    /** Thorough, as it is one more run. */
    @Tag("thorough")
    @ConcurrentTest
    void whatWasNotCheckedDoesNotPass() {
        assertThat(executeUntilSomethingComes(
                        "run", "--warmup", "100ms", "--duration", "300ms", "--rate", "500", "--check", "none"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .contains("\nnot checked: subscribers only counted ")
                .containsPattern("latency +not measured: subscribers only counted")
                .doesNotContain("every byte", "PASS");
    }

    @ConcurrentTest
    void theResultIsAvailableAsJson() throws Exception {
        int code = executeUntilSomethingComes(
                "run", "--warmup", "100ms", "--duration", "400ms", "--rate", "500", "--body", "16-90", "--json");
        JsonNode json = Json.parse(out.toString());
        assertThat(json.path("origin").path("command").asString("")).isEqualTo("run");
        JsonNode lane = json.path("lanes").path(0);
        assertThat(lane.path("name").asString("")).isEqualTo("loopback");
        JsonNode cell = lane.path("cells").path(0);
        assertThat(cell.path("contestant").asString("")).isEqualTo("relay");
        assertThat(cell.path("load").path("body").path("max").asInt()).isEqualTo(90);
        JsonNode plain = lane.path("cells").path(1);
        assertThat(plain.path("contestant").asString("")).isEqualTo("plain relay");
        assertThat(plain.path("load").path("rate").asInt()).isEqualTo(500);
        assertThat(plain.path("runs")
                        .path(0)
                        .path("delays")
                        .path("latency")
                        .path("recorded")
                        .asLong(-1))
                .isPositive();
        assertThat(lane.path("latencyRatios"))
                .extracting(ratio -> ratio.path("percentile").asDouble(0))
                .containsExactly(50.0, 99.0, 99.9);
        JsonNode run = cell.path("runs").path(0);
        // Whether the schedule is kept depends on what else the machine does.
        assertThat(run.path("outcome").path("failures").toString()).doesNotContain("subscriber", "window");
        assertThat(run.path("outcome").path("passed").asBoolean()).isEqualTo(code == 0);
        assertThat(Instant.parse(json.path("origin").path("started").asString("")))
                .isBeforeOrEqualTo(
                        Instant.parse(run.path("moment").path("started").asString("")));
        JsonNode correctness = run.path("correctness");
        assertThat(correctness
                        .path("schedule")
                        .path("lateness")
                        .path("recorded")
                        .asLong(-1))
                .isPositive();
        assertThat(run.path("delays").path("latency").path("recorded").asLong(-1))
                .isPositive();
        assertThat(run.path("delays").path("timeInQueue").isNull()).isTrue();
        assertThat(run.path("outcome").has("environment")).isTrue();
        assertThat(correctness
                        .path("subscribers")
                        .path(0)
                        .path("faults")
                        .path("lost")
                        .asLong(-1))
                .isZero();
        assertThat(run.path("throughput").path("out").path("messages").asLong(-1))
                .isPositive();
        assertThat(run.path("throughput").has("timeline")).isTrue();
        JsonNode resources = run.path("resources");
        assertThat(resources.path("boundBy").path("reasons")).isNotEmpty();
        assertThat(resources.path("signals").path("sampled").path("samples").asInt(-1))
                .isPositive();
    }

    /** Thorough, as it is one more run; how such runs are told has tests without processes. */
    @Tag("thorough")
    @ConcurrentTest
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
                .contains("peak memory", "  machine ")
                .containsPattern("on time: [0-9.]+ % left within 1 ms");
    }

    @ConcurrentTest
    void joinsAreMeasuredAndChecked() {
        assertThat(execute("run", "--joins", "3", "--types", "500", "--json"))
                .as(err.toString())
                .isZero();
        JsonNode json = Json.parse(out.toString());
        assertThat(json.path("types").asInt()).isEqualTo(500);
        assertThat(json.path("medianNanos").asDouble(0)).isPositive();
        assertThat(json.path("failures")).isEmpty();
        assertThat(json.path("joins")).hasSize(3).allSatisfy(join -> {
            assertThat(join.path("messages").asLong(0)).isEqualTo(500);
            assertThat(join.path("nanos").asLong(0)).isPositive();
        });
    }

    /** JSON is all of stdout, or nothing. */
    @ConcurrentTest
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

    /** Relays are only compared with the plain relay: where its run breaks off, their results are there. */
    @ConcurrentTest
    void aPlainRelayThatBreaksOffTakesNoResultAway() throws Exception {
        List<String> command = TestProcess.javaCommand(
                LoadgenMain.class.getName(), "run", "--warmup", "100ms", "--duration", "6s", "--rate", "500", "--json");
        try (TestProcess process = new TestProcess(command)) {
            process.error(0, line -> line.contains("measuring") && !line.contains("ceiling"));
            List<ProcessHandle> standing = process.descendants();
            process.error(0, line -> line.contains("measuring") && line.contains("ceiling: plain relay"));
            List<ProcessHandle> plain = process.descendants().stream()
                    .filter(one -> !standing.contains(one))
                    .toList();
            assertThat(plain).singleElement().matches(ProcessHandle::destroyForcibly);
            assertThat(process.awaitExit()).as("%s", process.errors()).isZero();
            JsonNode lane =
                    Json.parse(String.join("\n", process.lines())).path("lanes").path(0);
            assertThat(lane.path("cells")).hasSize(2);
            JsonNode run = lane.path("cells").path(0).path("runs").path(0);
            assertThat(run.path("outcome").path("passed").asBoolean()).isTrue();
            assertThat(run.path("delays").path("latency").path("recorded").asLong(-1))
                    .isPositive();
            JsonNode broken = lane.path("cells").path(1).path("runs").path(0);
            assertThat(broken.path("outcome").path("partial").asBoolean()).isTrue();
            assertThat(broken.path("outcome").path("failures")).isNotEmpty();
            assertThat(broken.path("delays").path("latency").isNull()).isTrue();
            assertThat(lane.path("latencyRatios")).hasSize(3).allSatisfy(ratio -> {
                assertThat(ratio.path("leftOut").path(0).asString("")).isEqualTo("failed");
                assertThat(ratio.path("ratio").isNull()).isTrue();
            });
        }
    }

    @ConcurrentTest
    void aRelayThatIsNotThereIsAFailure() {
        assertThat(execute("run", "--connect", "127.0.0.1:2", "--duration", "100ms"))
                .isOne();
        assertThat(err.toString())
                .contains("FAIL: no publisher is let in: cannot connect to 127.0.0.1:2")
                .hasLineCount(1);
    }
}
