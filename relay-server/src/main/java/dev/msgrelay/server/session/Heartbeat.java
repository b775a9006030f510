package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The clock of one client: how long a handshake may take, when to send PING, and when it has been silent for too long. The
 * time comes in a few times a second, so that input need not ask for it: it only leaves a mark. Owned by the connection's
 * thread.
 */
final class Heartbeat {
    /** A client that wants rarer PINGs is given up no sooner than after so many of them. */
    private static final int IDLE_HEARTBEATS = 3;

    private final ClientConfig clients;
    private final LimitsConfig limits;
    private long intervalNanos;
    private long idleNanos;
    private boolean begun;
    private long begunNanos;
    private boolean started;
    private boolean heard;
    private long heardNanos;
    private long pingedNanos;
    private boolean pingDue;
    private long pings;

    Heartbeat(ClientConfig clients, LimitsConfig limits) {
        this.clients = clients;
        this.limits = limits;
        this.intervalNanos = clients.heartbeat().toNanos();
        this.idleNanos = clients.idleTimeout().toNanos();
    }

    /** The client wants another interval; 0: the relay's. It gets that one, or the longest there is. */
    void wanted(int millis) {
        if (millis > 0) {
            long most = Math.max(
                    limits.maxHeartbeat().toNanos(), clients.heartbeat().toNanos());
            intervalNanos = Math.min(TimeUnit.MILLISECONDS.toNanos(millis), most);
            idleNanos = Math.max(idleNanos, IDLE_HEARTBEATS * intervalNanos);
        }
    }

    int intervalMillis() {
        return (int) TimeUnit.NANOSECONDS.toMillis(intervalNanos);
    }

    int idleMillis() {
        return (int) TimeUnit.NANOSECONDS.toMillis(idleNanos);
    }

    void heard() {
        heard = true;
    }

    boolean pingDue() {
        return pingDue;
    }

    long ping(long nowNanos) {
        pingDue = false;
        pingedNanos = nowNanos;
        return ++pings;
    }

    /** Looks at the time, of a client that has said HELLO; returns why it may not stay, or null. */
    Refusal tick(long nowNanos) {
        if (!started) {
            started = true;
            pingedNanos = nowNanos;
            heardNanos = nowNanos;
        }
        if (heard) {
            heard = false;
            heardNanos = nowNanos;
        }
        if (nowNanos - pingedNanos >= intervalNanos) {
            pingDue = true;
        }
        return nowNanos - heardNanos > idleNanos
                ? new Refusal(CloseReason.IDLE_TIMEOUT, "nothing heard for " + idleMillis() + " ms")
                : null;
    }

    /** The client has been welcomed: its first interval begins with the next look, whatever was found due before. */
    void restart() {
        started = false;
        pingDue = false;
    }

    /** Looks at the time, as {@link #tick}, before HELLO; {@code unfinished}: a control frame is there in part. */
    Refusal handshake(long nowNanos, boolean unfinished) {
        if (!unfinished) {
            begun = false;
            return null;
        }
        if (!begun) {
            begun = true;
            begunNanos = nowNanos;
        }
        Duration most = clients.handshakeTimeout();
        return nowNanos - begunNanos > most.toNanos()
                ? new Refusal(
                        CloseReason.HANDSHAKE_TIMEOUT,
                        "the first frame was begun and not complete within " + most.toMillis() + " ms")
                : null;
    }
}
