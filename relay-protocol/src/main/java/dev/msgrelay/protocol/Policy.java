package dev.msgrelay.protocol;

/** What a subscriber asks to happen when it reads too slowly, and what it is granted. */
public enum Policy {
    /** What the relay is set to. Asked for only; also what stands in the field where there is no subscriber. */
    RELAY_DEFAULT(0),
    /** The subscriber is disconnected; nobody else notices. */
    DISCONNECT(1),
    /** Publishers wait, as long as the subscriber makes progress. */
    BACKPRESSURE(2),
    /** The subscriber jumps to the newest messages, and is told with GAP what it missed. */
    SKIP(3);

    private static final Policy[] BY_CODE = values();

    private final int code;

    Policy(int code) {
        this.code = code;
    }

    /** The code on the wire (uint8). */
    public int code() {
        return code;
    }

    /** The policy with this code, or null. */
    public static Policy ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
