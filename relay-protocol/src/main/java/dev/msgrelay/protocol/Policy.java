package dev.msgrelay.protocol;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/** The treatment of a subscriber that reads too slowly: asked for, granted, or set as the relay's default. */
public enum Policy {
    /** The relay's default. Only in a wish; also the value for a publisher. */
    RELAY_DEFAULT(0),
    /** The subscriber is disconnected; nobody else notices. */
    DISCONNECT(1),
    /** Publishers wait, as long as the subscriber makes progress. */
    BACKPRESSURE(2),
    /** The subscriber jumps to the newest messages, and GAP tells it the missed ones. */
    SKIP(3),
    /** The subscriber gets the missed messages from the relay's journal, and continues live once it has caught up. */
    REPLAY(4),
    /** The subscriber gets the newest message of each type instead of all messages, and then continues live. */
    LATEST(5);

    /** The policies that a subscriber may ask for by name. */
    public static final List<Policy> DECIDED = List.of(DISCONNECT, BACKPRESSURE, SKIP, REPLAY, LATEST);

    /** The policies that a relay may have as its default. LATEST loses messages for which a client must be prepared. */
    public static final List<Policy> DEFAULTS = List.of(DISCONNECT, BACKPRESSURE, SKIP, REPLAY);

    private static final Policy[] BY_CODE = values();

    private final int code;

    Policy(int code) {
        this.code = code;
    }

    /** The code on the wire (uint8). */
    public int code() {
        return code;
    }

    /** The policy with this code; null: there is none. */
    public static Policy ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** The name on a command line, such as {@code backpressure}. */
    public String flag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * A policy of {@link #DECIDED} by its name on a command line; upper and lower case are the same.
     *
     * @throws IllegalArgumentException there is no such policy; the message has the text and the accepted words
     */
    public static Policy ofFlag(String text) {
        String flag = text.strip().toLowerCase(Locale.ROOT);
        for (Policy policy : DECIDED) {
            if (policy.flag().equals(flag)) {
                return policy;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is no policy: " + DISCONNECT.flag() + ", "
                + BACKPRESSURE.flag() + ", " + SKIP.flag() + ", " + REPLAY.flag() + " or " + LATEST.flag());
    }

    /** The policies by their names on a command line, for help texts and completions. */
    public static final class Words implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return DECIDED.stream().map(Policy::flag).iterator();
        }
    }

    /** {@link #DEFAULTS} by their names on a command line, for help texts and completions. */
    public static final class DefaultWords implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return DEFAULTS.stream().map(Policy::flag).iterator();
        }
    }
}
