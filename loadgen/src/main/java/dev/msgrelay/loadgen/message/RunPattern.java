package dev.msgrelay.loadgen.message;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;

/**
 * The expected frames of consecutive messages of one publisher, all of one size and type. Comparing many frames at once
 * is several times as fast as comparing each.
 *
 * <pre>
 *  received |type|length|stamp|time, check|padding|type|length|stamp|...
 *  pattern  |type|length|  n  |time, check|padding|type|length| n+1 |...
 *                               ^ time: copied from the received frame; check: computed from time and n
 * </pre>
 *
 * Not thread-safe.
 */
final class RunPattern {
    /** The pattern's largest length. It fits into a core's first-level cache, together with the received frames. */
    private static final int MOST_BYTES = 12 << 10;

    private final int frameLength;
    private final int most;
    private final ByteBuffer pattern;
    private ByteBuffer source;
    private ByteBuffer view;

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
     * Returns the number of whole frames from {@code from} on that are the messages {@code next}, {@code next} + 1, ...
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

    /** Returns a number of frames that probably match, since the first and the last have the expected stamps. */
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
