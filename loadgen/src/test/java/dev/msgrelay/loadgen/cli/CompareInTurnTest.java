package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import tools.jackson.databind.JsonNode;

/** Comparisons in turn, short, with real processes and sockets. Nothing here asserts a speed. */
@Tag("thorough")
class CompareInTurnTest extends CommandTest {
    private static final String RELAY = Site.java() + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx160m -cp "
            + ThisMachine.classPath()
            + " dev.msgrelay.server.cli.RelayServerMain --slow-subscriber backpressure ";
    private static final String SHORT = "--duration=200ms";
    private static final String OVER_TCP = RELAY + "--publish-port {publish} --subscribe-port {subscribe}";

    @ConcurrentTest
    void twoSetsOfOptionsAreRunInTurn() throws Exception {
        JsonNode json = compare("--b=--relay-arg=--event-loops=2 --relay-arg=--log-size=64m");
        JsonNode ratios = json.path("ratios");
        assertThat(ratios.path(0).path("a").asString("")).isEqualTo("relay, this build");
        assertThat(ratios.path(0).path("b").asString(""))
                .isEqualTo("relay --relay-arg=--event-loops=2 --relay-arg=--log-size=64m, this build");
        JsonNode turns = json.path("turns");
        assertThat(sides(turns)).startsWith("AB");
        for (int i = 0; i < turns.size(); i++) {
            assertThat(turns.path(i).path("figures").path("deliveries").asDouble(Double.NaN))
                    .isPositive();
        }
        assertThat(ratios.path(0).path("figure").asString("")).isEqualTo("deliveries");
        assertThat(ratios.path(1).path("figure").asString("")).isEqualTo("relayCpu");
        assertThat(json.path("ending").path("reason").asString("")).isEqualTo("the time is over");
        assertThat(json.path("ending").path("how").asString("")).isEqualTo("complete");
    }

    /** A script must not take a comparison that knows nothing for a relay that is fast enough. */
    @ConcurrentTest
    void withoutAnIntervalNothingIsKnownToBeFastEnough() {
        int code = executeUntilSomethingComes(
                "compare", "--b=", "--minutes=0.01", SHORT, "--warmup=0", "--fail-below=0.1");
        assertThat(err.toString()).startsWith("no verdict will come of --minutes 0.01: an interval needs 6 rounds");
        assertThat(out.toString()).contains("verdict: none: an interval needs 6 rounds");
        assertThat(code).isEqualTo(4);
    }

    @ConcurrentTest
    void twoRelaysStayForARound() throws Exception {
        JsonNode json = compare("--b=", "--pairs=2", "--rate=500", "--subscribers=2", "--slow-readers=1");
        JsonNode turns = json.path("turns");
        assertThat(sides(turns)).startsWith("AB");
        assertThat(turns.path(1).path("round").asInt(-1)).isZero();
        assertThat(turns.path(1).path("figures").path("p50").asDouble(Double.NaN))
                .isPositive();
        assertThat(json.path("ending").path("how").asString("")).isEqualTo("complete");
    }

    @ConcurrentTest
    void anyCommandIsRunOverUnixSockets() throws Exception {
        String overUnix = RELAY + "--publish-port 0 --subscribe-port 0"
                + " --publish-socket {publish} --subscribe-socket {subscribe} >/dev/null";
        assertThat(compare("--lane=unix", "--b-command=" + overUnix)
                        .path("ending")
                        .path("how")
                        .asString(""))
                .isEqualTo("complete");
    }

    @ConcurrentTest
    void oneSideOverTls() throws Exception {
        JsonNode json = compare("--client=library", "--b", "--tls");
        JsonNode cpu = json.path("ratios").path(1);
        assertThat(cpu.path("figure").asString("")).isEqualTo("relayCpu");
        assertThat(cpu.path("a").asString("")).isEqualTo("relay, this build");
        assertThat(cpu.path("b").asString("")).isEqualTo("relay --tls, this build");
        assertThat(sides(json.path("turns"))).startsWith("AB");
    }

    @ConcurrentTest
    void aCommandThatEndsMakesItFail() {
        int code = executeUntilSomethingComes(
                "compare", "--b-command=sh -c 'exit 3' {publish} {subscribe}", "--minutes=0.01", SHORT, "--warmup=0");
        assertThat(out.toString()).contains("FAIL", "  B, run 2: command ended with exit code 3");
        assertThat(code).isOne();
    }

    @ConcurrentTest
    void aRelayThatCannotStartMakesItFailInItsWords() {
        int code = execute("compare", "--a=--relay-arg=--journal=/proc/none", "--minutes=0.01", SHORT, "--warmup=0");
        assertThat(out.toString()).contains("FAIL", "  A, run 1: relay: journal: cannot make the directory /proc/none");
        assertThat(code).isOne();
    }

    /** Relays of commands, over TCP here, know nothing of a controller: they have to end with it all the same. */
    @ConcurrentTest
    void afterCtrlCThereIsAReportAndNobodyIsLeft() throws Exception {
        try (TestProcess process = start("--duration=2s", "--pairs=9")) {
            process.error(0, line -> line.startsWith("pair   1"));
            List<ProcessHandle> all = process.descendants();
            assertThat(all).hasSizeGreaterThanOrEqualTo(6);
            process.terminate();
            for (ProcessHandle one : all) {
                one.onExit().get(120, TimeUnit.SECONDS);
            }
            assertThat(String.join("\n", process.lines()))
                    .contains("deliveries/s", "ended: interrupted")
                    .doesNotContain("FAIL");
        }
    }

    @ConcurrentTest
    void afterAKillNobodyIsLeft() throws Exception {
        try (TestProcess process = start(SHORT)) {
            List<ProcessHandle> all = process.descendants();
            while (all.size() < 5) {
                assertThat(process.isAlive()).isTrue();
                TimeUnit.MILLISECONDS.sleep(10);
                all = process.descendants();
            }
            process.kill();
            for (ProcessHandle one : all) {
                one.onExit().get(120, TimeUnit.SECONDS);
            }
        }
    }

    private static TestProcess start(String... more) throws Exception {
        List<String> command = TestProcess.javaCommand(
                LoadgenMain.class.getName(),
                "compare",
                "--a-command=" + OVER_TCP,
                "--b-command=" + OVER_TCP,
                "--warmup=100ms");
        command.addAll(List.of(more));
        return new TestProcess(command);
    }

    private static String sides(JsonNode turns) {
        StringBuilder sides = new StringBuilder();
        turns.forEach(turn -> sides.append(turn.path("side").asString("")));
        return sides.toString();
    }

    /** A few pairs: the time is over with the first one. */
    private JsonNode compare(String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of("--minutes=0.01", "--warmup=200ms", "--duration=400ms", "--json"));
        all.addAll(List.of(args));
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        int code = executeUntilSomethingComes("compare", all.toArray());
        assertThat(err.toString())
                .startsWith("no verdict will come of --minutes 0.01")
                .hasLineCount(1);
        assertThat(code).as(out.toString()).isZero();
        return Json.parse(out.toString());
    }
}
