package dev.msgrelay.server.tls;

import java.nio.ByteBuffer;

/**
 * Records of one connection that brought no data: new keys, which cost the most of all records, and nothing. Whoever has
 * reason to send one does so once in gigabytes.
 *
 * <p>A record counts once its last byte is there. So the count reads headers alone and knows nothing of what decrypts: how a
 * link cuts records, and how many of them a library takes at a time, is all the same. A record with data has a byte of it at
 * least, so where several records are taken at a time, no more of them than bytes were data.
 *
 * <p>Owned as its connection's {@link TlsHandler} is.
 */
final class EmptyRecords {
    /** Between two ticks at most. */
    static final int MOST = 32;

    private static final int LENGTH_HIGH = 3;

    // Of the record that is under way: bytes of its header that have come, and of its body those that have not.
    private int header;
    private int left;
    private int begun;
    private int empty;

    /**
     * Bytes of the connection, whatever pieces they come in, and what they were once decrypted.
     *
     * @param plain bytes of data that came of them
     * @return whether it is too many
     */
    boolean tooMany(ByteBuffer bytes, int from, int to, int plain) {
        empty += Math.max(0, whole(bytes, from, to) - plain);
        return empty > MOST;
    }

    /** How many records end there. */
    private int whole(ByteBuffer bytes, int from, int to) {
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

    /** Bytes of the record that is under way. */
    int begun() {
        return begun;
    }

    /** A few times a second. */
    void tick() {
        empty = 0;
    }
}
