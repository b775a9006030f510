package dev.msgrelay.protocol;

/**
 * The reserved types {@code 0x80000000 .. 0x800000FF}. A frame of such a type is a control frame: it speaks about the
 * connection, is never relayed and never counted as a message. Publishing one is refused.
 */
public final class ControlFrames {
    public static final int FIRST = 0x80000000;
    public static final int LAST = 0x800000FF;

    /** {@link ErrorFrame}: the peer closes the connection, and why. */
    public static final int ERROR = 0x80000009;

    private ControlFrames() {}

    /** Whether {@code type} lies in the reserved range. */
    public static boolean isControl(int type) {
        return (type & 0xFFFFFF00) == FIRST;
    }

    /** A type as people read it: decimal, or hexadecimal where it is reserved. */
    public static String typeName(int type) {
        return isControl(type) ? String.format("0x%08X", type) : Integer.toString(type);
    }
}
