package dev.msgrelay.protocol;

import java.util.Arrays;

/**
 * Every reason for which a relay ends a connection. One enum for the wire, the log and the counters, so that clients,
 * operators and metrics get the same reason. Codes are never reused.
 */
public enum CloseReason {
    /** The peer closed its side in an orderly way, between two frames. */
    PEER_CLOSED(1, "closed by the peer"),
    /** The connection was reset or failed. */
    CONNECTION_LOST(2, "connection lost"),
    /** The peer's stream ended in the middle of a frame; that frame is dropped. */
    TRUNCATED_FRAME(3, "ended in the middle of a frame"),
    /** A frame announced a negative length. */
    NEGATIVE_LENGTH(4, "negative length"),
    /** A frame announced a body above the limit. */
    OVERSIZED_LENGTH(5, "oversized length"),
    /** A publisher sent a frame of a reserved type. */
    RESERVED_TYPE(6, "reserved type published"),
    /** A subscriber sent bytes other than control frames, or any client an HTTP request. */
    UNEXPECTED_INPUT(7, "unexpected input on this port"),
    /** The log was about to overwrite bytes that the subscriber had not read, and its policy is to disconnect. */
    SLOW_SUBSCRIBER(8, "subscriber too slow"),
    /** A subscriber that may hold publishers back made no progress for the stall timeout. */
    STALLED_SUBSCRIBER(9, "subscriber stalled"),
    /** The relay is shutting down. */
    SHUTDOWN(10, "relay shutting down"),
    /** A fault of the relay itself. */
    INTERNAL_ERROR(11, "internal error"),
    /** A control frame is too short for its fields, or one of them is out of range. */
    MALFORMED_CONTROL(12, "malformed control frame"),
    /**
     * The peers have no common version, or one of them does not know a feature or control frame that it must
     * understand.
     */
    UNSUPPORTED(13, "unsupported"),
    /** The client's role is not the one that its port, or its control frame, is for. */
    WRONG_ROLE(14, "wrong role"),
    /** A control frame came at a time, or from a side, that the protocol does not allow. */
    PROTOCOL_ORDER(15, "out of order"),
    /** A control frame begun before WELCOME was not complete in time. */
    HANDSHAKE_TIMEOUT(16, "handshake not complete in time"),
    /** A client that sent HELLO was silent for the idle timeout. */
    IDLE_TIMEOUT(17, "nothing heard for the idle timeout"),
    /** The relay has as many connections as it may have. */
    TOO_MANY_CONNECTIONS(18, "too many connections"),
    /** The relay has as many publishers as it may have. */
    TOO_MANY_PUBLISHERS(19, "too many publishers"),
    /** An acknowledged publisher of the same name has connected: this connection is the older one. */
    NAME_TAKEN(20, "name taken by a newer connection"),
    /** A subscriber asked for a sequence beyond the next one of this epoch. */
    BAD_START(21, "start beyond the end of the stream"),
    /** The table of the names of acknowledged publishers is full. */
    TOO_MANY_NAMES(22, "too many names"),
    /** A publisher's first number leaves a gap behind what the relay has accepted: messages are missing. */
    MESSAGE_GAP(23, "messages missing"),
    /** An acknowledged publisher of the same name and another {@link ProducerId} holds the name. */
    NAME_HELD(24, "name held by another publisher"),
    /**
     * The connection's memory in the relay is over its limit; or all such memory is used up, and this connection lags
     * most.
     */
    MEMORY_LIMIT(25, "memory limit"),
    /** A frame under way made too little progress. */
    FRAME_TIMEOUT(26, "frame not complete in time"),
    /** The client's address has as many connections, handshakes or replays as one address may have. */
    TOO_MANY_FROM_ADDRESS(27, "too many from this address"),
    /** The relay has an access policy, and the client has not proved an identity that the policy knows. */
    NOT_AUTHENTICATED(28, "not authenticated"),
    /** The relay knows the client's identity, which may not publish, not subscribe, or not have a type. */
    NOT_PERMITTED(29, "not permitted"),
    /** The access policy has changed, and the client may no longer do what it does. */
    REVOKED(30, "permission revoked"),
    /** The TLS handshake failed, or the connection broke the rules of TLS. */
    TLS_FAILED(31, "TLS failed"),
    /** A subscriber fell behind because its identity has a limit of bytes a second. */
    RATE_LIMITED(32, "rate limited"),
    /** The TLS key has protected as many records as it may; a new connection has a new key. */
    TLS_KEY_USED_UP(33, "TLS key used up"),
    /** The relay's journal has ended, and the client asked for a {@link Level} that only a journal gives. */
    JOURNAL_FAILED(34, "journal failed");

    private static final CloseReason[] BY_CODE =
            new CloseReason[Arrays.stream(values()).mapToInt(r -> r.code).max().getAsInt() + 1];

    static {
        for (CloseReason reason : values()) {
            BY_CODE[reason.code] = reason;
        }
    }

    private final int code;
    private final String text;

    CloseReason(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The code on the wire (uint16), see {@link ErrorFrame}. */
    public int code() {
        return code;
    }

    /** A few words for people. */
    public String text() {
        return text;
    }

    /** The reason with this code; null: a later version's. */
    public static CloseReason ofCode(int code) {
        return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
