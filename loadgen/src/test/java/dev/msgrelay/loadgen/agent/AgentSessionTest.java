package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.plain.PlainRelayMain;
import dev.msgrelay.loadgen.site.JavaProgram;
import dev.msgrelay.loadgen.site.SiteProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a controller that was let in can do, and that nothing of it stays behind. Real processes. */
@Timeout(60)
class AgentSessionTest {
    private static final JavaProgram PLAIN = new JavaProgram(
            List.of("-XX:+UseSerialGC", "-Xmx64m"),
            PlainRelayMain.class.getName(),
            List.of("--buffer", "1000", "--bind", "127.0.0.1"));
    private static final long EXIT_MILLIS = 20_000;

    private TestAgent agent;

    @BeforeEach
    void start() throws IOException {
        agent = new TestAgent(TestAgent.SHORT);
    }

    @AfterEach
    void stop() {
        agent.close();
    }

    @Test
    void aProcessIsLikeOneOfThisHost() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            AgentSite site = new AgentSite(connection);
            assertThat(site.address()).isEqualTo("127.0.0.1");
            SiteProcess process = site.start(PLAIN);
            assertThat(firstLine(process)).contains("\"ready\"");
            assertThat(process.isAlive()).isTrue();
            assertThat(process.pid()).as("it is not ours").isEqualTo(-1);
            assertThat(process.cpuNanos()).isPositive();
            assertThat(process.peakResidentBytes()).isGreaterThan(1 << 20);
            process.stdin().close();
            assertThat(process.awaitExit(EXIT_MILLIS)).isTrue();
            assertThat(process.exitCode()).isZero();
            assertThat(process.cpuNanos()).as("of one that has ended").isEqualTo(-1);
            assertThatThrownBy(() -> process.stdin().write(1)).hasMessage("the process has ended");
        }
    }

    @Test
    void whatAProcessReadsAndSaysPassesThrough() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            SiteProcess process = connection.start(PLAIN);
            process.stdin().write("nonsense\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(process.awaitExit(EXIT_MILLIS)).isTrue();
            assertThat(new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("unknown command 'nonsense'");
        }
    }

    @Test
    void signalsArrive() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            SiteProcess asked = connection.start(PLAIN);
            firstLine(asked);
            asked.terminate();
            assertThat(asked.awaitExit(EXIT_MILLIS)).isTrue();
            assertThat(asked.exitCode()).isEqualTo(143);
            SiteProcess killed = connection.start(PLAIN);
            killed.kill();
            assertThat(killed.awaitExit(EXIT_MILLIS)).isTrue();
            assertThat(killed.exitCode()).isEqualTo(137);
        }
    }

    @Test
    void aProgramThatIsNotAllowedIsRefusedAndTheSessionGoesOn() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            JavaProgram evil = new JavaProgram(List.of("-XX:OnError=id"), PLAIN.main(), PLAIN.args());
            assertThatThrownBy(() -> connection.start(evil))
                    .hasMessage(connection.name() + " refused: the JVM option '-XX:OnError=id' is not allowed");
            agent.awaitLog("refused to start 1: the JVM option '-XX:OnError=id' is not allowed");
            assertThat(connection.start(PLAIN).isAlive()).isTrue();
        }
    }

    @Test
    void processesAreBoundedInNumber() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            for (int i = 0; i < TestAgent.SHORT.processes(); i++) {
                connection.start(PLAIN);
            }
            assertThatThrownBy(() -> connection.start(PLAIN))
                    .hasMessageEndingWith("refused: more than 3 processes at one time");
        }
    }

    @Test
    void goodbyeReturnsWhenAllHaveEnded() throws Exception {
        AgentConnection connection = agent.connect();
        SiteProcess process = connection.start(PLAIN);
        ProcessHandle handle = agent.lastProcess();
        connection.close();
        assertThat(handle.isAlive()).isFalse();
        assertThat(process.isAlive()).isFalse();
        assertThat(connection.lost())
                .isEqualTo(connection.name() + " went away: this controller has closed the" + " connection");
    }

    @Test
    void aControllerThatVanishesLeavesNothing() throws Exception {
        LineChannel controller = agent.letIn();
        startPlain(controller);
        ProcessHandle process = agent.lastProcess();
        controller.close();
        TestAgent.awaitGone(process);
        agent.awaitLog("gone: ");
        agent.connect().close();
    }

    @Test
    void aControllerThatFallsSilentLeavesNothing() throws Exception {
        try (TestAgent impatient = new TestAgent(TestAgent.SHORT.withSilence(Duration.ofMillis(400)));
                LineChannel controller = impatient.letIn()) {
            startPlain(controller);
            TestAgent.awaitGone(impatient.lastProcess());
            impatient.awaitLog("gone: nothing heard of it for 400 ms");
        }
    }

    /** A heartbeat is sent often enough for the agent that asks for it. */
    @Test
    void aRealControllerIsNeverSilent() throws Exception {
        try (TestAgent impatient = new TestAgent(TestAgent.SHORT.withSilence(Duration.ofMillis(800)));
                AgentConnection connection = impatient.connect()) {
            SiteProcess process = connection.start(PLAIN);
            assertThat(process.awaitExit(1_500)).isFalse();
            assertThat(connection.lost()).isNull();
        }
    }

    @Test
    void anAgentThatLeavesTakesItsProcessesWithItAndIsNamed() throws Exception {
        AgentConnection connection = agent.connect();
        SiteProcess process = connection.start(PLAIN);
        ProcessHandle handle = agent.lastProcess();
        agent.close();
        TestAgent.awaitGone(handle);
        assertThat(process.awaitExit(EXIT_MILLIS)).isTrue();
        assertThat(new String(process.stderr().readAllBytes(), StandardCharsets.UTF_8))
                .startsWith(connection.name() + " went away: ");
        assertThatThrownBy(() -> connection.start(PLAIN)).hasMessageStartingWith(connection.name() + " went away: ");
    }

    /** Who has the token and breaks the rules: told what is wrong, and out; nothing is left. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'type':'format'}                     | unknown message 'format'",
                "{'type':'start','id':'x'}             | 'start' has no number 'id'",
                "{'type':'signal','id':1}              | 'signal' has no text 'signal'",
                "{'type':'signal','id':1,'signal':'9'} | unknown signal '9'",
                "{'type':'stdin','id':1,'text':7}      | 'stdin' has no text 'text'",
                "{'type':'figures','id':1}             | 'figures' has no number 'request'",
                "{'type':'ping'}                       | 'ping' has no number 'n'",
                "nonsense                              | 'nonsense' is no message of this protocol"
            })
    void aControllerThatBreaksTheRulesIsToldAndLeft(String line, String message) throws Exception {
        try (Socket socket = agent.raw()) {
            LineChannel controller = new LineChannel(socket);
            new ControllerGreeter(agent.token(), LoadgenVersion.here()).greet(controller, Long.MAX_VALUE);
            startPlain(controller);
            ProcessHandle process = agent.lastProcess();
            socket.getOutputStream().write((line.replace('\'', '"') + "\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(TestAgent.await(controller, Messages.REFUSED).getString("message"))
                    .isEqualTo(message);
            TestAgent.awaitGone(process);
        }
        agent.awaitLog("gone: " + message);
    }

    @Test
    void listsOfOtherThingsThanTextAreRefused() throws Exception {
        try (LineChannel controller = agent.letIn()) {
            JsonObject start = Messages.of(Messages.START, 1);
            start.put("java", new JsonArray(List.of(1)));
            controller.send(start);
            assertThat(TestAgent.await(controller, Messages.FAILED).getString("message"))
                    .isEqualTo("the list 'java' has something that is no text");
        }
    }

    /** The clocks are one here: what is measured has to be within its own uncertainty of nothing. */
    @Test
    void theClockOfTheSameHostIsNotAhead() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            AgentSite site = new AgentSite(connection);
            assertThat(Math.abs(site.nanosAhead())).isLessThanOrEqualTo(site.clockUncertaintyNanos());
            assertThat(site.clockDriftNanos()).isZero();
            long before = site.nanosAhead();
            assertThat(site.latencyErrorNanos()).isEqualTo(site.clockUncertaintyNanos());
            ClockOffset now = site.measureClock();
            assertThat(site.latencyErrorNanos()).isGreaterThanOrEqualTo(now.uncertaintyNanos());
            assertThat(site.nanosAhead()).isEqualTo(now.aheadNanos());
            assertThat(site.clockDriftNanos()).isEqualTo(now.aheadNanos() - before);
        }
    }

    private static void startPlain(LineChannel controller) throws IOException {
        JsonObject start = Messages.of(Messages.START, 1);
        start.put("java", new JsonArray(PLAIN.javaOptions()));
        start.put("main", PLAIN.main());
        start.put("args", new JsonArray(PLAIN.args()));
        controller.send(start);
        TestAgent.await(controller, Messages.STARTED);
    }

    private static String firstLine(SiteProcess process) throws IOException {
        return new BufferedReader(new InputStreamReader(process.stdout(), StandardCharsets.UTF_8)).readLine();
    }
}
