package dev.msgrelay.server.session;

import java.util.concurrent.TimeUnit;

/**
 * When a publisher is asked for a sign of life, and when it has been silent for too long. The time comes in a few times a
 * second, so that input need not ask for it: it only leaves a mark. Owned by its session's thread.
 */
final class PublisherClock {
    private final long handshakeNanos;

    private long heartbeatNanos;
    private long idleNanos;
    private boolean heard;
    // Whether each of them is being counted, and since when: from the first look on.
    private boolean pingCounted;
    private long pingNanos;
    private boolean silenceCounted;
    private long silentSinceNanos;
    private boolean helloCounted;
    private long helloSinceNanos;

    PublisherClock(long handshakeNanos) {
        this.handshakeNanos = handshakeNanos;
    }

    /** HELLO was said: heartbeats from now on. */
    void start(int heartbeatMillis, int idleMillis) {
        heartbeatNanos = TimeUnit.MILLISECONDS.toNanos(heartbeatMillis);
        idleNanos = TimeUnit.MILLISECONDS.toNanos(idleMillis);
    }

    /** Something has come. */
    void heard() {
        heard = true;
    }

    /** Whether the heartbeat interval has passed since the last time that this was so. */
    boolean pingDue(long nowNanos) {
        if (!pingCounted) {
            pingCounted = true;
            pingNanos = nowNanos;
        } else if (nowNanos - pingNanos >= heartbeatNanos) {
            pingNanos = nowNanos;
            return true;
        }
        return false;
    }

    /**
     * Whether nothing has come for the idle timeout.
     *
     * @param reading whether the relay reads: what it does not read it cannot hear
     */
    boolean silentTooLong(long nowNanos, boolean reading) {
        if (heard || !reading || !silenceCounted) {
            heard = false;
            silenceCounted = true;
            silentSinceNanos = nowNanos;
        }
        return nowNanos - silentSinceNanos >= idleNanos;
    }

    /**
     * Whether a HELLO has been begun and not complete for the handshake timeout.
     *
     * @param begun whether a part of one is there
     */
    boolean helloTooLong(long nowNanos, boolean begun) {
        if (!begun || !helloCounted) {
            helloCounted = begun;
            helloSinceNanos = nowNanos;
        }
        return begun && nowNanos - helloSinceNanos >= handshakeNanos;
    }
}
