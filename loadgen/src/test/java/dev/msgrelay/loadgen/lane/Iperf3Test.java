package dev.msgrelay.loadgen.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Iperf3Test {
    private static final Timing SECOND = new Timing(Duration.ZERO, Duration.ofSeconds(1));

    @TempDir
    private Path directory;

    @Test
    void theFigureIsWhatArrived() throws Exception {
        String json = "{\"end\":{\"sum_sent\":{\"bits_per_second\":960e6,\"retransmits\":3},"
                + "\"sum_received\":{\"bits_per_second\":957e6}}}";
        Iperf3.Result figure = Iperf3.parse(new Tool.Completed(0, json));
        assertThat(figure.bytesPerSecond()).isEqualTo(957e6 / 8);
    }

    @Test
    void whatIsNoFigureIsAnError() {
        assertThatThrownBy(() -> Iperf3.parse(new Tool.Completed(
                        0, "{\"end\":{},\"error\":\"unable to connect to server: Connection refused\"}")))
                .isInstanceOf(IOException.class)
                .hasMessage("iperf3: unable to connect to server: Connection refused");
        assertThatThrownBy(() -> Iperf3.parse(new Tool.Completed(0, "{\"end\":{}}")))
                .hasMessage("iperf3 gave no figure");
        assertThatThrownBy(() -> Iperf3.parse(new Tool.Completed(139, "", "Segmentation fault")))
                .hasMessage("iperf3 ended with exit code 139: Segmentation fault");
        assertThatThrownBy(() -> Iperf3.parse(new Tool.Completed(0, "iperf 3.16 (cJSON 1.7.15)")))
                .hasMessage("iperf3 said: iperf 3.16 (cJSON 1.7.15)");
        assertThatThrownBy(() -> Iperf3.parse(new Tool.Completed(0, "", "")))
                .hasMessage("iperf3 gave no figure: exit code 0");
        assertThatThrownBy(() -> Iperf3.parse(new Tool.Completed(0, "{\"end\":")))
                .message()
                .startsWith("iperf3's JSON cannot be read: ")
                .doesNotContain("\n");
    }

    private static String figure(String bits) {
        return "{\"end\": {\"sum_received\": {\"bits_per_second\": " + bits + "}}}";
    }

    /** What versions of it do now and then, by a script in its place. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "echo '%1$s'; echo '%1$s'             | iperf3 gave no figure: it printed 2 JSON documents, and not one",
                "echo '%2$s'                          | iperf3's JSON cannot be read: Unrecognized token 'nan'",
                "echo '%3$s'                          | iperf3's JSON cannot be read: ",
                "echo '%4$s'                          | iperf3 gave no figure: bits_per_second is 0",
                "echo 'iperf3: error - busy' >&2; exit 1 | iperf3 ended with exit code 1: iperf3: error - busy",
                "echo '{\"error\":\"it is busy\"}'; exit 1 | iperf3: it is busy",
                "exec sleep 600                       | --interval 0 --json' did not end within 1001 ms"
            })
    void theWordsAreThoseOfTheFault(String client, String words) throws Exception {
        String script = String.format(Locale.ROOT, client, figure("957e6"), figure("nan"), figure("-nan"), figure("0"));
        Site site = withIperf3("case $1 in --server) echo 'Server listening on 5201'; exec sleep 600 ;; esac", script);
        assertThatThrownBy(() -> new Iperf3(site, site, SECOND)
                        .run(Duration.ofMillis(words.contains("did not end") ? 1 : 60_000)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(words);
    }

    @Test
    void aWarningBesideAFigureTakesNothingAway() throws Exception {
        Site site = withIperf3(
                "case $1 in --server) echo 'Server listening on 5201'; exec sleep 600 ;; esac",
                "echo 'warning: Ignoring nonsense TCP MSS 0' >&2",
                "echo '" + figure("957e6") + "'");
        assertThat(new Iperf3(site, site, SECOND).run(Duration.ofSeconds(60)))
                .isEqualTo(new Iperf3.Result(957e6 / 8, "", "warning: Ignoring nonsense TCP MSS 0"));
    }

    @Test
    void withoutTheCommandThereIsAReason() throws Exception {
        assertThatThrownBy(() -> Iperf3.check(command -> {
                    throw new IOException("No such file or directory");
                }))
                .hasMessage("no command iperf3 here");
        assertThatThrownBy(
                        () -> Iperf3.check(command -> new Tool.Completed(127, "error while loading shared libraries")))
                .hasMessage("iperf3 does not work here: error while loading shared libraries");
    }

    @Test
    void whatAServerThatEndsSaidIsToldAtOnce() throws Exception {
        Site site = withIperf3("echo \"iperf3: unrecognized option '--forceflush'\" >&2", "echo Usage:", "exit 1");
        assertThatThrownBy(() -> new Iperf3(site, site, SECOND).run(Duration.ofSeconds(60)))
                .isInstanceOf(IOException.class)
                .hasMessage("iperf3's server does not listen: iperf3: unrecognized option '--forceflush'");
    }

    @Test
    void theServerGoesWithOurEndOfItsStdin() throws Exception {
        Site site = withIperf3("echo 'Server listening on 5201'", "exec sleep 600");
        Process serving = new Iperf3(site, site, SECOND).serve();
        try {
            Iperf3.awaitListening(serving);
            List<ProcessHandle> all = serving.descendants().toList();
            assertThat(all).isNotEmpty();
            serving.getOutputStream().close();
            for (ProcessHandle one : all) {
                one.onExit().get(120, TimeUnit.SECONDS);
            }
            assertThat(serving.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            serving.descendants().forEach(ProcessHandle::destroyForcibly);
            serving.destroyForcibly();
        }
    }

    /** A place where the command iperf3 is this script. */
    private Site withIperf3(String... lines) throws IOException {
        Path script = Files.writeString(directory.resolve("iperf3"), "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return new Site("here", List.of("env", "PATH=" + directory + ":" + ThisMachine.path()), "127.0.0.1");
    }

    @Test
    void throughARealPairItHasAFigure() throws Exception {
        RealLanes.assumePossible();
        try {
            Iperf3.check(RealLanes.TOOL);
        } catch (IOException e) {
            ThisMachine.need(false, e.getMessage());
        }
        try (Lane lane = Lane.open(LaneSpec.parse("1gbe"), new Subprocess())) {
            Iperf3.Result figure = Iperf3.run(lane, SECOND);
            assertThat(figure.reason()).isEmpty();
            System.out.printf(
                    Locale.ROOT, "iperf3 through a lane of 1 Gbit/s: %,.0f bytes/s%n", figure.bytesPerSecond());
            assertThat(figure.bytesPerSecond()).isPositive();
        }
    }
}
