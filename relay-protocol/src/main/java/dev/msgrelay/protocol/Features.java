package dev.msgrelay.protocol;

/**
 * The features that HELLO asks for and WELCOME grants, one bit each.
 *
 * <pre>
 *   bit  31 .......... 17 16 | 15 ............ 6       5       4     3         2         1          0
 *        must be under-  TOKEN | may be declined  EPOCHS  LEVELS  PEER  INTERVAL  NARROWED  SEQUENCES  ACKS
 *        stood                 |
 * </pre>
 *
 * A relay leaves a bit that may be declined out of WELCOME if it does not know the bit, or if the bit makes no sense
 * for the role. An unknown bit that must be understood ends the connection with {@link CloseReason#UNSUPPORTED}.
 */
public final class Features {
    /** The publisher's messages are numbered, acknowledged, and published once. Needs a name. */
    public static final int ACKS = 1;

    /** A SEQUENCE frame tells the subscriber the next number after its filter has left messages out. */
    public static final int SEQUENCES = 1 << 1;

    /**
     * The subscriber accepts fewer types than it asked for, if it may have some types only. The relay grants this
     * feature exactly then: the subscriber then counts as one with ranges, even if it has asked for every type.
     */
    public static final int NARROWED = 1 << 2;

    /**
     * An interval is at the end of HELLO, and at the end of WELCOME if the feature is granted: at most so often the
     * subscriber gets the newest messages. Only with the policy {@link Policy#LATEST}.
     */
    public static final int INTERVAL = 1 << 3;

    /** WELCOME ends with what the relay knows of the client: its address, and its identity's name. */
    public static final int PEER = 1 << 4;

    /**
     * A {@link Level} is at the end of HELLO: the relay tells a publisher with {@link #ACKS} the levels of its
     * messages, and sends a subscriber only messages that have reached the level. Only a relay with a journal grants
     * it.
     */
    public static final int LEVELS = 1 << 5;

    /**
     * WELCOME ends with the newest lives of the stream, {@link Epochs}: to a subscriber, and to a publisher with {@link
     * #ACKS}. Only a relay with a journal grants it.
     */
    public static final int EPOCHS = 1 << 6;

    /**
     * A token is at the end of HELLO. A relay that does not know this bit must not take the client for one without a
     * token.
     */
    public static final int TOKEN = 1 << 16;

    /** Every bit that this version knows. */
    public static final int KNOWN = ACKS | SEQUENCES | NARROWED | INTERVAL | PEER | LEVELS | EPOCHS | TOKEN;

    /** All bits that may not be declined. */
    public static final int MUST_UNDERSTAND = 0xFFFF0000;

    private Features() {}

    /** The bits of {@code wanted} that must be understood and that this version does not know; 0: there are none. */
    public static int notUnderstood(int wanted) {
        return wanted & MUST_UNDERSTAND & ~KNOWN;
    }
}
