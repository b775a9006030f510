package dev.msgrelay.server.tls;

import java.nio.ByteBuffer;

/** The sizes of TLS 1.3's records, and how they begin. */
public final class TlsRecords {
    /** Type, version, length. */
    static final int HEADER = 5;

    /** The longest plain text of one. */
    static final int MOST_PLAIN = 16 << 10;

    /** The longest one. */
    static final int MOST_BYTES = HEADER + MOST_PLAIN + 256;

    /** Room for one, and for what the JDK wants beyond it. */
    static final int SMALL = 17 << 10;

    /** What one read or write moves at most: a segment of loopback. */
    static final int LARGE = 66 << 10;

    /** What a record adds to its plain text: header, the content's type, and a tag of 16 bytes. */
    private static final int OVERHEAD = HEADER + 1 + 16;

    /** An alert has two bytes; the JDK adds 16 of padding, and others may add more. */
    static final int MOST_ALERT = 64;

    private static final int HANDSHAKE = 22;
    static final int MAJOR_VERSION = 3;
    private static final int CLIENT_HELLO = 1;

    /** Shorter segments are not worth a record of their own. */
    private static final int LONG_SEGMENT = 16 << 10;

    private TlsRecords() {}

    /** Bytes of plain text that go into so many bytes of records, each as long as may be. */
    static int plainWithin(int bytes) {
        int records = (bytes + MOST_PLAIN + OVERHEAD - 1) / (MOST_PLAIN + OVERHEAD);
        return bytes - records * OVERHEAD;
    }

    /**
     * Plain text that fills one segment of a link: where segments are long, a whole number of them is a whole number of
     * these; where they are short, records go across.
     */
    public static int plainOfSegment(int segment) {
        return segment < LONG_SEGMENT ? segment : plainWithin(segment);
    }

    /** Bytes of the record whose header is there, header included. */
    static int length(ByteBuffer bytes, int offset) {
        return HEADER + ((bytes.get(offset + 3) & 0xFF) << 8 | bytes.get(offset + 4) & 0xFF);
    }

    /** Whether a first byte, and a second one where there is one, are those of a handshake. */
    public static boolean mayBegin(int first, int second) {
        return (first & 0xFF) == HANDSHAKE && second == MAJOR_VERSION;
    }

    /**
     * Whether these are the first bytes of a TLS client: a record with a ClientHello, whose lengths fit each other. What a
     * frame has of that by chance is one in 2^60.
     *
     * @param bytes absolute, big-endian or not
     */
    public static boolean isClientHello(ByteBuffer bytes, int offset, int length) {
        if (length < HEADER + 6
                || !mayBegin(bytes.get(offset), bytes.get(offset + 1))
                || bytes.get(offset + HEADER) != CLIENT_HELLO) {
            return false;
        }
        int record = length(bytes, offset) - HEADER;
        int hello = (bytes.get(offset + 6) & 0xFF) << 16
                | (bytes.get(offset + 7) & 0xFF) << 8
                | bytes.get(offset + 8) & 0xFF;
        // A hello that is longer than its record goes on in the next one.
        return record > 4 && hello + 4 >= record && hello <= MOST_PLAIN && bytes.get(offset + 9) == MAJOR_VERSION;
    }
}
