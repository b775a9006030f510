package dev.msgrelay.server.tls;

import java.nio.ByteBuffer;

/**
 * Counts the records without data that a client sends: empty records and key updates. A key update takes more processor
 * time than any other record, and an honest client sends one only after gigabytes of data.
 *
 * <p>One call of the library unwraps several records, and returns only the number of decrypted bytes. A record with
 * data has one or more bytes, so at least (records - bytes) records have no data. Owned by the connection's thread.
 */
final class EmptyRecords {
    /** Most records without data between two calls of {@link #tick}. */
    static final int MOST = 32;

    /** Offset of the length in a record's header. */
    private static final int LENGTH = 3;

    // The current record: bytes received of its header, bytes missing of its body, and bytes received in all.
    private int header;
    private int left;
    private int begun;
    private int empty;

    /**
     * Counts the records that end in these bytes. Returns whether too many had no data since the last {@link #tick}.
     *
     * @param plain number of bytes that were decrypted from these bytes
     */
    boolean tooMany(ByteBuffer bytes, int from, int to, int plain) {
        int records = 0;
        int at = from;
        while (at < to) {
            if (header < TlsRecords.HEADER) {
                int next = bytes.get(at++) & 0xFF;
                if (header >= LENGTH) {
                    left = left << Byte.SIZE | next;
                }
                header++;
                begun++;
            } else {
                int part = Math.min(left, to - at);
                left -= part;
                begun += part;
                at += part;
            }
            if (header == TlsRecords.HEADER && left == 0) {
                header = 0;
                begun = 0;
                records++;
            }
        }
        empty += Math.max(0, records - plain);
        return empty > MOST;
    }

    /** Bytes from {@code from} to the current record's end; {@link Integer#MAX_VALUE} if its header is incomplete. */
    int rest(ByteBuffer bytes, int from, int to) {
        int length = left;
        int at = from;
        for (int i = header; i < TlsRecords.HEADER; i++) {
            if (at == to) {
                return Integer.MAX_VALUE;
            }
            int next = bytes.get(at++) & 0xFF;
            length = i < LENGTH ? length : length << Byte.SIZE | next;
        }
        return at - from + length;
    }

    int begun() {
        return begun;
    }

    /** Restarts the count; called a few times a second. */
    void tick() {
        empty = 0;
    }
}
