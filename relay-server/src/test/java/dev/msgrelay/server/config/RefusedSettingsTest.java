package dev.msgrelay.server.config;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.tls.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is refused names the setting, the value and the limit; what lies on the limit is taken. A flag's refusals are in
 * the table of WrongFlagsTest.
 */
class RefusedSettingsTest {
    private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

    private record Case(String words, UnaryOperator<RelayConfig.Builder> change) {
        @Override
        public String toString() {
            return words;
        }
    }

    private static <T> Case of(String words, RelayOption<T> option, T value) {
        return new Case(words, b -> b.set(option, value));
    }

    static List<Case> refused() {
        return List.of(
                of("publish port -2 is not within", PUBLISH_PORT, -2),
                of("subscribe port 65536 is not within 0..65535", SUBSCRIBE_PORT, 65_536),
                new Case("both 9000", b -> b.set(PUBLISH_PORT, 9000).set(SUBSCRIBE_PORT, 9000)),
                new Case("both s.sock", b -> b.set(PUBLISH_SOCKET, Path.of("s.sock"))
                        .set(SUBSCRIBE_SOCKET, Path.of("s.sock"))),
                new Case("TLS subscribe port 7401 is a port without TLS, too", b -> b.set(
                                TLS_FILES, new TlsFiles(Path.of("c"), Path.of("k"), null, false))
                        .set(TLS_SUBSCRIBE_PORT, 7401)),
                of("publish socket is empty", PUBLISH_SOCKET, Path.of("")),
                of("108 bytes is over the system's limit of 107", SUBSCRIBE_SOCKET, Path.of("x".repeat(108))),
                of("mtu 65537 is not within 576..65536", MTU, 65_537),
                of("ring size 32768 is not within", RING_SIZE, 32 << 10),
                of("ring size 3000000 is not a power of two", RING_SIZE, 3_000_000),
                of("max body 1048576", RING_SIZE, 1 << 20),
                of("max body 67108865 is not within 1..67108864", MAX_BODY, (64 << 20) + 1),
                of("(max body 1048576)", LOG_SIZE, 1 << 20),
                of("state 1048576 is not within 1223390..1073741824 (max body 1048576)", STATE, 1 << 20),
                of("state -1 is not within", STATE, -1),
                of("need --state", STATE_TYPES, TypeRanges.of(1, 9)),
                new Case(
                        "ring size 4194304 is too small: it must hold twice the longest run of 3000008 bytes"
                                + " (max body 3000000); without a ring size it does",
                        b -> b.set(MAX_BODY, 3_000_000).set(RING_SIZE, 4 << 20)),
                new Case(
                        "log size 8388608 is not within 13048608..1073741824 (max body 3000000)",
                        b -> b.set(MAX_BODY, 3_000_000).set(LOG_SIZE, 8 << 20)),
                of("is not a multiple of " + StreamConfig.CHUNK_BYTES, LOG_SIZE, (32 << 20) + 1),
                of("event loops 65 is not within 1..64", EVENT_LOOPS, 65),
                of("reader loops -1 is not within 0..63", READER_LOOPS, -1),
                of("heartbeat 3600001 ms is not", HEARTBEAT, Duration.ofMillis(3_600_001)),
                of("idle timeout 4999 ms is not within 5000..", IDLE_TIMEOUT, Duration.ofMillis(4999)),
                of("idle timeout 86400001 ms", IDLE_TIMEOUT, Duration.ofMillis(86_400_001)),
                of("handshake timeout 86400001 ms", HANDSHAKE_TIMEOUT, Duration.ofMillis(86_400_001)),
                of("pin size 2097159 is not within 2097160..1073741824 (max body 1048576)", PIN_SIZE, 2_097_159),
                of("pin size 1073741825 is not", PIN_SIZE, (1 << 30) + 1),
                of(
                        "assembly size 2097167 is not within 2097168..1073741824 (max body 1048576)",
                        ASSEMBLY_SIZE,
                        2_097_167),
                of("assembly size -1 is not within", ASSEMBLY_SIZE, -1),
                of("filter size 65535 is not within 65536..1073741824", FILTER_SIZE, 65_535),
                of("control size 65535 is not within 65536..1073741824", CONTROL_SIZE, 65_535),
                of(
                        "control size per connection 32767 is not within 32768..1073741824",
                        CONTROL_SIZE_PER_CONNECTION,
                        32_767),
                of("control size 33554432 is not within 33554433..", CONTROL_SIZE_PER_CONNECTION, (32 << 20) + 1),
                of("frame timeout 86400001 ms", FRAME_TIMEOUT, Duration.ofMillis(86_400_001)),
                of("max per address 1000001 is not", MAX_PER_ADDRESS, 1_000_001),
                of("handshakes per address 1000001 is not", HANDSHAKES_PER_ADDRESS, 1_000_001),
                of("replays per address 0 is not within 1..1000000", REPLAYS_PER_ADDRESS, 0),
                of("max heartbeat 3600001 ms", MAX_HEARTBEAT, Duration.ofMillis(3_600_001)),
                of("publisher silence -1 ms is not within 0..", PUBLISHER_SILENCE, Duration.ofMillis(-1)),
                of("name hold -1 ms is not within 0..", NAME_HOLD, Duration.ofMillis(-1)),
                of("name hold 86400001 ms", NAME_HOLD, Duration.ofMillis(86_400_001)),
                of("stall timeout 0 ms is not within 1..3153600000000 ms", STALL_TIMEOUT, Duration.ZERO),
                of("stall timeout 9223372036854775807 ms is not within", STALL_TIMEOUT, FOR_EVER),
                of("drain timeout -1000 ms is not within 0..", DRAIN_TIMEOUT, Duration.ofSeconds(-1)),
                of(
                        "drain timeout 3153600000001 ms is not",
                        DRAIN_TIMEOUT,
                        Duration.ofDays(36_500).plusMillis(1)),
                of("journal force 9223372036854775807 ms is not within", JOURNAL_FORCE, FOR_EVER),
                of("journal keep 9223372036854775807 ms is not within", JOURNAL_KEEP_TIME, FOR_EVER));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefused(Case wrong) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> wrong.change().apply(RelayConfig.builder()).build())
                .withMessageContaining(wrong.words());
    }

    @Test
    void noValueIsTheDefault() {
        assertThat(RelayConfig.builder().set(MTU, 576).set(MTU, null).build())
                .isEqualTo(RelayConfig.builder().build());
    }

    @Test
    void whatLiesOnTheLimitIsTaken() {
        RelayConfig config = RelayConfig.builder(65_535, 0)
                .set(PUBLISH_SOCKET, Path.of("x".repeat(107)))
                .set(MTU, 576)
                .set(MAX_BODY, 1)
                .set(EVENT_LOOPS, 64)
                .set(READER_LOOPS, 63)
                .set(STALL_TIMEOUT, Duration.ofMillis(1))
                .set(DRAIN_TIMEOUT, Duration.ZERO)
                .build();
        assertThat(config.stream().packetBytes()).isEqualTo(536);
        assertThat(RelayConfig.builder().set(MTU, 65_536).build().stream().packetBytes())
                .isEqualTo(65_496);
        assertThat(RelayConfig.builder(0, 0).build().listen().publishPort()).isZero();
    }

    @Test
    void aLongerBodyAloneMakesRoom() {
        IntStream powers = IntStream.rangeClosed(0, 26).map(shift -> 1 << shift);
        IntStream others = IntStream.of((1 << 20) + 1, 2_097_143, 2_097_144, 3_000_000, FrameLayout.MAX_MAX_BODY);
        for (int body : IntStream.concat(powers, others).toArray()) {
            RelayConfig config = RelayConfig.builder().set(MAX_BODY, body).build();
            assertThat(RelayConfig.builder()
                            .set(MAX_BODY, body)
                            .set(JOURNAL, Path.of("j"))
                            .build()
                            .limits())
                    .isEqualTo(config.limits());
            StreamConfig stream = config.stream();
            assertThat(stream.maxBody()).isEqualTo(body);
            // Twice the longest frame in the ring, four times in the log.
            long frame = FrameLayout.frameLength(body);
            assertThat((long) stream.ringBytes())
                    .isGreaterThanOrEqualTo(Math.max(StreamConfig.DEFAULT_RING_BYTES, 2 * frame));
            assertThat((long) stream.logBytes())
                    .isGreaterThanOrEqualTo(Math.max(StreamConfig.DEFAULT_LOG_BYTES, 4 * frame));
            LimitsConfig limits = config.limits();
            assertThat((long) limits.pinBytes()).isGreaterThanOrEqualTo(Math.max(16 << 20, (1 << 20) + frame));
            assertThat((long) limits.assemblyBytes()).isGreaterThanOrEqualTo(Math.max(32 << 20, 2 * frame));
            assertThat((long) limits.replayBytes()).isGreaterThanOrEqualTo(Math.max(32 << 20, frame));
        }
    }

    @Test
    void aGivenSizeThatIsTooSmallForALongerBodyIsNamed() {
        Pattern refusal =
                Pattern.compile("(pin|assembly|replay) size (\\d+) is not within (\\d+)\\.\\..*max body (\\d+).*");
        for (int body : new int[] {16 << 20, FrameLayout.MAX_MAX_BODY}) {
            RelayConfig.Builder settings = RelayConfig.builder()
                    .set(MAX_BODY, body)
                    .set(JOURNAL, Path.of("j"))
                    .set(PIN_SIZE, 1 << 20)
                    .set(ASSEMBLY_SIZE, 1 << 20)
                    .set(REPLAY_SIZE, 1 << 20);
            for (String name : List.of("pin", "replay", "assembly")) {
                Matcher said = refusal.matcher(catchThrowable(settings::build).getMessage());
                assertThat(said.matches()).isTrue();
                assertThat(said.group(1)).isEqualTo(name);
                assertThat(said.group(4)).isEqualTo(Integer.toString(body));
                int least = Integer.parseInt(said.group(3));
                switch (name) {
                    case "pin" -> settings.set(PIN_SIZE, least);
                    case "assembly" -> settings.set(ASSEMBLY_SIZE, least);
                    default -> settings.set(REPLAY_SIZE, least);
                }
            }
            assertThat(settings.build().stream().maxBody()).isEqualTo(body);
        }
    }

    @Test
    void aBodyOfTheDefaultLengthNeedsNoMoreThanTheDefaults() {
        assertThat(RelayConfig.builder().build().stream())
                .isEqualTo(new StreamConfig(
                        1500, StreamConfig.DEFAULT_RING_BYTES, StreamConfig.DEFAULT_LOG_BYTES, 1 << 20));
    }

    @Test
    void limitsOfClientsThatAreTaken() {
        ClientConfig least = RelayConfig.builder()
                .set(HEARTBEAT, Duration.ofMillis(100))
                .set(IDLE_TIMEOUT, Duration.ofMillis(100))
                .set(HANDSHAKE_TIMEOUT, Duration.ofMillis(1))
                .set(MAX_CONNECTIONS, 1)
                .set(MAX_PUBLISHERS, 1)
                .set(ALLOW_POLICIES, Set.of())
                .set(SLOW_SUBSCRIBER, Policy.BACKPRESSURE)
                .build()
                .clients();
        assertThat(least.idleTimeout()).isEqualTo(least.heartbeat());
        assertThat(least.allowedPolicies()).containsExactly(Policy.BACKPRESSURE);
        assertThat(ALLOW_POLICIES.usual().orElseThrow())
                .as("in the order that the help shows")
                .containsExactly(Policy.DISCONNECT, Policy.SKIP, Policy.REPLAY, Policy.LATEST);
        ClientConfig most = RelayConfig.builder()
                .set(HEARTBEAT, Duration.ofHours(1))
                .set(IDLE_TIMEOUT, Duration.ofHours(24))
                .set(HANDSHAKE_TIMEOUT, Duration.ofHours(24))
                .set(MAX_CONNECTIONS, 1_000_000)
                .set(MAX_PUBLISHERS, 1_000_000)
                .build()
                .clients();
        assertThat(most.maxPublishers()).isEqualTo(1_000_000);
    }

    @Test
    void costsOfClientsThatAreTaken() {
        LimitsConfig least = RelayConfig.builder()
                .set(MAX_BODY, 1000)
                .set(PIN_SIZE, (1 << 20) + 1008)
                .set(ASSEMBLY_SIZE, 2 * 1008)
                .set(FILTER_SIZE, 64 << 10)
                .set(CONTROL_SIZE, 32 << 10)
                .set(CONTROL_SIZE_PER_CONNECTION, 32 << 10)
                .set(FRAME_TIMEOUT, Duration.ofMillis(1))
                .set(MIN_RATE, 1)
                .set(MAX_PER_ADDRESS, 1)
                .set(HANDSHAKES_PER_ADDRESS, 1)
                .set(REPLAYS_PER_ADDRESS, 1)
                .set(MAX_HEARTBEAT, Duration.ofMillis(100))
                .set(PUBLISHER_SILENCE, Duration.ZERO)
                .set(NAME_HOLD, Duration.ZERO)
                .build()
                .limits();
        assertThat(least)
                .isEqualTo(new LimitsConfig(
                        (1 << 20) + 1008,
                        2 * 1008,
                        64 << 10,
                        32 << 20,
                        32 << 10,
                        32 << 10,
                        Duration.ofMillis(1),
                        1,
                        1,
                        1,
                        1,
                        Duration.ofMillis(100),
                        Duration.ZERO,
                        Duration.ZERO));
    }

    @Test
    void theDefaultsFitTogether() {
        RelayConfig config = RelayConfig.builder().build();
        assertThat(config.listen().host()).isEqualTo("127.0.0.1");
        assertThat(config.listen().publishPort()).isEqualTo(7401);
        assertThat(config.listen().subscribePort()).isEqualTo(7400);
        assertThat(config.stream().packetBytes()).isEqualTo(1460);
        assertThat(config.stream().maxRun()).isGreaterThanOrEqualTo((1 << 20) + 8);
        // The writer is held back before it would overwrite what a subscriber still needs.
        assertThat(config.stream().windowBytes() + config.stream().maxRun())
                .isLessThan(config.stream().logBytes());
    }

    // ---- what all nodes of a cluster have to do alike is no setting of one of them ------------------------------

    private static RelayConfig.Builder node() {
        return RelayConfig.builder().cluster(Path.of("cluster.conf"), 1);
    }

    @Test
    void aClusterHoldsNamesForAsLongAsItsLogSays() {
        assertThat(RelayConfig.builder().build().limits().nameHold()).isEqualTo(LimitsConfig.DEFAULT_NAME_HOLD);
        assertThat(node().build().limits().nameHold()).isEqualTo(ClusterConfig.NAME_HOLD);
        assertThat(node().set(NAME_HOLD, ClusterConfig.NAME_HOLD)
                        .build()
                        .limits()
                        .nameHold())
                .isEqualTo(ClusterConfig.NAME_HOLD);
    }

    @Test
    void anotherTimeForNamesIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node().set(NAME_HOLD, Duration.ofSeconds(10)).build())
                .withMessage(
                        "name hold 10000 ms does not go with cluster: all nodes hold a name for 30000 ms, so leave it"
                                + " out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node().set(NAME_HOLD, Duration.ofMinutes(5)).build())
                .withMessageContaining("name hold 300000 ms does not go with cluster");
    }
}
