package dev.msgrelay.protocol;

/** The start of a subscriber's stream. */
public enum StartFrom {
    /** Starts with the next message that the relay takes in. */
    LIVE(0),
    /** Starts with the message of a given sequence. */
    SEQUENCE(1),
    /** Starts with the oldest message that the relay still holds. */
    EARLIEST(2),
    /**
     * Starts with the first message that was written to the relay's journal at a given time or later, or with some
     * before it.
     */
    TIME(3),
    /**
     * Starts with the newest message of each type, in the order of their numbers; then comes the stream from the exact
     * next message. With a number behind 1 only what is new from that number on.
     */
    STATE(4);

    private static final StartFrom[] BY_CODE = values();

    private final int code;

    StartFrom(int code) {
        this.code = code;
    }

    /** The code on the wire (uint8). */
    public int code() {
        return code;
    }

    /** The start with this code; null: there is none. */
    public static StartFrom ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
