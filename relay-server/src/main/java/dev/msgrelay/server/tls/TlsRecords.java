package dev.msgrelay.server.tls;

import java.nio.ByteBuffer;

/** Sizes and headers of TLS 1.3's records. */
public final class TlsRecords {
    /** Bytes of a record's header: type, version, length. */
    static final int HEADER = 5;

    static final int MOST_PLAIN = 16 << 10;
    static final int MOST_BYTES = HEADER + MOST_PLAIN + 256;

    /** Bytes of a small buffer: one record, and the extra room that the JDK requires. */
    static final int SMALL = 17 << 10;

    /** Bytes of a large buffer, which holds a segment of the loopback link. */
    static final int LARGE = 66 << 10;

    /** Bytes that a record adds to its plain text: header, the content's type, and a tag of 16 bytes. */
    private static final int OVERHEAD = HEADER + 1 + 16;

    /** Most bytes of an alert's record. An alert has two bytes, the JDK pads it with 16, and others may pad more. */
    static final int MOST_ALERT = 64;

    private static final int HANDSHAKE = 22;
    static final int MAJOR_VERSION = 3;
    private static final int LONG_SEGMENT = 16 << 10;

    /** BoringSSL's own memory of a connection: 17 KiB for the current record of each direction, and 6 KiB of state. */
    private static final int SESSION = 40 << 10;

    private TlsRecords() {}

    /** Bytes of memory that one connection reserves; large buffers are extra. */
    public static int bytesOfConnection(boolean readsInParts) {
        return SESSION + (readsInParts ? 2 : 3) * SMALL;
    }

    /** Bytes of plain text in {@code bytes} bytes of records, each as long as possible. */
    static int plainWithin(int bytes) {
        int records = (bytes + MOST_PLAIN + OVERHEAD - 1) / (MOST_PLAIN + OVERHEAD);
        return bytes - records * OVERHEAD;
    }

    /**
     * Bytes of plain text to write for one segment of a link. A long segment is filled with whole records. A short
     * segment is not, since the overhead of its records would be too large.
     */
    public static int plainOfSegment(int segment) {
        return segment < LONG_SEGMENT ? segment : plainWithin(segment);
    }

    /** Bytes of the record at {@code offset}, header included. */
    static int length(ByteBuffer bytes, int offset) {
        return HEADER + ((bytes.get(offset + 3) & 0xFF) << 8 | bytes.get(offset + 4) & 0xFF);
    }

    static boolean mayBegin(int first, int second) {
        return (first & 0xFF) == HANDSHAKE && second == MAJOR_VERSION;
    }
}
