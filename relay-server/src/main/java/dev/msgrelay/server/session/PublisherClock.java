package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.config.ClientConfig;

/**
 * A publisher's {@link Heartbeat}. The time comes in a few times a second, so that input need not ask for it: it only leaves
 * a mark. Owned by its session's thread.
 */
final class PublisherClock {
    private final ClientConfig limits;
    // Counts while a HELLO was begun and is not complete.
    private Heartbeat handshake;
    // Since HELLO.
    private Heartbeat heartbeat;
    private boolean started;
    private boolean heard;

    PublisherClock(ClientConfig limits) {
        this.limits = limits;
    }

    /** HELLO was said: heartbeats from now on, at this interval; 0: the relay's. */
    void hello(int wantedMillis) {
        heartbeat = new Heartbeat(limits, 0);
        heartbeat.wanted(wantedMillis);
    }

    int intervalMillis() {
        return heartbeat.intervalMillis();
    }

    int idleMillis() {
        return heartbeat.idleMillis();
    }

    /** Something has come. */
    void heard() {
        heard = true;
    }

    /**
     * After HELLO, a few times a second: looks at the time.
     *
     * @param reading whether the relay reads: what it does not read it cannot hear
     * @return whether nothing has come for too long
     */
    boolean silentTooLong(long nowNanos, boolean reading) {
        if (!started) {
            started = true;
            heartbeat.start(nowNanos);
        }
        if (heard || !reading) {
            heard = false;
            heartbeat.heard(nowNanos);
        }
        return heartbeat.tick(nowNanos);
    }

    /** Whether it is time for a PING. */
    boolean pingDue() {
        return heartbeat.pingDue();
    }

    /** A PING goes out; answers its id. */
    long ping(long nowNanos) {
        return heartbeat.ping(nowNanos);
    }

    /**
     * Before HELLO, a few times a second: whether one was begun and is not complete for too long.
     *
     * @param begun whether a part of one is there
     */
    boolean helloTooLong(long nowNanos, boolean begun) {
        if (!begun) {
            handshake = null;
            return false;
        }
        if (handshake == null) {
            handshake = new Heartbeat(limits, nowNanos);
        }
        return handshake.handshakeOver(nowNanos);
    }

    /** The limit that was passed. */
    String text(CloseReason reason) {
        return (heartbeat == null ? handshake : heartbeat).text(reason);
    }
}
