package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import java.io.IOException;
import java.util.function.UnaryOperator;

/** Relays as they are attacked: as users start them, on TCP and Unix sockets, with room for many connections. */
final class AttackRelay {
    /** The log that goes round quickest, with the longest body that it allows. */
    static final int SMALL_LOG = 4 << 20;

    static final int SMALL_MAX_BODY = (256 << 10) - 8;

    private AttackRelay() {}

    /** A relay whose limits of numbers stand in nobody's way; {@code more} sets what the attack is about. */
    static TestRelay start(UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return start(0, more);
    }

    /** Likewise, with so many loops that read publishers, through the ring; where there are any, another one sends. */
    static TestRelay start(int readers, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return TestRelay.start(
                new Setting(Transport.AUTO, true, readers == 0 ? RelayConfig.AUTO_EVENT_LOOPS : 2),
                b -> more.apply(b.readerLoops(readers)
                        .maxConnections(10_000)
                        .maxPublishers(5_000)
                        .handshakesPerSecond(1_000_000)
                        .replaysPerSecond(1_000_000)));
    }

    /** Such a relay with a small log. */
    static TestRelay startSmall(UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return startSmall(0, more);
    }

    /** Likewise, with so many loops that read publishers. */
    static TestRelay startSmall(int readers, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return start(
                readers,
                b -> more.apply(
                        b.ringSize(TestRelay.SMALL_RING).logSize(SMALL_LOG).maxBody(SMALL_MAX_BODY)));
    }

    /** A pair over TCP, where those that attack come over Unix sockets: they share the relay, and nothing else. */
    static HealthyPair pair(TestRelay relay) throws IOException {
        return new HealthyPair(relay.relay().publishAddress(), relay.relay().subscribeAddress());
    }

    /** Connections that have ended, for whatever reason. */
    static long closes(TestRelay relay) {
        return relay.stats().closes().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Whatever happened, the relay has made no fault. */
    static void assertNoFault(TestRelay relay) {
        assertThat(relay.closed(CloseReason.INTERNAL_ERROR))
                .as("faults of the relay itself: %s", relay.stats())
                .isZero();
    }
}
