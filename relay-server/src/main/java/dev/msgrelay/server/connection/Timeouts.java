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
 * The time-outs of one connection: for the proof of an identity, a complete HELLO, a sign of life, the progress of a
 * begun frame, and the close after a TLS key is used up; and the times of PINGs. The caller passes the time, a few
 * times a second. Owned by the connection's thread.
 */
final class Timeouts {
    static final int KEY_MILLIS = 500;

    /** Multiplies the least rate for a client that holds up others: 1 MiB then takes at most about a minute. */
    static final int HURRY = 16;

    /** A client that wants rarer PINGs may be silent for at least this number of its intervals. */
    private static final int IDLE_HEARTBEATS = 3;

    private final ClientConfig clients;
    private final LimitsConfig limits;
    private final Rights rights;
    // Null: without TLS.
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
    // At the last look: all bytes read, and those of an incomplete TLS record.
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

    /** Returns why the client may not stay, or null; {@code greeted}: HELLO has come. */
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

    /** Refuses a client that has not proved an identity in time, or has lost its rights; otherwise null. */
    private Refusal refused(long nowNanos) {
        rights.review();
        Refusal refusal = rights.whyRefused().orElse(null);
        long timeout = clients.handshakeTimeout().toNanos();
        boolean over = refusal != null && (refusal.reason() == CloseReason.REVOKED || nowNanos - openedNanos > timeout);
        return over ? refusal : null;
    }

    /** Returns whether the TLS key has been used up since the last look. */
    boolean keyUsedUp(long nowNanos) {
        boolean first = !keyUsedUp && tls != null && tls.keyUsedUp();
        if (first) {
            keyUsedUp = true;
            keyUsedUpNanos = nowNanos;
        }
        return first;
    }

    /** Grants the interval that the client wants, up to the limit. With 0 the relay's own one stays. */
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

    /** Returns why a client that has said HELLO may not stay, or null. */
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

    /** Called when the client has been welcomed: the first interval begins at the next look. */
    void restart() {
        started = false;
        pingDue = false;
    }

    /**
     * Returns why a client without HELLO may not stay, or null; {@code unfinished}: a control frame has come in part.
     */
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
     * Returns a text about a begun frame that is too slow, or null. In each frame timeout the frame must be completed,
     * or bring the bytes of the least rate; and more if other publishers wait for its memory. Time in which the client
     * is not read does not count.
     *
     * @param underWay whether a frame has begun, is not complete, and is read
     * @param holdsUpOthers whether others wait for its memory; more is demanded only if they did at each look
     * @param frames complete frames so far
     * @param bytes read so far
     * @param record bytes of an incomplete TLS record; only an increase counts, so records without data are no progress
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
