package dev.msgrelay.simulation;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * How long the relay has to bear with one client: what came of it, what its socket took, and when. A relay that gives
 * it up sooner has lost count of the time.
 */
final class Patience {
    /** As in docs/protocol.md: who wants rarer PINGs is given up after so many of them at the soonest. */
    private static final int IDLE_HEARTBEATS = 3;

    /** Where others wait for the memory of its frame, so many times the least rate is asked. */
    private static final int HURRY = 16;

    private record Read(long nanos, int bytes) {}

    private final RelayConfig config;
    private final Role role;
    private long beganNanos;
    private long heardNanos;
    private long firstNanos = -1;
    // When its socket has taken something.
    long tookNanos;
    private long bytes;
    private long helloBytes = Long.MAX_VALUE;
    private long idleNanos;
    // Of the last frame timeout.
    private final ArrayDeque<Read> reads = new ArrayDeque<>();

    Patience(RelayConfig config, Role role) {
        this.config = config;
        this.role = role;
    }

    void begins(long nowNanos) {
        beganNanos = nowNanos;
        heardNanos = nowNanos;
        tookNanos = nowNanos;
    }

    /** HELLO is the first thing that it says, and so long. */
    void hello(int length, int heartbeatMillis) {
        helloBytes = length;
        long most = Math.max(
                config.limits().maxHeartbeat().toMillis(),
                config.clients().heartbeat().toMillis());
        idleNanos = Math.max(
                config.clients().idleTimeout().toNanos(),
                IDLE_HEARTBEATS
                        * Duration.ofMillis(Math.min(heartbeatMillis, most)).toNanos());
    }

    void read(long nowNanos, int length) {
        if (firstNanos < 0) {
            firstNanos = nowNanos;
        }
        heardNanos = nowNanos;
        bytes += length;
        while (!reads.isEmpty() && nowNanos - reads.peekFirst().nanos() >= frameNanos()) {
            reads.removeFirst();
        }
        reads.addLast(new Read(nowNanos, length));
    }

    /** Whether the time for it has passed, where the reason is one of time. */
    boolean over(CloseReason reason, long nowNanos) {
        return switch (reason) {
            case IDLE_TIMEOUT -> idle(nowNanos);
            case FRAME_TIMEOUT -> nowNanos - beganNanos > frameNanos() && slow(nowNanos);
            case HANDSHAKE_TIMEOUT ->
                firstNanos >= 0
                        && nowNanos - firstNanos
                                > config.clients().handshakeTimeout().toNanos();
            case STALLED_SUBSCRIBER ->
                nowNanos - tookNanos > config.stallTimeout().toNanos();
            default -> true;
        };
    }

    private boolean idle(long nowNanos) {
        if (bytes >= helloBytes) {
            return nowNanos - heardNanos > idleNanos;
        }
        long silence = config.limits().publisherSilence().toNanos();
        return role == Role.PUBLISHER && silence > 0 && nowNanos - heardNanos > silence;
    }

    private long frameNanos() {
        return config.limits().frameTimeout().toNanos();
    }

    /** Whether too few bytes have come within the time of a frame. */
    private boolean slow(long nowNanos) {
        long least = HURRY
                * config.limits().minRate()
                * config.limits().frameTimeout().toMillis()
                / 1000;
        return reads.stream()
                        .filter(r -> r.nanos() > nowNanos - frameNanos())
                        .mapToLong(Read::bytes)
                        .sum()
                < least;
    }
}
