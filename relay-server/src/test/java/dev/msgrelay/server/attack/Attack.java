package dev.msgrelay.server.attack;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.net.Transport;
import java.io.IOException;
import java.util.function.UnaryOperator;

/**
 * A relay that is attacked, started as users start it, on TCP and Unix sockets, with room for many connections; those
 * that attack; a pair beside them; and a watch on the memory.
 */
final class Attack implements AutoCloseable {
    /** The log that goes round quickest, with the longest body that it allows. */
    static final int SMALL_LOG = 4 << 20;

    private static final int SMALL_MAX_BODY = (256 << 10) - 8;

    final MemoryWatch memory = new MemoryWatch();
    final TestRelay relay;
    final HealthyPair pair;
    final Crowd crowd = new Crowd();

    /** On a relay whose limits of numbers stand in nobody's way; {@code more} sets what the attack is about. */
    Attack(UnaryOperator<RelayConfig.Builder> more) throws IOException {
        this(0, more);
    }

    /** Likewise, with so many loops that read publishers, through the ring; where there are any, another one sends. */
    Attack(int readers, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        relay = start(readers, more);
        pair = pair(relay);
    }

    static TestRelay start(int readers, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return TestRelay.start(
                new Setting(Transport.AUTO, true, readers == 0 ? RelayConfig.AUTO_EVENT_LOOPS : 2),
                b -> more.apply(b.set(READER_LOOPS, readers)
                        .set(MAX_CONNECTIONS, 10_000)
                        .set(MAX_PUBLISHERS, 5_000)
                        .set(HANDSHAKES_PER_ADDRESS, 1_000_000)
                        .set(REPLAYS_PER_ADDRESS, 1_000_000)));
    }

    static RelayConfig.Builder small(RelayConfig.Builder builder) {
        return builder.set(RING_SIZE, TestRelay.SMALL_RING)
                .set(LOG_SIZE, SMALL_LOG)
                .set(MAX_BODY, SMALL_MAX_BODY);
    }

    /** A pair over TCP, where those that attack come over Unix sockets: they share the relay, and nothing else. */
    static HealthyPair pair(TestRelay relay) throws IOException {
        return new HealthyPair(relay.relay().publishAddress(), relay.relay().subscribeAddress());
    }

    long closes() {
        return relay.stats().closes().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** The attack has come as far as it will: the pair goes on, and the relay made no fault. */
    void end(String what) {
        pair.end(what);
        assertThat(relay.closed(CloseReason.INTERNAL_ERROR))
                .as("faults of the relay itself: %s", relay.stats())
                .isZero();
    }

    /** Likewise, with nothing else in this process: memory has kept to its budget, too. */
    void endWithinBudget(String what) {
        end(what);
        memory.assertWithinBudget(relay);
    }

    @Override
    public void close() throws IOException {
        crowd.close();
        pair.close();
        relay.close();
        memory.close();
    }
}
