package dev.msgrelay.server.tls;

import java.nio.ByteBuffer;

/**
 * Counts the records of one connection that bring no data: empty ones and new keys, which cost the most of all records.
 * A sincere client sends new keys once in gigabytes.
 *
 * <p>A record counts once its last byte has come, whatever the cuts of the link. A record with data brings at least one
 * byte. So of several records taken at a time, at most as many as there are decrypted bytes had data. Owned by the
 * connection's thread.
 */
final class EmptyRecords {
    /** Limit of records without data between two ticks. */
    static final int MOST = 32;

    private static final int LENGTH_HIGH = 3;

    // The record under way: bytes of its header that have come, and bytes of its body that have not.
    private int header;
    private int left;
    private int begun;
    private int empty;

    /**
     * Counts the records that end in a piece of the connection's bytes. Returns whether too many had no data.
     *
     * @param plain decrypted bytes of data from this piece
     */
    boolean tooMany(ByteBuffer bytes, int from, int to, int plain) {
        empty += Math.max(0, ends(bytes, from, to) - plain);
        return empty > MOST;
    }

    private int ends(ByteBuffer bytes, int from, int to) {
        int records = 0;
        int at = from;
        while (at < to) {
            if (header < TlsRecords.HEADER) {
                int next = bytes.get(at++) & 0xFF;
                if (header >= LENGTH_HIGH) {
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
        return records;
    }

    /** Bytes from {@code from} to the end of the record under way; without its header {@link Integer#MAX_VALUE}. */
    int rest(ByteBuffer bytes, int from, int to) {
        int length = left;
        int at = from;
        for (int i = header; i < TlsRecords.HEADER; i++) {
            if (at == to) {
                return Integer.MAX_VALUE;
            }
            int next = bytes.get(at++) & 0xFF;
            length = i < LENGTH_HIGH ? length : length << Byte.SIZE | next;
        }
        return at - from + length;
    }

    /** Bytes that have come of the record under way. */
    int begun() {
        return begun;
    }

    /** Starts the count anew; called a few times a second. */
    void tick() {
        empty = 0;
    }
}
