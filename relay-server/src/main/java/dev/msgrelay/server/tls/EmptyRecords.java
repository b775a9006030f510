package dev.msgrelay.server.tls;

import java.nio.ByteBuffer;

/**
 * Counts the records of one connection that bring no data: empty records and new keys. New keys take more processor
 * time than any other record, and an honest client sends them once in gigabytes.
 *
 * <p>Several records are unwrapped at a time, and bring a number of decrypted bytes. A record with data brings at least
 * one byte, so the number of records without data is at least the difference. Owned by the connection's thread.
 */
final class EmptyRecords {
    /** Limit of records without data between two ticks. */
    static final int MOST = 32;

    /** Offset of the length in a record's header. */
    private static final int LENGTH = 3;

    // The current record: bytes received of its header, bytes missing of its body, and bytes received in all.
    private int header;
    private int left;
    private int begun;
    private int empty;

    /**
     * Counts the records that end in these bytes. Returns whether too many records had no data.
     *
     * @param plain number of bytes that were decrypted from these
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

    /** Bytes from {@code from} to the current record's end; {@link Integer#MAX_VALUE}: its header is not complete. */
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
