package dev.msgrelay.client.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code info --path} and {@code ping --idle}: with a relay, and with what behaves like a proxy in front of one. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PathProbeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ScriptedRelay.Script WRONG_ROLE = client -> {
        client.hello();
        client.send(ErrorFrame.encode(CloseReason.WRONG_ROLE, "this is the port of publishers"));
    };
    private static final ScriptedRelay.Script WELCOMES = client -> {
        client.hello();
        client.send(Frames.welcome(1));
        client.drain();
    };

    @Test
    void aRelayAnswersBehindTheEndAndAfterSilence() throws Exception {
        try (RelayServer relay = RelayServer.start(
                RelayConfig.builder(0, 0).set(LOG_SIZE, 8 << 20).build())) {
            String publish = Endpoint.of(relay.publishAddress()).toString();
            CommandRun run = CommandRun.of("info", "--path", "--json", publish);
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("\"halfClose\":\"passed on\"").doesNotContain("\"tls\"");
            String subscribe = Endpoint.of(relay.subscribeAddress()).toString();
            CommandRun silent = CommandRun.of("ping", "--idle=50ms", subscribe);
            assertThat(silent.exitCode()).as(silent.out() + silent.err()).isZero();
            assertThat(silent.out()).contains("idle for 50ms, then answered in ");
        }
    }

    @Test
    void anEndThatCutsTheAnswerOffIsFound() throws Exception {
        ScriptedRelay.Script cut = client -> {
            client.hello();
            client.send(Frames.welcome(1));
            client.expect(ControlFrames.PING);
        };
        assertPath("the answer is cut off", cut);
    }

    @Test
    void anEndThatIsNotPassedOnIsFound() throws Exception {
        ScriptedRelay.Script open = client -> {
            client.hello();
            client.send(Frames.welcome(1));
            client.expect(ControlFrames.PING);
            client.send(Frames.frame(ControlFrames.PONG, new byte[] {0, 0, 0, 0, 0, 0, 0, 1}));
            client.drain();
            new CountDownLatch(1).await();
        };
        assertPath("not passed on: the connection stays open", open);
    }

    /** The relay that has not heard of the end goes on with heartbeats, and then misses the client. */
    @Test
    void heartbeatsBehindTheAnswerAreNoEnd() throws Exception {
        ScriptedRelay.Script goesOn = client -> {
            client.hello();
            client.send(Frames.welcome(1));
            client.expect(ControlFrames.PING);
            client.send(Frames.frame(ControlFrames.PONG, new byte[] {0, 0, 0, 0, 0, 0, 0, 1}));
            client.send(Frames.ping(1, 1, 0));
        };
        assertPath("not passed on: the connection stays open", goesOn);
    }

    private static void assertPath(String halfClose, ScriptedRelay.Script second) throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(WRONG_ROLE, WELCOMES, second)) {
            String endpoint = relay.endpoint().toString();
            CommandRun run = CommandRun.of("info", "--path", "--json", "--connect-timeout=5s", endpoint);
            assertThat(run.out()).as(run.err()).contains("\"halfClose\":\"" + halfClose + "\"");
        }
    }

    @Test
    void whatCutsAnIdleConnectionIsTold() throws Exception {
        ScriptedRelay.Script ends = client -> {
            client.hello();
            client.send(Frames.welcome(1));
        };
        assertIdle("idle for \\d+s: the relay at ", Duration.ofMillis(1), ends);
    }

    @Test
    void heartbeatsAreNoSilence() throws Exception {
        assertIdle("which is no silence of 50m", Duration.ofMinutes(50), WELCOMES);
    }

    private static void assertIdle(String fault, Duration idle, ScriptedRelay.Script script) throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(script)) {
            assertThatThrownBy(
                            () -> IdleProbe.roundTrip(relay.endpoint(), Token.NONE, Optional.empty(), idle, PATIENCE))
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching(".*" + fault + ".*");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'\t cubic wscale:10,10 rto:204', cubic",
        "'\t ts sack bbr wscale:7,7 rto:201 rtt:0.1', bbr",
        "'\t reno rto:1000', reno",
        "'ESTAB 0 0 127.0.0.1:1 127.0.0.1:2', ''",
        "'', ''"
    })
    void theCongestionControlIsReadOfTheTable(String table, String name) {
        assertThat(PathProbe.congestion(table).orElse("")).isEqualTo(name);
    }
}
