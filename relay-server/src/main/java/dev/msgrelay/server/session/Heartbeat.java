package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.ClientConfig;
import java.util.concurrent.TimeUnit;

/** The clock of one client: when to send PING, and when it has been silent for too long. Owned by the session's thread. */
final class Heartbeat {
    /** A client that wants rarer PINGs is given up no sooner than after so many of them. */
    private static final int IDLE_HEARTBEATS = 3;

    private final ClientConfig limits;
    private long intervalNanos;
    private long idleNanos;
    private final long begunNanos;
    private long heardNanos;
    private long pingedNanos;
    private boolean pingDue;
    private long pings;

    /** @param nowNanos when the first byte of a control frame came */
    Heartbeat(ClientConfig limits, long nowNanos) {
        this.limits = limits;
        this.intervalNanos = limits.heartbeat().toNanos();
        this.idleNanos = limits.idleTimeout().toNanos();
        this.begunNanos = nowNanos;
        this.heardNanos = nowNanos;
    }

    /** The client wants another interval; 0: the relay's. */
    void wanted(int millis) {
        if (millis > 0) {
            intervalNanos = TimeUnit.MILLISECONDS.toNanos(millis);
            idleNanos = Math.max(idleNanos, IDLE_HEARTBEATS * intervalNanos);
        }
    }

    int intervalMillis() {
        return (int) TimeUnit.NANOSECONDS.toMillis(intervalNanos);
    }

    int idleMillis() {
        return (int) TimeUnit.NANOSECONDS.toMillis(idleNanos);
    }

    /** The client has been welcomed. */
    void start(long nowNanos) {
        pingedNanos = nowNanos;
        heardNanos = nowNanos;
    }

    /** The client has shown life. */
    void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    boolean pingDue() {
        return pingDue;
    }

    /** A PING goes out; answers its id. */
    long ping(long nowNanos) {
        pingDue = false;
        pingedNanos = nowNanos;
        return ++pings;
    }

    /** Looks at the time; answers whether the client has been silent for too long. */
    boolean tick(long nowNanos) {
        if (nowNanos - pingedNanos >= intervalNanos) {
            pingDue = true;
        }
        return nowNanos - heardNanos > idleNanos;
    }

    /** Whether a client that has begun a control frame has had the time to be welcomed. */
    boolean handshakeOver(long nowNanos) {
        return nowNanos - begunNanos > limits.handshakeTimeout().toNanos();
    }

    /** The limit that was passed. */
    String text(CloseReason reason) {
        return reason == CloseReason.IDLE_TIMEOUT
                ? "nothing heard for " + idleMillis() + " ms"
                : "a control frame was begun and not complete within "
                        + limits.handshakeTimeout().toMillis() + " ms";
    }
}
