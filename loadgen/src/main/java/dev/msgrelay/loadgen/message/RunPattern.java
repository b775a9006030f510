package dev.msgrelay.loadgen.message;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * The expected frames of messages in a row of one publisher, all of one size and type. One comparison of many frames is
 * several times as fast as one for each message.
 *
 * <pre>
 *  came     |type|length|stamp|time, check|padding|type|length|stamp|...
 *  pattern  |type|length|  n  |time, check|padding|type|length| n+1 |...
 *                               ^ the time is taken from what came; the check has to go with it and with n
 * </pre>
 *
 * Not thread-safe.
 */
final class RunPattern {
    /** Length of the pattern: it stays in a core's first cache together with the frames that came. */
    private static final int MOST_BYTES = 12 << 10;

    private final int frameLength;
    private final int most;
    private final ByteBuffer pattern;
    private ByteBuffer source;
    private ByteBuffer view;

    /** Whether several messages of this size fit the pattern. */
    static boolean fits(int bodyLength) {
        return FrameLayout.frameLength(bodyLength) <= MOST_BYTES / 4;
    }

    RunPattern(SizeTable sizes) {
        frameLength = FrameLayout.frameLength(sizes.max());
        most = MOST_BYTES / frameLength;
        pattern = ByteBuffer.allocateDirect(most * frameLength);
        for (int i = 0; i < most; i++) {
            sizes.putFrame(pattern, i * frameLength, i, 0);
        }
    }

    /**
     * The number of whole frames from {@code from} on that are the messages {@code next}, {@code next} + 1, ...
     *
     * @param bytes read by index
     */
    int matching(ByteBuffer bytes, int from, int to, long next) {
        if (bytes != source) {
            source = bytes;
            view = bytes.duplicate();
        }
        int messages = 0;
        int at = from;
        while (true) {
            int block = likely(bytes, at, Math.min(most, (to - at) / frameLength), next + messages);
            int good = block == 0 ? 0 : compare(at, block, next + messages);
            messages += good;
            at += good * frameLength;
            if (good == 0 || good < block) {
                return messages;
            }
        }
    }

    /** The number of frames that match by the first and the last stamp. */
    private int likely(ByteBuffer bytes, int at, int atMost, long next) {
        if (atMost == 0 || !isAt(bytes, at, 0, next)) {
            return 0;
        }
        int block = atMost;
        while (!isAt(bytes, at, block - 1, next)) {
            block /= 2;
        }
        return block;
    }

    private boolean isAt(ByteBuffer bytes, int at, int index, long next) {
        return LoadMessage.stampAt(bytes, at + index * frameLength + FrameLayout.HEADER_LENGTH) == next + index;
    }

    private int compare(int at, int block, long next) {
        view.clear();
        pattern.clear();
        for (int i = 0; i < block; i++) {
            int body = i * frameLength + FrameLayout.HEADER_LENGTH;
            LoadMessage.put(pattern, body, next + i, LoadMessage.lowTimeAt(view, at + body));
        }
        int end = block * frameLength;
        int differs = view.limit(at + end).position(at).mismatch(pattern.limit(end));
        return differs < 0 ? block : differs / frameLength;
    }
}
