package dev.msgrelay.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.host.LaneTools;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.plan.Json;
import dev.msgrelay.loadgen.worker.RelayMain;
import dev.msgrelay.testing.ConcurrentTest;
import dev.msgrelay.testing.Signals;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Tag("thorough")
class ShootoutProcessTest {
    private static final int EXIT_SIGINT = 130;
    private static final int EXIT_SIGTERM = 143;

    @TempDir
    private Path temporary;

    private TestProcess process;
    private String classPath = ThisMachine.classPath();

    @AfterEach
    void end() {
        if (process != null) {
            process.close();
        }
    }

    @ConcurrentTest
    void afterCtrlCThereAreResultsAndNobodyIsLeft() throws Exception {
        boolean emulated = LaneTools.probe(new Subprocess()).available();
        start(
                "--lanes=" + (emulated ? "1gbe,loopback" : "loopback"),
                "--rounds=50",
                "--warmup=100ms",
                "--duration=300ms");
        awaitLine("run 3/");
        // The lanes' namespaces live as long as the processes that hold them, which are among these.
        List<ProcessHandle> all = process.descendants();
        assertThat(all).hasSizeGreaterThanOrEqualTo(3);
        int expected = interrupt();
        assertThat(process.awaitExit()).isEqualTo(expected);
        for (ProcessHandle one : all) {
            one.onExit().get(120, TimeUnit.SECONDS);
        }
        JsonNode json = results();
        assertThat(json.path("ending").path("how").asString("")).isEqualTo("interrupted");
        JsonNode runs = json.path("lanes").path(0).path("cells").path(0).path("runs");
        assertThat(runs).isNotEmpty();
        assertThat(runs.path(0).path("outcome").path("failures")).isEmpty();
        assertThat(temporary.resolve("out/report.html")).content().contains("\"how\":\"interrupted\"");
    }

    @ConcurrentTest
    void aRelayThatIsKilledCostsItsRunAndNoMore() throws Exception {
        // Long enough for the first line of a run to come well before its end.
        start("--lanes=loopback", "--rounds=2", "--rate=0", "--warmup=4s", "--duration=300ms");
        awaitLine("run 2/8");
        relay().destroyForcibly();
        assertThat(process.awaitExit(600)).isOne();
        JsonNode json = results();
        assertThat(json.path("ending").path("how").asString("")).isEqualTo("complete");
        JsonNode runs = json.path("lanes").path(0).path("cells").path(0).path("runs");
        assertThat(runs).hasSize(2);
        assertThat(runs.path(0).path("outcome").path("failures").toString())
                .as("not that a publisher has lost its connection")
                .contains("relay ended with exit code 137");
        assertThat(runs.path(0).path("outcome").path("partial").asBoolean()).isTrue();
        assertThat(runs.path(1).path("outcome").path("partial").asBoolean()).isFalse();
    }

    private void start(String... args) throws IOException {
        List<String> command =
                TestProcess.javaCommand(LoadgenMain.class.getName(), "shootout", "--out=" + temporary.resolve("out"));
        command.set(command.indexOf("-cp") + 1, classPath);
        command.addAll(List.of(args));
        process = new TestProcess(command);
    }

    private void awaitLine(String part) {
        process.error(0, line -> line.contains(part));
    }

    private ProcessHandle relay() {
        return process.descendants().stream()
                .filter(one -> hasInCommand(one, RelayMain.class.getName()))
                .findFirst()
                .orElseThrow();
    }

    private static boolean hasInCommand(ProcessHandle process, String part) {
        try {
            return Files.readString(ThisMachine.proc("" + process.pid(), "cmdline"), StandardCharsets.ISO_8859_1)
                    .contains(part);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * What Ctrl-C does; where this JVM was started with Ctrl-C ignored, which its children inherit, what kill does.
     *
     * @return the exit code that follows
     */
    private int interrupt() throws Exception {
        boolean ignored = Signals.isIgnored("INT");
        process.signal(ignored ? "TERM" : "INT");
        return ignored ? EXIT_SIGTERM : EXIT_SIGINT;
    }

    private JsonNode results() throws Exception {
        return Json.parse(Files.readString(temporary.resolve("out/results.json")));
    }
}
