package dev.msgrelay.server.connection;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.access.Rights;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.tls.TlsHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The time-outs of one connection: for the proof of an identity, a complete HELLO, a sign of life, the progress of an
 * unfinished frame, and the close after a TLS key is used up. Also decides when a PING is due. The caller passes the
 * time, a few times a second. Owned by the connection's thread.
 */
final class Timeouts {
    static final int KEY_MILLIS = 500;

    /** Factor on the least rate of a client that holds up others. By default, 1 MiB takes up to 64 s then. */
    static final int HURRY = 16;

    /** The idle timeout of a client that asks for rarer PINGs is this number of its intervals, or longer. */
    private static final int IDLE_HEARTBEATS = 3;

    private final ClientConfig clients;
    private final LimitsConfig limits;
    private final Rights rights;
    // Null without TLS.
    private TlsHandler tls;
    private long openedNanos;
    private boolean keyUsedUp;
    private long keyUsedUpNanos;

    // Whether a part of a control frame has come from a client without HELLO.
    private boolean begun;
    private long begunNanos;

    private long intervalNanos;
    private long idleNanos;
    private boolean started;
    private boolean heard;
    private long heardNanos;
    private long pingedNanos;
    private boolean pingDue;
    private long pings;

    // The time and the input at the start of the present frame timeout.
    private long sinceNanos;
    private long sinceFrames;
    private long sinceBytes;
    private int sinceRecord;
    private boolean hurry;
    // Values at the last look: all bytes that were read, and the bytes of an incomplete TLS record.
    private long bytesRead;
    private int recordBytes;

    Timeouts(ClientConfig clients, LimitsConfig limits, Rights rights) {
        this.clients = clients;
        this.limits = limits;
        this.rights = rights;
        this.intervalNanos = clients.heartbeat().toNanos();
        this.idleNanos = clients.idleTimeout().toNanos();
    }

    void opened(TlsHandler secured, long nowNanos) {
        tls = secured;
        openedNanos = nowNanos;
        sinceNanos = nowNanos;
    }

    /** Returns why the connection has to end, or null. {@code greeted} is true when HELLO has come. */
    Refusal look(long nowNanos, boolean greeted, SessionRole.Progress input) {
        Refusal refused = refused(nowNanos);
        if (refused != null) {
            return refused;
        }
        int record = tls == null ? 0 : tls.begunBytes();
        if (input.bytesRead() != bytesRead || record > recordBytes || greeted && !input.listening()) {
            heard();
        }
        bytesRead = input.bytesRead();
        recordBytes = record;
        Refusal overdue = greeted ? silence(nowNanos) : handshake(nowNanos, input.unfinishedControl());
        if (overdue != null) {
            return overdue;
        }
        boolean underWay = input.listening() && !input.unfinished().isEmpty();
        String slow =
                shortfall(nowNanos, underWay, input.holdsUpOthers(), input.framesRead(), input.bytesRead(), record);
        if (slow != null) {
            return new Refusal(CloseReason.FRAME_TIMEOUT, slow + ": " + input.unfinished());
        }
        boolean keyOver = keyUsedUp && nowNanos - keyUsedUpNanos > TimeUnit.MILLISECONDS.toNanos(KEY_MILLIS);
        return keyOver ? new Refusal(CloseReason.TLS_KEY_USED_UP, "connect again, for a new key") : null;
    }

    /** Returns the refusal of a client that has lost its rights or not proved its identity in time; else null. */
    private Refusal refused(long nowNanos) {
        rights.review();
        Refusal refusal = rights.whyRefused().orElse(null);
        long timeout = clients.handshakeTimeout().toNanos();
        boolean over = refusal != null && (refusal.reason() == CloseReason.REVOKED || nowNanos - openedNanos > timeout);
        return over ? refusal : null;
    }

    /** Returns true once: in the first call after the TLS key is used up. */
    boolean keyUsedUp(long nowNanos) {
        boolean first = !keyUsedUp && tls != null && tls.keyUsedUp();
        if (first) {
            keyUsedUp = true;
            keyUsedUpNanos = nowNanos;
        }
        return first;
    }

    /** Grants the PING interval that the client asks for, up to the limit. With 0 the relay's own interval stays. */
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

    /** Returns why a client that has sent HELLO has to go, or null. Also decides whether a PING is due. */
    Refusal silence(long nowNanos) {
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

    /** Called when the client has been welcomed. The first PING interval begins at the next look. */
    void restart() {
        started = false;
        pingDue = false;
    }

    /** Returns why a client without HELLO has to go, or null. {@code unfinished}: only a part of HELLO has come. */
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

    /**
     * Returns a text if a frame comes too slowly, otherwise null. Within each frame timeout the frame must be
     * completed, or as many bytes must come as the least rate demands. More is demanded if other publishers wait for
     * the frame's memory. Time in which the relay does not read from the client does not count.
     *
     * @param underWay whether a frame is incomplete, and the relay reads from the client
     * @param holdsUpOthers whether others wait for the frame's memory. If so at each look, more is demanded
     * @param frames complete frames so far
     * @param bytes read so far
     * @param record bytes of an incomplete TLS record. Only an increase counts, so empty records are no progress
     */
    String shortfall(long nowNanos, boolean underWay, boolean holdsUpOthers, long frames, long bytes, int record) {
        boolean another = frames != sinceFrames;
        boolean over = nowNanos - sinceNanos > limits.frameTimeout().toNanos();
        hurry &= holdsUpOthers;
        if (underWay && !another && !over) {
            return null;
        }
        long came = bytes - sinceBytes + Math.max(0, record - sinceRecord);
        long least = limits.minRate() * limits.frameTimeout().toMillis() / 1000 * (hurry ? HURRY : 1);
        hurry = holdsUpOthers;
        sinceNanos = nowNanos;
        sinceFrames = frames;
        sinceBytes = bytes;
        sinceRecord = record;
        if (!underWay || another || came >= least) {
            return null;
        }
        return came + " bytes of a frame came within " + limits.frameTimeout().toMillis() + " ms, the least is "
                + least;
    }
}
