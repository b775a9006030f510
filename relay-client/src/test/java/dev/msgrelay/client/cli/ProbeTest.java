package dev.msgrelay.client.cli;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.client.Frames;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.RelayServer;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How {@code relay-client ping} asks a port whose role it does not know for certain. */
class ProbeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPortIsAskedInTheLikelyRoleFirst() throws Exception {
        try (RelayServer relay = RelayServer.start(
                RelayConfig.builder(0, 0).set(LOG_SIZE, 8 << 20).build())) {
            Endpoint publish = Endpoint.of(relay.publishAddress());
            Endpoint subscribe = Endpoint.of(relay.subscribeAddress());
            assertRole(publish, Role.PUBLISHER, Role.PUBLISHER);
            assertRole(subscribe, Role.SUBSCRIBER, Role.SUBSCRIBER);
            assertThat(wrongRoles(relay)).isZero();
            assertRole(publish, Role.SUBSCRIBER, Role.PUBLISHER);
            assertRole(subscribe, Role.PUBLISHER, Role.SUBSCRIBER);
            while (wrongRoles(relay) < 2) {
                Thread.onSpinWait();
            }
        }
    }

    private static long wrongRoles(RelayServer relay) {
        return relay.stats().closes().getOrDefault(CloseReason.WRONG_ROLE, 0L);
    }

    private static void assertRole(Endpoint endpoint, Role likely, Role role) throws Exception {
        Probe probe = Probe.of(endpoint, likely, Token.NONE, Optional.empty(), PATIENCE, 1);
        assertThat(probe).isInstanceOf(Probe.Answered.class);
        assertThat(probe.role()).isSameAs(role);
    }

    /** Beyond 2 to the power of 53 a number of JSON is another one in most programs. */
    @ParameterizedTest
    @ValueSource(longs = {9_007_199_254_740_993L, Long.MIN_VALUE, Long.MAX_VALUE, -1})
    void theEpochInJsonIsAText(long epoch) throws Exception {
        ScriptedRelay.Script wrongRole = client -> {
            client.hello();
            client.send(ErrorFrame.encode(CloseReason.WRONG_ROLE, "this is the port of publishers"));
        };
        ScriptedRelay.Script publisher = client -> {
            client.hello();
            client.send(Frames.welcome(epoch, 0, 1, 0, Frames.LONG_IDLE));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(wrongRole, publisher)) {
            CommandRun run = CommandRun.of("info", "--json", relay.endpoint().toString());
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains(",\"epoch\":\"" + epoch + "\",\"head\":0,");
        }
    }

    @ParameterizedTest
    @CsvSource({"7400, SUBSCRIBER", "7401, PUBLISHER", "7410, SUBSCRIBER", "7411, PUBLISHER", "9000, SUBSCRIBER"})
    void thePortsNumberTellsTheUsualRole(int port, Role role) {
        assertThat(InfoCommand.usualRole(Endpoint.tcp("127.0.0.1", port))).isSameAs(role);
        assertThat(InfoCommand.usualRole(Endpoint.unix(Path.of("/x")))).isSameAs(Role.SUBSCRIBER);
    }
}
