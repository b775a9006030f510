package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.msgrelay.loadgen.cli.LoadgenMain;
import dev.msgrelay.loadgen.lane.End;
import dev.msgrelay.loadgen.plain.PlainRelayMain;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.LoadRun;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Placement;
import dev.msgrelay.loadgen.run.RelayMiddle;
import dev.msgrelay.loadgen.run.RunException;
import dev.msgrelay.loadgen.run.RunObserver;
import dev.msgrelay.loadgen.run.RunResult;
import dev.msgrelay.loadgen.run.Timing;
import dev.msgrelay.loadgen.run.Verdict;
import dev.msgrelay.loadgen.site.JavaProgram;
import dev.msgrelay.loadgen.site.Site;
import dev.msgrelay.loadgen.site.SiteProcess;
import dev.msgrelay.protocol.Policy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The command as a process of its own, on an address of loopback that stands for another host. */
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "only there does loopback have a second address by itself")
class AgentSystemTest {
    private static final String OTHER_HOST = "127.0.0.2";
    private static final Timing SHORT = new Timing(Duration.ofMillis(200), Duration.ofSeconds(1));
    private static final Timing ENDLESS = new Timing(Duration.ZERO, Duration.ofMinutes(2));
    private static final Middle RELAY =
            new RelayMiddle(List.of("--slow-subscriber", "backpressure"), RelayMiddle.JAVA_OPTIONS);
    private static final Pattern LISTENS = Pattern.compile("loadgen agent listens on (\\S+) port (\\d+);.*");
    private static final Pattern PID = Pattern.compile(".* started \\d+: (\\w+) .*\\(pid (\\d+)\\)");

    private final List<SiteProcess> started = new ArrayList<>();

    @TempDir
    private Path directory;

    private Path tokenFile;
    private Token token;

