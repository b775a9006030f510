package dev.msgrelay.protocol;

/**
 * The features that HELLO asks for and WELCOME grants, one bit each.
 *
 * <pre>
 *   bit  31 .......... 17 16 | 15 ........... 5 ....... 2         1          0
 *        must be under-  TOKEN | may be declined  LEVELS  NARROWED  SEQUENCES  ACKS
 *        stood                 |
 * </pre>
 *
 * A relay leaves a bit that may be declined out of WELCOME where it does not know it, or where it makes no sense for
 * the role. One that must be understood, and is not, ends the connection with {@link CloseReason#UNSUPPORTED}.
 */
public final class Features {
    /** The publisher's messages are numbered, acknowledged, and taken once. Needs a name. */
    public static final int ACKS = 1;

    /** The subscriber is told with SEQUENCE what number follows where its filter left messages out. */
    public static final int SEQUENCES = 1 << 1;

    /**
     * The subscriber knows that it may get fewer types than it asked for, because it may have some types only. Where it is
     * granted that is so: then the subscriber counts as one with ranges, also if it has asked for every type.
     */
    public static final int NARROWED = 1 << 2;

    /**
     * A {@link Level} follows at the end of HELLO: a publisher with {@link #ACKS} is told of its messages how far they have
     * got, a subscriber gets none that has not got so far. Only a relay that keeps a journal grants it.
     */
    public static final int LEVELS = 1 << 5;

    /** A token follows at the end of HELLO. A relay that does not know it must not take the client for one without. */
    public static final int TOKEN = 1 << 16;

    /** Every bit that this version knows. */
    public static final int KNOWN = ACKS | SEQUENCES | NARROWED | LEVELS | TOKEN;

    /** The bits that may not be declined. */
    public static final int MUST_UNDERSTAND = 0xFFFF0000;

    private Features() {}

    /** Those bits of {@code wanted} that must be understood and that this version does not know; 0 is good. */
    public static int notUnderstood(int wanted) {
        return wanted & MUST_UNDERSTAND & ~KNOWN;
    }
}
