package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.host.NetInterfaces;
import dev.msgrelay.loadgen.host.SystemTree;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who gets in, and what those hear who do not. */
@Timeout(60)
class AgentGreetingTest {
    private static final int STRANGERS = 150;
    private static final int MAX_RANDOM_BYTES = 12_000;

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
    void whoKnowsTheTokenIsToldAboutTheHost() throws Exception {
        try (AgentConnection connection = agent.connect()) {
            assertThat(connection.name()).isEqualTo("agent at 127.0.0.1:" + agent.port());
            assertThat(connection.facts().address()).isEqualTo("127.0.0.1");
            assertThat(connection.facts().machine().getInt("cores")).isPositive();
            assertThat(connection.facts().interfaces()).isNotEmpty();
            assertThat(connection.localAddress().getHostAddress()).isEqualTo("127.0.0.1");
        }
        agent.awaitLog("gone: it said goodbye");
    }

    @Test
    void aWrongTokenIsRefusedAndCounted() throws Exception {
        for (int i = 1; i <= 2; i++) {
            assertThatThrownBy(() -> AgentConnection.open("127.0.0.1", agent.port(), Token.generate()))
                    .hasMessage("agent at 127.0.0.1:" + agent.port() + ": it refused: wrong token");
            agent.awaitLog("refused: wrong token, " + i + " so far");
        }
        agent.connect().close();
    }

    @Test
    void anotherVersionIsRefusedNamingBoth() throws Exception {
        ControllerGreeter other = new ControllerGreeter(agent.token(), "0.0.9");
        assertThatThrownBy(() -> AgentConnection.open("127.0.0.1", agent.port(), other))
                .hasMessageContaining("it refused: versions differ: the agent is loadgen " + LoadgenVersion.here()
                        + ", protocol 1; the controller is loadgen 0.0.9, protocol 1");
        agent.awaitLog("refused: versions differ");
    }

