package dev.msgrelay.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
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

    static List<Case> refused() {
        return List.of(
                new Case("publish port -2 is not within", b -> b.publishPort(-2)),
                new Case("subscribe port 65536 is not within 0..65535", b -> b.subscribePort(65_536)),
                new Case("both 9000", b -> b.publishPort(9000).subscribePort(9000)),
                new Case("both s.sock", b -> b.publishSocket(Path.of("s.sock")).subscribeSocket(Path.of("s.sock"))),
                new Case("TLS subscribe port 7401 is a port without TLS, too", b -> b.tls(
                                new TlsFiles(Path.of("c"), Path.of("k"), null, false))
                        .tlsSubscribePort(7401)),
                new Case("publish socket is empty", b -> b.publishSocket(Path.of(""))),
                new Case(
                        "108 bytes is over the system's limit of 107",
                        b -> b.subscribeSocket(Path.of("x".repeat(108)))),
                new Case("mtu 65537 is not within 576..65536", b -> b.mtu(65_537)),
                new Case("ring size 32768 is not within", b -> b.ringSize(32 << 10)),
                new Case("ring size 3000000 is not a power of two", b -> b.ringSize(3_000_000)),
                new Case("max body 1048576", b -> b.ringSize(1 << 20)),
                new Case("max body 67108865 is not within 1..67108864", b -> b.maxBody((64 << 20) + 1)),
                new Case("(max body 1048576)", b -> b.logSize(1 << 20)),
                new Case(
                        "ring size 4194304 is too small: it must hold twice the longest run of 3000008 bytes"
                                + " (max body 3000000); without a ring size it does",
                        b -> b.maxBody(3_000_000).ringSize(4 << 20)),
                new Case(
                        "log size 8388608 is not within 13048608..1073741824 (max body 3000000)",
                        b -> b.maxBody(3_000_000).logSize(8 << 20)),
                new Case("is not a multiple of " + StreamConfig.CHUNK_BYTES, b -> b.logSize((32 << 20) + 1)),
                new Case("event loops 65 is not within 1..64", b -> b.eventLoops(65)),
                new Case("reader loops -1 is not within 0..63", b -> b.readerLoops(-1)),
                new Case("heartbeat 3600001 ms is not", b -> b.heartbeat(Duration.ofMillis(3_600_001))),
                new Case("idle timeout 4999 ms is not within 5000..", b -> b.idleTimeout(Duration.ofMillis(4999))),
                new Case("idle timeout 86400001 ms", b -> b.idleTimeout(Duration.ofMillis(86_400_001))),
                new Case("handshake timeout 86400001 ms", b -> b.handshakeTimeout(Duration.ofMillis(86_400_001))),
                new Case(
                        "pin size 2097159 is not within 2097160..1073741824 (max body 1048576)",
                        b -> b.pinBytes(2_097_159)),
                new Case("pin size 1073741825 is not", b -> b.pinBytes((1 << 30) + 1)),
                new Case(
                        "assembly size 2097167 is not within 2097168..1073741824 (max body 1048576)",
                        b -> b.assemblyBytes(2_097_167)),
                new Case("assembly size -1 is not within", b -> b.assemblyBytes(-1)),
                new Case("filter size 65535 is not within 65536..1073741824", b -> b.filterBytes(65_535)),
                new Case("control size 65535 is not within 65536..1073741824", b -> b.controlBytes(65_535)),
                new Case(
                        "control size per connection 32767 is not within 32768..1073741824",
                        b -> b.controlBytesPerConnection(32_767)),
                new Case(
                        "control size 33554432 is not within 33554433..",
                        b -> b.controlBytesPerConnection((32 << 20) + 1)),
                new Case("frame timeout 86400001 ms", b -> b.frameTimeout(Duration.ofMillis(86_400_001))),
                new Case("max per address 1000001 is not", b -> b.maxPerAddress(1_000_001)),
                new Case("handshakes per address 1000001 is not", b -> b.handshakesPerSecond(1_000_001)),
                new Case("replays per address 0 is not within 1..1000000", b -> b.replaysPerSecond(0)),
                new Case("max heartbeat 3600001 ms", b -> b.maxHeartbeat(Duration.ofMillis(3_600_001))),
                new Case("publisher silence -1 ms is not within 0..", b -> b.publisherSilence(Duration.ofMillis(-1))),
                new Case("name hold -1 ms is not within 0..", b -> b.nameHold(Duration.ofMillis(-1))),
                new Case("name hold 86400001 ms", b -> b.nameHold(Duration.ofMillis(86_400_001))),
                new Case("stall timeout 0 ms is not within 1..3153600000000 ms", b -> b.stallTimeout(Duration.ZERO)),
                new Case("stall timeout 9223372036854775807 ms is not within", b -> b.stallTimeout(FOR_EVER)),
                new Case("drain timeout -1000 ms is not within 0..", b -> b.drainTimeout(Duration.ofSeconds(-1))),
                new Case(
                        "drain timeout 3153600000001 ms is not",
                        b -> b.drainTimeout(Duration.ofDays(36_500).plusMillis(1))),
                new Case("drain timeout 9223372036854775807 ms is not", b -> b.drainTimeout(FOR_EVER)),
                new Case("heartbeat 9223372036854775807 ms is not within", b -> b.heartbeat(FOR_EVER)),
                new Case("idle timeout 9223372036854775807 ms is not within", b -> b.idleTimeout(FOR_EVER)),
                new Case("name hold 9223372036854775807 ms is not within", b -> b.nameHold(FOR_EVER)),
                new Case("journal force 9223372036854775807 ms is not within", b -> b.journalForce(FOR_EVER)),
                new Case("journal keep 9223372036854775807 ms is not within", b -> b.journalKeep(FOR_EVER)));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefused(Case wrong) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> wrong.change().apply(RelayConfig.builder()).build())
                .withMessageContaining(wrong.words());
    }

    @Test
    void nothingIsNoSetting() {
        assertThatNullPointerException()
                .isThrownBy(() -> RelayConfig.builder().transport(null).build())
                .withMessage("transport");
        assertThatNullPointerException()
                .isThrownBy(() -> RelayConfig.builder().host(null).build())
                .withMessage("host");
    }

    @Test
    void whatLiesOnTheLimitIsTaken() {
        RelayConfig config = RelayConfig.builder()
                .publishPort(65_535)
                .subscribePort(0)
                .publishSocket(Path.of("x".repeat(107)))
                .mtu(576)
                .maxBody(1)
                .eventLoops(64)
                .readerLoops(63)
                .stallTimeout(Duration.ofMillis(1))
                .drainTimeout(Duration.ZERO)
                .build();
        assertThat(config.stream().packetBytes()).isEqualTo(536);
        assertThat(RelayConfig.builder().mtu(65_536).build().stream().packetBytes())
                .isEqualTo(65_496);
        assertThat(RelayConfig.builder()
                        .publishPort(0)
                        .subscribePort(0)
                        .build()
                        .listen()
                        .publishPort())
                .isZero();
    }

    /** Ring, log and the memory for frames grow with the longest body by themselves, with a journal and without. */
    @Test
    void aLongerBodyAloneMakesRoom() {
        IntStream powers = IntStream.rangeClosed(0, 26).map(shift -> 1 << shift);
        IntStream others = IntStream.of((1 << 20) + 1, 2_097_143, 2_097_144, 3_000_000, FrameLayout.MAX_MAX_BODY);
        for (int body : IntStream.concat(powers, others).toArray()) {
            RelayConfig config = RelayConfig.builder().maxBody(body).build();
            assertThat(RelayConfig.builder()
                            .maxBody(body)
                            .journal(Path.of("j"))
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

    /** What is given is not raised: the refusal has its name, and the size that the longest body needs. */
    @Test
    void aGivenSizeThatIsTooSmallForALongerBodyIsNamed() {
        Pattern refusal =
                Pattern.compile("(pin|assembly|replay) size (\\d+) is not within (\\d+)\\.\\..*max body (\\d+).*");
        for (int body : new int[] {16 << 20, FrameLayout.MAX_MAX_BODY}) {
            RelayConfig.Builder settings = RelayConfig.builder()
                    .maxBody(body)
                    .journal(Path.of("j"))
                    .pinBytes(1 << 20)
                    .assemblyBytes(1 << 20)
                    .replayBytes(1 << 20);
            for (String name : List.of("pin", "replay", "assembly")) {
                Matcher said = refusal.matcher(catchThrowable(settings::build).getMessage());
                assertThat(said.matches()).isTrue();
                assertThat(said.group(1)).isEqualTo(name);
                assertThat(said.group(4)).isEqualTo(Integer.toString(body));
                int least = Integer.parseInt(said.group(3));
                switch (name) {
                    case "pin" -> settings.pinBytes(least);
                    case "assembly" -> settings.assemblyBytes(least);
                    default -> settings.replayBytes(least);
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
                .heartbeat(Duration.ofMillis(100))
                .idleTimeout(Duration.ofMillis(100))
                .handshakeTimeout(Duration.ofMillis(1))
                .maxConnections(1)
                .maxPublishers(1)
                .allowPolicies(Set.of())
                .slowSubscriber(Policy.BACKPRESSURE)
                .build()
                .clients();
        assertThat(least.idleTimeout()).isEqualTo(least.heartbeat());
        assertThat(least.allowedPolicies()).containsExactly(Policy.BACKPRESSURE);
        ClientConfig most = RelayConfig.builder()
                .heartbeat(Duration.ofHours(1))
                .idleTimeout(Duration.ofHours(24))
                .handshakeTimeout(Duration.ofHours(24))
                .maxConnections(1_000_000)
                .maxPublishers(1_000_000)
                .build()
                .clients();
        assertThat(most.maxPublishers()).isEqualTo(1_000_000);
    }

    @Test
    void costsOfClientsThatAreTaken() {
        LimitsConfig least = RelayConfig.builder()
                .maxBody(1000)
                .pinBytes((1 << 20) + 1008)
                .assemblyBytes(2 * 1008)
                .filterBytes(64 << 10)
                .controlBytes(32 << 10)
                .controlBytesPerConnection(32 << 10)
                .frameTimeout(Duration.ofMillis(1))
                .minRate(1)
                .maxPerAddress(1)
                .handshakesPerSecond(1)
                .replaysPerSecond(1)
                .maxHeartbeat(Duration.ofMillis(100))
                .publisherSilence(Duration.ZERO)
                .nameHold(Duration.ZERO)
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
        assertThat(node().nameHold(ClusterConfig.NAME_HOLD).build().limits().nameHold())
                .isEqualTo(ClusterConfig.NAME_HOLD);
    }

    @Test
    void anotherTimeForNamesIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node().nameHold(Duration.ofSeconds(10)).build())
                .withMessage(
                        "name hold 10000 ms does not go with cluster: all nodes hold a name for 30000 ms, so leave it"
                                + " out");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node().nameHold(Duration.ofMinutes(5)).build())
                .withMessageContaining("name hold 300000 ms does not go with cluster");
    }
}
