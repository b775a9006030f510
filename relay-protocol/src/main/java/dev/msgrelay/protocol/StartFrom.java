package dev.msgrelay.protocol;

/** Where a subscriber's stream starts. */
public enum StartFrom {
    /** With the next message that the relay takes in. */
    LIVE(0),
    /** With the message of a given sequence. */
    SEQUENCE(1),
    /** With the oldest message that the relay still holds. */
    EARLIEST(2),
    /** With the first message that was written to the relay's journal at a given time or later, or some before it. */
    TIME(3);

    private static final StartFrom[] BY_CODE = values();

    private final int code;

    StartFrom(int code) {
        this.code = code;
    }

    /** The code on the wire (uint8). */
    public int code() {
        return code;
    }

    /** The start with this code, or null. */
    public static StartFrom ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