    @BeforeEach
    void makeToken() throws IOException {
        token = Token.generate();
        tokenFile = directory.resolve("token");
        Files.writeString(
                Files.createFile(
                        tokenFile, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))),
                token.secret());
    }

    @AfterEach
    void killAll() throws InterruptedException {
        for (SiteProcess process : started) {
            process.kill();
            assertThat(process.awaitExit(20_000)).isTrue();
        }
    }

    @Test
    void aRunWithSubscribersAtTheAgentLosesNothing() throws Exception {
        Running agent = startAgent();
        try (RemoteLane lane = agent.lane(token)) {
            assertThat(lane.label()).isEqualTo("remote (agent at 127.0.0.2:" + agent.port + ")");
            assertThat(lane.link()).as("both are one host").isNull();
            assertThat(lane.far().address()).isEqualTo(OTHER_HOST);
            RunResult result =
                    run(lane.placement(End.NEAR, End.FAR), Load.oneToOne(100).withCounts(1, 2), SHORT);
            expectClean(result);
            assertThat(agent.programs()).containsExactly("SubscriberMain", "SubscriberMain");
            assertThat(lane.far().measureClock().uncertaintyNanos()).isPositive();
        }
        agent.awaitLine("gone: it said goodbye");
    }

    @Test
    void theRelayMayLiveAtTheAgentAndPublishersToo() throws Exception {
        Running agent = startAgent("--once");
        try (RemoteLane lane = agent.lane(token)) {
            Placement placement = new Placement(lane.far(), lane.far(), lane.near());
            RunResult result = run(placement, Load.oneToOne(100).withRate(1_000), SHORT);
            expectClean(result);
            assertThat(result.relay()).as("the relay's last words came across").isNotNull();
            assertThat(result.received().latency().getTotalCount()).isPositive();
            assertThat(agent.programs()).containsExactly("RelayMain", "PublisherMain");
        }
        assertThat(agent.process.awaitExit(20_000)).as("--once: it leaves").isTrue();
        assertThat(agent.process.exitCode()).isZero();
    }

    @Test
    void anAgentThatIsKilledFailsTheRunByNameAndLeavesNothing() throws Exception {
        Running agent = startAgent();
        try (RemoteLane lane = agent.lane(token)) {
            List<String> phases = new CopyOnWriteArrayList<>();
            LoadRun run = new LoadRun(
                    RELAY,
                    lane.placement(End.NEAR, End.FAR),
                    Load.oneToOne(100).withRate(1_000),
                    ENDLESS,
                    new RunObserver() {
                        @Override
                        public void phase(String what) {
                            phases.add(what);
                            if (what.equals("measuring")) {
                                agent.process.kill();
                            }
                        }
                    });
            assertThatThrownBy(run::run)
                    .isInstanceOf(RunException.class)
                    .hasMessage("subscriber 0 ended with exit code 137; it said: agent at 127.0.0.2:" + agent.port
                            + " went away: " + lane.far().connection().lost().replaceFirst(".* went away: ", ""));
            assertThat(phases).contains("measuring");
        }
        assertThat(agent.pids()).hasSize(1);
        for (long pid : agent.pids()) {
            TestAgent.awaitGone(pid);
        }
    }

    @Test
    void aControllerThatIsKilledLeavesNothing() throws Exception {
        Running agent = startAgent();
        SiteProcess controller =
                start(ForlornController.class, List.of(OTHER_HOST, "" + agent.port, tokenFile.toString()));
        agent.awaitLine("started 1: PlainRelayMain");
        long pid = agent.pids().get(0);
        assertThat(ProcessHandle.of(pid)).isPresent();
        controller.kill();
        TestAgent.awaitGone(pid);
        agent.awaitLine(" gone: ");
        agent.lane(token).close();
    }

    @Test
    void askedToEndItEndsItsProcessesAndSaysSo() throws Exception {
        Running agent = startAgent();
        try (RemoteLane lane = agent.lane(token)) {
            lane.far().start(plain(OTHER_HOST));
            agent.awaitLine("started 1: PlainRelayMain");
            agent.process.terminate();
            assertThat(agent.process.awaitExit(20_000)).isTrue();
            assertThat(agent.process.exitCode()).isEqualTo(143);
            TestAgent.awaitGone(agent.pids().get(0));
            assertThat(agent.allOfStderr()).contains("loadgen agent: interrupted");
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(OTHER_HOST))) {
            SiteProcess agent = start(
                    LoadgenMain.class,
                    List.of(
                            "agent",
                            "--bind",
                            OTHER_HOST,
                            "--port",
                            "" + taken.getLocalPort(),
                            "--token-file",
                            tokenFile.toString()));
            assertThat(agent.awaitExit(20_000)).isTrue();
            assertThat(agent.exitCode()).isEqualTo(1);
            assertThat(text(agent.stderr().readAllBytes()))
                    .isEqualTo("loadgen agent: FAIL: cannot listen on 127.0.0.2:" + taken.getLocalPort()
                            + ": Address already in use\n");
        }
    }

    @Test
    void withoutATokenItMakesOneAndTellsItOnce() throws Exception {
        assumeTrue(System.getenv(Token.VARIABLE) == null);
        Running agent = new Running(start(LoadgenMain.class, List.of("agent", "--bind", OTHER_HOST, "--port", "0")));
        String line = agent.awaitLine("token, told this once: ");
        Token told = Token.of(line.substring(line.lastIndexOf(' ') + 1), "its output");
        agent.lane(told).close();
        assertThatThrownBy(() -> agent.lane(token))
                .hasMessage("agent at 127.0.0.2:" + agent.port + ": it refused: wrong token");
    }

    /** A controller that starts a process there and then does nothing. */
    static final class ForlornController {
        private ForlornController() {}

        public static void main(String[] args) throws Exception {
            Token token = Token.fromFile(Path.of(args[2]));
            AgentConnection connection = AgentConnection.open(args[0], Integer.parseInt(args[1]), token);
            connection.start(plain(args[0]));
            TimeUnit.MINUTES.sleep(1);
            connection.close();
        }
    }

    private static JavaProgram plain(String address) {
        return new JavaProgram(
                List.of("-XX:+UseSerialGC", "-Xmx64m"),
                PlainRelayMain.class.getName(),
                List.of("--buffer", "1000", "--bind", address));
    }

    private static RunResult run(Placement placement, Load load, Timing timing) throws Exception {
        return new LoadRun(RELAY, placement, load, timing, RunObserver.NONE).run();
    }

    private static void expectClean(RunResult result) {
        assertThat(Verdict.failures(result.received(), result.load(), Policy.BACKPRESSURE))
                .isEmpty();
        assertThat(result.received().traffic().messages()).isPositive();
    }

    private Running startAgent(String... further) throws IOException {
        List<String> args = new ArrayList<>(
                List.of("agent", "--bind", OTHER_HOST, "--port", "0", "--token-file", tokenFile.toString()));
        args.addAll(List.of(further));
        return new Running(start(LoadgenMain.class, args));
    }

    private SiteProcess start(Class<?> main, List<String> args) throws IOException {
        SiteProcess process =
                Site.HERE.start(new JavaProgram(List.of("-XX:+UseSerialGC", "-Xmx128m"), main.getName(), args));
        started.add(process);
        return process;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The command, listening. */
    private static final class Running {
        final SiteProcess process;
        final int port;
        private final List<String> lines = new ArrayList<>();

        Running(SiteProcess process) throws IOException {
            this.process = process;
            BufferedReader out = new BufferedReader(new InputStreamReader(process.stdout(), StandardCharsets.UTF_8));
            String first = out.readLine();
            Matcher matcher =
                    LISTENS.matcher(first == null ? text(process.stderr().readAllBytes()) : first);
            assertThat(matcher.matches()).as(first).isTrue();
            port = Integer.parseInt(matcher.group(2));
            Thread reader = new Thread(() -> readAll(out), "agent-output");
            reader.setDaemon(true);
            reader.start();
        }

        RemoteLane lane(Token known) throws Exception {
            return RemoteLane.open(AgentTarget.parse(OTHER_HOST + ":" + port), known, RemoteLink.READ);
        }

        private void readAll(BufferedReader out) {
            try (out) {
                String line;
                while ((line = out.readLine()) != null) {
                    add(line);
                }
            } catch (IOException e) {
                // it was killed while we read
            }
        }

        private synchronized void add(String line) {
            lines.add(line);
            notifyAll();
        }

        synchronized String awaitLine(String part) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (true) {
                for (String line : lines) {
                    if (line.contains(part)) {
                        return line;
                    }
                }
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                assertThat(millis).as("no line with '" + part + "' in " + lines).isPositive();
                wait(millis);
            }
        }

        List<String> programs() {
            return startedLines().stream().map(matcher -> matcher.group(1)).toList();
        }

        List<Long> pids() {
            return startedLines().stream()
                    .map(matcher -> Long.parseLong(matcher.group(2)))
                    .toList();
        }

        private synchronized List<Matcher> startedLines() {
            return lines.stream().map(PID::matcher).filter(Matcher::matches).toList();
        }

        String allOfStderr() throws IOException {
            return text(process.stderr().readAllBytes());
        }
    }
}
