package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An agent within the test's own process, on loopback, with short limits. */
final class TestAgent implements AutoCloseable {
    static final AgentLimits SHORT =
            new AgentLimits(Duration.ofMillis(500), Duration.ofSeconds(10), Duration.ofMillis(10), 3);

    private static final Pattern PID = Pattern.compile("started .*\\(pid (\\d+)\\)");
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Token token = Token.generate();
    private final Agent agent;

    TestAgent(AgentLimits limits) throws IOException {
        agent = Agent.start(
                AgentSettings.at(InetAddress.getLoopbackAddress(), 0).withLimits(limits), token, false, this::onLine);
    }

    private synchronized void onLine(String line) {
        log.add(line);
        notifyAll();
    }

    Token token() {
        return token;
    }

    int port() {
        return agent.address().getPort();
    }

    AgentConnection connect() throws IOException {
        return AgentConnection.open("127.0.0.1", port(), token);
    }

    /** A connection that has said nothing. */
    Socket raw() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port());
    }

    /** A controller that has been let in and does what the test says. */
    LineChannel letIn() throws IOException {
        LineChannel channel = new LineChannel(raw());
        new ControllerGreeter(token, LoadgenVersion.here())
                .greet(channel, System.nanoTime() + TimeUnit.SECONDS.toNanos(10));
        return channel;
    }

    /** The next message of this type, what comes before it dropped. */
    static JsonObject await(LineChannel channel, String type) throws IOException {
        JsonObject message;
        do {
            message = channel.read();
            assertThat(message).as("the agent closed before '" + type + "'").isNotNull();
        } while (!Messages.type(message).equals(type));
        return message;
    }

    /** Waits for a line with this text. */
    synchronized String awaitLog(String part) throws InterruptedException {
        long deadline = System.nanoTime() + WAIT_NANOS;
        while (true) {
            for (String line : log) {
                if (line.contains(part)) {
                    return line;
                }
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            assertThat(millis).as("no line with '" + part + "' in " + log).isPositive();
            wait(millis);
        }
    }

    /** The process that was started last. */
    ProcessHandle lastProcess() {
        for (int i = log.size() - 1; i >= 0; i--) {
            Matcher matcher = PID.matcher(log.get(i));
            if (matcher.matches()) {
                return ProcessHandle.of(Long.parseLong(matcher.group(1))).orElseThrow();
            }
        }
        throw new AssertionError("nothing started in " + log);
    }

    static void awaitGone(ProcessHandle process) throws Exception {
        process.onExit().get(20, TimeUnit.SECONDS);
    }

    static void awaitGone(long pid) throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        ProcessHandle.of(pid).ifPresentOrElse(handle -> handle.onExit().thenRun(gone::countDown), gone::countDown);
        assertThat(gone.await(20, TimeUnit.SECONDS))
                .as("process " + pid + " is gone")
                .isTrue();
    }

    @Override
    public void close() {
        agent.close();
    }
}
