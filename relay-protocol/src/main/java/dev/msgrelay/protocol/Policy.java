package dev.msgrelay.protocol;

import java.util.List;
import java.util.Locale;

/** What a subscriber asks to happen when it reads too slowly, what it is granted, and what a relay is set to. */
public enum Policy {
    /** What the relay is set to. Asked for only; also what stands in the field where there is no subscriber. */
    RELAY_DEFAULT(0),
    /** The subscriber is disconnected; nobody else notices. */
    DISCONNECT(1),
    /** Publishers wait, as long as the subscriber makes progress. */
    BACKPRESSURE(2),
    /** The subscriber jumps to the newest messages, and is told with GAP what it missed. */
    SKIP(3),
    /** The subscriber gets from the relay's journal what it was too slow for, and goes on live once it has caught up. */
    REPLAY(4);

    /** Those that say what happens: all but {@link #RELAY_DEFAULT}. */
    public static final List<Policy> DECIDED = List.of(DISCONNECT, BACKPRESSURE, SKIP, REPLAY);

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

    /** The name on a command line, such as {@code backpressure}. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * One of {@link #DECIDED}, by its name on a command line; upper and lower case are the same.
     *
     * @throws IllegalArgumentException naming the text and what is accepted
     */
    public static Policy ofFlag(String text) {
        String flag = text.strip().toLowerCase(Locale.ROOT);
        for (Policy policy : DECIDED) {
            if (policy.flag().equals(flag)) {
                return policy;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is no policy: " + DISCONNECT.flag() + ", "
                + BACKPRESSURE.flag() + ", " + SKIP.flag() + " or " + REPLAY.flag());
    }
}
