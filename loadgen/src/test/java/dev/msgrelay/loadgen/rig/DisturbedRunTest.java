package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.rig.Contestant.Started;
import dev.msgrelay.loadgen.worker.PublisherMain;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Runs that are disturbed on purpose, with real processes: they say so. Thorough, as each is a run of seconds. */
@EnabledOnOs(OS.LINUX)
@Tag("thorough")
class DisturbedRunTest {
    private static final Contestant RELAY =
            new RelayContestant(List.of("--slow-subscriber", "backpressure"), RelayContestant.JAVA_OPTIONS);

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() throws Exception {
        for (Process process : started) {
            process.destroyForcibly();
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void threeProcessesThatSpinBesideIt() throws Exception {
        for (int i = 0; i < 3; i++) {
            shell("i=0; while [ $i -lt 100000000 ]; do i=$((i+1)); done");
        }
        RunRecord result = run(RELAY, 300, 1_500, Load.oneToOne(100), RunObserver.NONE);
        assertThat(result.outcome().failures()).isEmpty();
        assertThat(result.outcome().environment()).anyMatch(line -> line.contains("other programs took"));
    }

    @Test
    void aRelayThatStandsStillNowAndThenAtFullSpeed() throws Exception {
        RunRecord result = run(new Stopped(RELAY), 500, 2_500, Load.oneToOne(100), RunObserver.NONE);
        Standstills still = result.resources().signals().still();
        assertThat(still.deliveries().longestNanos()).isGreaterThanOrEqualTo(millis(250));
        assertThat(still.deliveries().count()).isPositive();
        assertThat(result.outcome().failures()).isEmpty();
        assertThat(result.outcome().observed()).anyMatch(one -> one.text().startsWith("deliveries stood still"));
    }

    @Test
    void aRelayThatStandsStillNowAndThenAtARate() throws Exception {
        RunRecord result =
                run(new Stopped(RELAY), 500, 2_500, Load.oneToOne(100).withRate(2_000), RunObserver.NONE);
        tell("a relay that stands still", result);
        assertThat(result.resources().signals().still().slowestNanos()).isGreaterThanOrEqualTo(millis(250));
        assertThat(result.outcome().observed()).anyMatch(one -> one.text().startsWith("deliveries stood still"));
    }

    @Test
    void aPublisherThatIsStopped() throws Exception {
        // Long enough for a script that starts late.
        RunRecord result = run(RELAY, 500, 6_000, Load.oneToOne(100), new RunObserver() {
            @Override
            public void phase(String what) {
                if (what.equals("measuring")) {
                    stop(pidOf(PublisherMain.class), "sleep 0.3; kill -STOP $1; sleep 1.8; kill -CONT $1");
                }
            }
        });
        tell("a publisher that is stopped", result);
        assertThat(result.resources().signals().still().publishers().longestNanos())
                .isGreaterThan(millis(1_200));
    }

    /** A bound depends on what else the machine does. */
    private static void tell(String what, RunRecord result) {
        System.out.println(what + ": " + result.resources().boundBy() + ", machine "
                + result.outcome().environment() + ", observed "
                + result.outcome().observed());
    }

    private static long pidOf(Class<?> main) {
        return ProcessHandle.current()
                .descendants()
                .filter(one -> commandLine(one.pid()).contains(main.getName()))
                .mapToLong(ProcessHandle::pid)
                .findFirst()
                .orElseThrow();
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(ThisMachine.proc("" + pid, "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // it has ended
        }
    }

    /** Whatever becomes of it, the process goes on at its end. */
    private void stop(long pid, String script) {
        try {
            shell("trap 'kill -CONT $1 2>/dev/null' EXIT; " + script, "" + pid);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void shell(String script, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(List.of(args));
        started.add(TestProcess.builder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    private static RunRecord run(Contestant contestant, long warmupMillis, long millis, Load load, RunObserver observer)
            throws Exception {
        Timing timing = new Timing(Duration.ofMillis(warmupMillis), Duration.ofMillis(millis));
        return LoadRun.alone(Plan.here("", contestant, load, timing, Rig.OWN), 1, observer);
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** A relay that a script stops for 300 ms in every second, as long as the relay is there. */
    private final class Stopped implements Contestant {
        private final Contestant contestant;

        Stopped(Contestant contestant) {
            this.contestant = contestant;
        }

        @Override
        public String name() {
            return contestant.name();
        }

        @Override
        public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
            Started relay = contestant.start(children, load);
            stop(relay.process().pid(), "while sleep 0.7; do kill -STOP $1 || exit; sleep 0.3; kill -CONT $1; done");
            return relay;
        }
    }
}
