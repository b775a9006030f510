package dev.msgrelay.loadgen.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.site.Site;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What runs at a second host, as a process of this one. Thorough, as second hosts are to go. */
@Tag("thorough")
class HostMainTest {
    private static final String LONG = "600000";
    private static final int SIGTERM = 143;
    private static final int SIGKILL = 137;

    private Process host;
    private BufferedReader out;
    private Process worker;

    @AfterEach
    void end() {
        host.destroyForcibly();
        if (worker != null) {
            worker.destroyForcibly();
        }
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void itAnswersWhatItIsAsked() throws Exception {
        start(LONG);
        long before = System.nanoTime();
        long there = Long.parseLong(asked("1 clock").substring(2));
        assertThat(there).as("one host has one clock").isBetween(before, System.nanoTime());
        assertThat(asked("2 facts 127.0.0.1")).startsWith("2 {").contains("\"far\":\"127.0.0.1\"", "\"cores\":");
        String[] figures = asked("3 figures " + ProcessHandle.current().pid()).split(" ");
        assertThat(Long.parseLong(figures[1])).isPositive();
        assertThat(asked("4 figures 999999999")).isEqualTo("4 -1 -1");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(asked("5 reach 127.0.0.1 " + server.getLocalPort())).isEqualTo("5 yes");
        }
        assertThat(asked("6 reach 127.0.0.1 1")).isEqualTo("6 Connection refused");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void itSendsSignals() throws Exception {
        start(LONG);
        worker = new ProcessBuilder("sleep", "600").start();
        tell("term " + worker.pid());
        assertThat(worker.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.exitValue()).isEqualTo(SIGTERM);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatItWatchesEndsWithTheController() throws Exception {
        start(LONG);
        worker = new ProcessBuilder("sleep", "600").start();
        tell("watch " + worker.pid());
        host.getOutputStream().close();
        assertThat(host.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.exitValue()).isEqualTo(SIGKILL);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void whatItWatchesEndsWhenNothingIsHeard() throws Exception {
        start("1000");
        worker = new ProcessBuilder("sleep", "600").start();
        tell("watch " + worker.pid());
        assertThat(host.waitFor(120, TimeUnit.SECONDS))
                .as("its stdin is open, and silent")
                .isTrue();
        assertThat(worker.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.exitValue()).isEqualTo(SIGKILL);
    }

    private void start(String silenceMillis) throws IOException {
        host = Site.HERE.start(new Site.JavaProgram(
                List.of("-XX:+UseSerialGC", "-Xmx32m"), HostMain.class.getName(), List.of(silenceMillis)));
        out = new BufferedReader(new InputStreamReader(host.getInputStream(), StandardCharsets.UTF_8));
    }

    private void tell(String line) throws IOException {
        host.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        host.getOutputStream().flush();
    }

    private String asked(String line) throws IOException {
        tell(line);
        return out.readLine();
    }
}
