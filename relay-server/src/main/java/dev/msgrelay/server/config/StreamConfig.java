package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.stream.FrameRing;

/**
 * The sizes of the stream's memory.
 *
 * @param mtu MTU of the links to subscribers, in bytes; a packet is one MTU less the IP and TCP headers
 * @param ringBytes size of the ring between publishers and the log, a power of two
 * @param logBytes size of the log, a multiple of {@link #CHUNK_BYTES}; also the largest lag of a subscriber
 * @param maxBody longest body in bytes
 */
public record StreamConfig(int mtu, int ringBytes, int logBytes, int maxBody) {
    /** Room for 64 Ki cells. A larger ring gains nothing, while a smaller ring refuses bursts. */
    public static final int DEFAULT_RING_BYTES = 4 << 20;
    /** Room for a subscriber's pause of 0.14 s at 1 GbE. With a log of 64 MiB, short runs were about 4 % slower. */
    public static final int DEFAULT_LOG_BYTES = 16 << 20;
    /** Size of a chunk: so large that counting references costs nothing, so small that pins keep little memory. */
    public static final int CHUNK_BYTES = 512 << 10;
    /** Largest {@link #windowBytes}; enough to keep publishers and subscribers busy. */
    public static final int DEFAULT_WINDOW_BYTES = 4 << 20;

    private static final int HEADERS = 40;
    private static final int MIN_MTU = 576;
    private static final int MAX_MTU = 65_536;
    private static final int MIN_RING = 64 << 10;
    private static final int MAX_RING = 512 << 20;
    private static final int MAX_LOG = 1 << 30;

    public StreamConfig {
        Range.check("mtu", mtu, MIN_MTU, MAX_MTU);
        Range.check("ring size", ringBytes, MIN_RING, MAX_RING);
        Range.check("max body", maxBody, 1, FrameLayout.MAX_MAX_BODY);
        if (Integer.bitCount(ringBytes) != 1) {
            throw new IllegalArgumentException("ring size " + ringBytes + " is not a power of two");
        }
        if (minRing(maxBody) > ringBytes) {
            throw new IllegalArgumentException(
                    "ring size " + ringBytes + " is too small: it must hold twice the longest run of " + maxRun(maxBody)
                            + " bytes (max body " + maxBody + "); without a ring size it does");
        }
        Range.check("log size", logBytes, minLog(maxBody), MAX_LOG, " (max body " + maxBody + ")");
        if (logBytes % CHUNK_BYTES != 0) {
            throw new IllegalArgumentException("log size " + logBytes + " is not a multiple of " + CHUNK_BYTES);
        }
    }

    /** As the constructor, but a ring or log of 0 bytes gets its default, or the size that the longest body needs. */
    static StreamConfig of(int mtu, int ringBytes, int logBytes, int maxBody) {
        // Limited, so that the sums below do not overflow. The constructor refuses a body that is out of range.
        int body = Math.max(1, Math.min(maxBody, FrameLayout.MAX_MAX_BODY));
        long log = wholeChunks(minLog(body));
        int ring = Integer.highestOneBit((int) minRing(body) - 1) << 1;
        return new StreamConfig(
                mtu,
                ringBytes != 0 ? ringBytes : Math.max(DEFAULT_RING_BYTES, ring),
                logBytes != 0 ? logBytes : (int) Math.max(DEFAULT_LOG_BYTES, log),
                maxBody);
    }

    static long wholeChunks(long bytes) {
        return (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
    }

    private static long minRing(int maxBody) {
        return 2L * FrameRing.cellsOf(maxRun(maxBody)) * FrameRing.CELL_BYTES;
    }

    private static long minLog(int maxBody) {
        return 4L * Math.max(FrameLayout.frameLength(maxBody), CHUNK_BYTES) + 2L * CHUNK_BYTES;
    }

    /** Payload of a packet in bytes. */
    public int packetBytes() {
        return mtu - HEADERS;
    }

    public int ringCells() {
        return ringBytes / FrameRing.CELL_BYTES;
    }

    /** Most bytes that go through the ring in one piece: those of one read, or a frame with the longest body. */
    public int maxRun() {
        return maxRun(maxBody);
    }

    private static int maxRun(int maxBody) {
        return Math.max(256 << 10, FrameLayout.frameLength(maxBody));
    }

    /** Largest lag, in bytes, of a subscriber whose policy makes publishers wait. */
    public long windowBytes() {
        return Math.min(DEFAULT_WINDOW_BYTES, journalWindowBytes() / 2);
    }

    /** Largest lag of the journal, in bytes, at which the log still holds all bytes that are not written. */
    public long journalWindowBytes() {
        return logBytes - 2L * CHUNK_BYTES - maxRun();
    }
}
