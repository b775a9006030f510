package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Standing;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.tls.TlsHandler;
import java.util.concurrent.TimeUnit;

/**
 * The deadlines of one connection: to say who the client is, to complete HELLO, to be heard of, to go on with a begun frame,
 * and to leave once a TLS key is used up. The time comes as a parameter, a few times a second. Owned by the connection's thread.
 */
final class Deadlines {
    /** From GOAWAY to the end of a connection whose TLS key is used up. */
    static final int KEY_MILLIS = 500;

    private final ClientConfig clients;
    private final Standing standing;
    private final Heartbeat heartbeat;
    // Null: the connection is a plain one.
    private final TlsHandler tls;
    private final FrameProgress progress;
    private final long openedNanos;
    // The bytes of a TLS record in part, at the last look.
    private int begunBytes;
    private boolean keyUsedUp;
    private long keyUsedUpNanos;

    Deadlines(
            ClientConfig clients,
            LimitsConfig limits,
            Standing standing,
            Heartbeat heartbeat,
            TlsHandler tls,
            long nowNanos) {
        this.clients = clients;
        this.standing = standing;
        this.heartbeat = heartbeat;
        this.tls = tls;
        this.progress = new FrameProgress(limits, nowNanos);
        this.openedNanos = nowNanos;
    }

    /** Looks at the time; {@code greeted}: HELLO has come. Returns why the client may not stay, or null. */
    Refusal look(long nowNanos, boolean greeted, Progress input) {
        Refusal refused = refused(nowNanos);
        if (refused != null) {
            return refused;
        }
        int recordBytes = tls == null ? 0 : tls.begunBytes();
        if (recordBytes > begunBytes || greeted && !input.listening()) {
            heartbeat.heard();
        }
        begunBytes = recordBytes;
        Refusal overdue = greeted ? heartbeat.tick(nowNanos) : heartbeat.handshake(nowNanos, input.unfinishedControl());
        if (overdue != null) {
            return overdue;
        }
        boolean underWay = input.listening() && !input.unfinished().isEmpty();
        String slow = progress.look(
                nowNanos, underWay, input.holdsUpOthers(), input.framesRead(), input.bytesRead(), recordBytes);
        if (slow != null) {
            return new Refusal(CloseReason.FRAME_TIMEOUT, slow + ": " + input.unfinished());
        }
        boolean keyOver = keyUsedUp && nowNanos - keyUsedUpNanos > TimeUnit.MILLISECONDS.toNanos(KEY_MILLIS);
        return keyOver ? new Refusal(CloseReason.TLS_KEY_USED_UP, "connect again, for a new key") : null;
    }

    /** The client has not said in time who it is, or what it may do was taken back. */
    private Refusal refused(long nowNanos) {
        standing.review();
        Refusal refusal = standing.refusal();
        long timeout = clients.handshakeTimeout().toNanos();
        boolean over = refusal != null && (refusal.reason() == CloseReason.REVOKED || nowNanos - openedNanos > timeout);
        return over ? refusal : null;
    }

    /** Whether the TLS key has been used up since the last look: the client is to be told. */
    boolean keyUsedUp(long nowNanos) {
        boolean first = !keyUsedUp && tls != null && tls.keyUsedUp();
        if (first) {
            keyUsedUp = true;
            keyUsedUpNanos = nowNanos;
        }
        return first;
    }
}
