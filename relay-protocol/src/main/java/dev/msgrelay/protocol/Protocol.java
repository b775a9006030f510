package dev.msgrelay.protocol;

/** The version of the control frames that this library speaks, and the limits of their fields. */
public final class Protocol {
    /** The only version so far. */
    public static final int VERSION = 1;

    /** Longest name, of a client or of a relay, in bytes of UTF-8. */
    public static final int MAX_NAME = 255;

    /** Longest text of an ERROR or GOAWAY frame, in bytes of UTF-8; a longer one is cut at a character. */
    public static final int MAX_TEXT = 512;

    /** Shortest heartbeat interval in milliseconds. */
    public static final int MIN_HEARTBEAT_MILLIS = 100;

    /** Longest heartbeat interval in milliseconds: an hour. */
    public static final int MAX_HEARTBEAT_MILLIS = 3_600_000;

    /** Shortest interval of {@link Features#INTERVAL} in milliseconds. */
    public static final int MIN_INTERVAL_MILLIS = 10;

    /** Longest interval of {@link Features#INTERVAL} in milliseconds: an hour. */
    public static final int MAX_INTERVAL_MILLIS = 3_600_000;

    private Protocol() {}

    /** The highest version within {@code lowest..highest} that this library speaks; 0: there is none. */
    public static int commonVersion(int lowest, int highest) {
        return lowest <= VERSION && VERSION <= highest ? VERSION : 0;
    }
}