    @Test
    void anAddressAtWhichNoProcessHereCouldListenIsRefusedAtOnce() throws Exception {
        AgentSettings elsewhere = new AgentSettings(
                InetAddress.getLoopbackAddress(), 0, InetAddress.getByName("192.0.2.7"), Set.of(), AgentLimits.USUAL);
        assertThatThrownBy(() -> Agent.start(elsewhere, agent.token(), true, line -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("processes cannot listen on the data address 192.0.2.7: ");
    }

    @Test
    void aHostOfManyInterfacesIsTakenAndTellsTheOneThatMatters(@TempDir Path root) throws Exception {
        for (int i = 0; i < 400; i++) {
            Path one = Files.createDirectories(root.resolve("sys/class/net/veth%07d%04d".formatted(i, i)));
            Files.writeString(one.resolve("flags"), "0x1003");
            Files.writeString(one.resolve("operstate"), "up");
            Files.writeString(one.resolve("mtu"), "65535");
            Files.writeString(one.resolve("speed"), "4294967294");
        }
        AgentSettings settings = AgentSettings.at(InetAddress.getLoopbackAddress(), 0);
        NetInterfaces many = new NetInterfaces(new SystemTree(root));
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                try (LineChannel channel = new LineChannel(server.accept())) {
                    String proof = new AgentGreeter(agent.token(), LoadgenVersion.here())
                            .greet(channel, System.nanoTime() + TimeUnit.SECONDS.toNanos(10));
                    channel.send(Welcome.of(proof, settings, many));
                    channel.read();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try (LineChannel channel =
                    new LineChannel(new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort()))) {
                AgentFacts facts = new ControllerGreeter(agent.token(), LoadgenVersion.here())
                        .greet(channel, System.nanoTime() + TimeUnit.SECONDS.toNanos(10));
                assertThat(facts.interfaces()).hasSize(Welcome.MAX_INTERFACES);
                assertThat(facts.addressInterface()).isPresent();
            }
            other.get(10, TimeUnit.SECONDS);
        }
    }

    /** Agents that are none: what the controller says of them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'type':'challenge','loadgen':'9','protocol':2,'nonce':''} | versions differ: the agent is loadgen 9",
                "HTTP/1.1 400 Bad Request                    | 'HTTP/1.1 400 Bad Request' is no message of this protocol",
                "{'type':'welcome','proof':''}               | expected 'challenge', not 'welcome'",
                "{'type':'challenge'}                        | 'challenge' has no text 'loadgen'",
                "{'type':'refused','message':'no?'}          | it refused: no?",
                "[[[[[[[[[[[[[[[[                            | a message nested deeper than 8"
            })
    void anAgentThatIsNoneIsNamed(String line, String message) throws Exception {
        assertThatThrownBy(() -> connectToOneThatSays(line.replace('\'', '"')))
                .hasMessageStartingWith("agent at 127.0.0.1:")
                .hasMessageContaining(": " + message);
    }

    @Test
    void anAgentThatDoesNotKnowTheTokenIsNotBelieved() {
        String version = LoadgenVersion.here();
        String challenge = "{\"type\":\"challenge\",\"loadgen\":\"" + version + "\",\"protocol\":1,\"nonce\":\""
                + "0".repeat(64) + "\"}";
        assertThatThrownBy(() -> connectToOneThatSays(
                        challenge + "\n{\"type\":\"welcome\",\"proof\":\"" + "0".repeat(64) + "\"}"))
                .hasMessageEndingWith(": it does not know the token");
    }

    /** What the agent answers to strangers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "GET / HTTP/1.1              | 'GET / HTTP/1.1?' is no message of this protocol",
                "{'type':'auth','proof':'0'} | expected 'hello', not 'auth'",
                "{'type':'start','id':1}     | expected 'hello', not 'start'",
                "{}                          | expected 'hello', not ''",
                "{'type':'hello'}            | 'hello' has no text 'loadgen'",
                "{'type':'hello','loadgen':'x','protocol':7,'nonce':'0'} | versions differ",
                "[[[[[[[[[[[[                | a message nested deeper than 8",
                "{'type':1e999999999}        | expected 'hello', not ''"
            })
    void strangersAreToldWhatIsWrong(String line, String message) throws Exception {
        assertThat(answerTo(line.replace('\'', '"') + "\r\n"))
                .contains("\"refused\"")
                .contains(message);
    }

    @Test
    void aNonceOfAnotherFormIsRefused() throws Exception {
        assertThat(answerTo("{\"type\":\"hello\",\"loadgen\":\"" + LoadgenVersion.here()
                        + "\",\"protocol\":1,\"nonce\":\"abc\"}\n"))
                .contains("a nonce is 64 hex digits");
    }

    @Test
    void aLineOverTheLimitIsRefusedBeforeItEnds() throws Exception {
        assertThat(answerTo("x".repeat(LineChannel.MAX_GREETING + 1))).contains("a line of more than 4096 bytes");
    }

    /** A byte now and then does not keep a connection: the whole greeting has one deadline. */
    @Test
    void aSlowGreetingIsEnded() throws Exception {
        try (Socket socket = agent.raw()) {
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> allOf(socket));
            OutputStream out = socket.getOutputStream();
            while (!answer.isDone()) {
                try {
                    out.write('{');
                    answer.get(100, TimeUnit.MILLISECONDS);
                } catch (IOException | java.util.concurrent.TimeoutException e) {
                    // go on until it is ended
                }
            }
            assertThat(answer.get()).contains("it did not answer in time");
        }
    }

    @Test
    void aSecondControllerIsToldWhoIsServed() throws Exception {
        try (AgentConnection first = agent.connect()) {
            assertThatThrownBy(agent::connect)
                    .hasMessageMatching("agent at 127.0.0.1:\\d+: it refused: this agent serves another controller,"
                            + " 127.0.0.1:\\d+");
            assertThat(first.lost()).isNull();
        }
        agent.connect().close();
    }

