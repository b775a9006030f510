package dev.msgrelay.protocol;

import java.util.Locale;

/**
 * The reserved types {@code 0x80000000 .. 0x800000FF}. A frame of such a type is a control frame: it concerns the
 * connection, is never relayed, and never counts as a message. Publishers may not publish one.
 *
 * <p>A receiver ignores an unknown type of the lower half. A type of the upper half, {@code 0x80000080} and above, must
 * be understood: a receiver that does not know it sends ERROR with {@link CloseReason#UNSUPPORTED} and closes.
 */
public final class ControlFrames {
    public static final int FIRST = 0x80000000;
    public static final int LAST = 0x800000FF;

    /** {@link HelloFrame}: a client's first frame. */
    public static final int HELLO = 0x80000001;

    /** {@link WelcomeFrame}: the relay's answer to HELLO. */
    public static final int WELCOME = 0x80000002;

    /** {@link SubscribeFrame}: the types that a subscriber wants from now on. */
    public static final int SUBSCRIBE = 0x80000003;

    /** {@link PingFrame}: asks for a sign of life. */
    public static final int PING = 0x80000004;

    /** {@link PongFrame}: the answer to PING. */
    public static final int PONG = 0x80000005;

    /** {@link SequenceFrame}: the number of the message that follows. */
    public static final int SEQUENCE = 0x80000006;

    /** {@link GapFrame}: messages that the subscriber does not get. */
    public static final int GAP = 0x80000007;

    /** {@link AckFrame}: how many of a publisher's messages are in the stream. */
    public static final int ACK = 0x80000008;

    /** {@link ErrorFrame}: the peer closes the connection, with the reason. */
    public static final int ERROR = 0x80000009;

    /** {@link GoAwayFrame}: the relay will close the connection. */
    public static final int GOAWAY = 0x8000000A;

    /** {@link SubscribedFrame}: the relay's answer to SUBSCRIBE. */
    public static final int SUBSCRIBED = 0x8000000B;

    /** {@link RetryAfterFrame}: the time after which a refused client may connect again. */
    public static final int RETRY_AFTER = 0x8000000C;

    /** Longest body of a control frame, in bytes, in either direction, regardless of the limit for messages. */
    public static final int MAX_CONTROL_BODY = 16 << 10;

    private static final int MUST_UNDERSTAND_BIT = 0x80;

    private ControlFrames() {}

    /** Whether {@code type} lies in the reserved range. */
    public static boolean isControl(int type) {
        return (type & 0xFFFFFF00) == FIRST;
    }

    /** Whether a receiver that does not know this control frame must close the connection. */
    public static boolean mustUnderstand(int type) {
        return isControl(type) && (type & MUST_UNDERSTAND_BIT) != 0;
    }

    /** A type for people: decimal, a reserved one in hexadecimal. */
    public static String typeName(int type) {
        return isControl(type) ? String.format(Locale.ROOT, "0x%08X", type) : Integer.toString(type);
    }

    /** A type for people, with the frame's name if this version knows it: {@code HELLO (0x80000001)}. */
    public static String name(int type) {
        String word =
                switch (type) {
                    case HELLO -> "HELLO";
                    case WELCOME -> "WELCOME";
                    case SUBSCRIBE -> "SUBSCRIBE";
                    case PING -> "PING";
                    case PONG -> "PONG";
                    case SEQUENCE -> "SEQUENCE";
                    case GAP -> "GAP";
                    case ACK -> "ACK";
                    case ERROR -> "ERROR";
                    case GOAWAY -> "GOAWAY";
                    case SUBSCRIBED -> "SUBSCRIBED";
                    case RETRY_AFTER -> "RETRY_AFTER";
                    default -> null;
                };
        return word == null ? typeName(type) : word + " (" + typeName(type) + ")";
    }
}
