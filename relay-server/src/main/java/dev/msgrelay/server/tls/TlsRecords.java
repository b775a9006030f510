package dev.msgrelay.server.tls;

import java.nio.ByteBuffer;

/** Sizes of TLS 1.3's records, and how they begin. */
public final class TlsRecords {
    /** Bytes of a record's header: type, version, length. */
    static final int HEADER = 5;

    /** Most bytes of plain text in a record. */
    static final int MOST_PLAIN = 16 << 10;

    /** Most bytes of a record. */
    static final int MOST_BYTES = HEADER + MOST_PLAIN + 256;

    /** Bytes of a small buffer: one record, and the room that the JDK wants beyond it. */
    static final int SMALL = 17 << 10;

    /** Bytes of a large buffer, the most that one read or write moves: a segment of loopback. */
    static final int LARGE = 66 << 10;

    /** Bytes that a record adds to its plain text: header, the content's type, and a tag of 16 bytes. */
    private static final int OVERHEAD = HEADER + 1 + 16;

    /** Most bytes of an alert's record: an alert has two bytes; the JDK adds 16 of padding, and others may add more. */
    static final int MOST_ALERT = 64;

    private static final int HANDSHAKE = 22;
    static final int MAJOR_VERSION = 3;

    /** Shorter segments are not worth a record of their own. */
    private static final int LONG_SEGMENT = 16 << 10;

    /** BoringSSL's own memory of a connection: 17 KiB for the current record of each direction, and its state. */
    private static final int SESSION = 40 << 10;

    private TlsRecords() {}

    /** Memory that one connection reserves, in bytes, without large buffers. */
    public static int bytesOfConnection(boolean readsInParts) {
        return SESSION + (readsInParts ? 2 : 3) * SMALL;
    }

    /** Bytes of plain text that fit {@code bytes} bytes of records, each as long as possible. */
    static int plainWithin(int bytes) {
        int records = (bytes + MOST_PLAIN + OVERHEAD - 1) / (MOST_PLAIN + OVERHEAD);
        return bytes - records * OVERHEAD;
    }

    /**
     * Bytes of plain text that fill one segment of a link. For long segments, a whole number of these fills a whole
     * number of segments; short segments are cut within records.
     */
    public static int plainOfSegment(int segment) {
        return segment < LONG_SEGMENT ? segment : plainWithin(segment);
    }

    /** Bytes of a record, header included; its header is at {@code offset}. */
    static int length(ByteBuffer bytes, int offset) {
        return HEADER + ((bytes.get(offset + 3) & 0xFF) << 8 | bytes.get(offset + 4) & 0xFF);
    }

    /** Whether the first two bytes are those of a handshake. */
    static boolean mayBegin(int first, int second) {
        return (first & 0xFF) == HANDSHAKE && second == MAJOR_VERSION;
    }
}