    /** Those who say nothing are few at one time, and keep nobody out for long. */
    @Test
    void silentConnectionsDoNotKeepTheAgentBusy() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 30; i++) {
                silent.add(agent.raw());
            }
            agent.awaitLog("refused: more than 8 greetings at one time");
            agent.awaitLog("refused: it did not answer in time");
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
        connectPatiently().close();
    }

    @Test
    void randomBytesGetNothingAndEndNothing() throws Exception {
        long seed = System.nanoTime();
        System.out.println("AgentGreetingTest seed " + seed);
        Random random = new Random(seed);
        try (AgentConnection served = agent.connect()) {
            for (int i = 0; i < STRANGERS; i++) {
                byte[] bytes = new byte[1 + random.nextInt(MAX_RANDOM_BYTES)];
                random.nextBytes(bytes);
                if (random.nextBoolean()) {
                    mangle(bytes, random);
                }
                String answer = answerTo(new String(bytes, StandardCharsets.ISO_8859_1));
                assertThat(answer).as("seed " + seed).doesNotContain("welcome");
            }
            assertThat(served.measureClock(1).uncertaintyNanos()).isPositive();
        }
    }

    /** Something that looks like a greeting, damaged in a few places. */
    private static void mangle(byte[] bytes, Random random) {
        byte[] hello = ("{\"type\":\"hello\",\"loadgen\":\"" + LoadgenVersion.here()
                        + "\",\"protocol\":1,\"nonce\":\"" + "0".repeat(64) + "\"}\n"
                        + "{\"type\":\"auth\",\"proof\":\"" + "0".repeat(64) + "\"}\n")
                .getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(hello, 0, bytes, 0, Math.min(hello.length, bytes.length));
        for (int i = random.nextInt(4); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
    }

    private AgentConnection connectPatiently() throws Exception {
        for (int i = 0; ; i++) {
            try {
                return agent.connect();
            } catch (IOException e) {
                if (i == 50) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }

    private void connectToOneThatSays(String line) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> impostor = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
                    allOf(socket);
                } catch (IOException e) {
                    // the controller left, as it should
                }
            });
            try {
                AgentConnection.open("127.0.0.1", server.getLocalPort(), agent.token())
                        .close();
            } finally {
                impostor.get(10, TimeUnit.SECONDS);
            }
        }
    }

    private String answerTo(String bytes) throws Exception {
        try (Socket socket = agent.raw()) {
            socket.setSoTimeout(10_000);
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> allOf(socket));
            try {
                socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
                socket.shutdownOutput();
            } catch (IOException e) {
                // it has heard enough already
            }
            return answer.get(10, TimeUnit.SECONDS);
        }
    }

    private static String allOf(Socket socket) {
        StringBuilder all = new StringBuilder();
        try {
            int one;
            while ((one = socket.getInputStream().read()) >= 0) {
                all.append((char) one);
            }
        } catch (IOException e) {
            // what came before the reset counts
        }
        return all.toString();
    }

    @Test
    void aProofCannotBeReplayed() throws Exception {
        String nonce = "1".repeat(64);
        JsonObject hello = Messages.of(Messages.HELLO);
        hello.put("loadgen", LoadgenVersion.here());
        hello.put("protocol", Messages.PROTOCOL);
        hello.put("nonce", nonce);
        JsonObject auth = Messages.of(Messages.AUTH);
        try (LineChannel first = new LineChannel(agent.raw())) {
            first.send(hello);
            JsonObject challenge = TestAgent.await(first, Messages.CHALLENGE);
            auth.put("proof", Proof.of(agent.token(), Proof.CONTROLLER, nonce, challenge.getString("nonce")));
            first.send(auth);
            TestAgent.await(first, Messages.WELCOME);
        }
        try (LineChannel second = new LineChannel(agent.raw())) {
            second.send(hello);
            TestAgent.await(second, Messages.CHALLENGE);
            second.send(auth);
            assertThat(TestAgent.await(second, Messages.REFUSED).getString("message"))
                    .isEqualTo("wrong token");
        }
    }
}
