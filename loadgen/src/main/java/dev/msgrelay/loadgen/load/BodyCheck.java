package dev.msgrelay.loadgen.load;

import java.nio.ByteBuffer;

/**
 * Whether bodies came as they were sent. Every message's size is compared with the one that its publisher and number
 * imply, which finds a body that was cut or mixed up with another; one message in {@link #COMPARED} is compared byte for
 * byte. Not thread-safe: the subscriber's thread owns it.
 */
public final class BodyCheck {
    /** Of so many messages of a publisher one, whose number is a multiple of it, is compared as a whole. */
    public static final int COMPARED = 1_024;

    private static final long COMPARED_MASK = COMPARED - 1L;

    /** In place of a size where there are several. */
    private static final int NOT_FIXED = -1;

    private final SizeTable sizes;
    private final int fixed;
    private final ByteBuffer pattern = Padding.view();
    private long corrupted;

    public BodyCheck(SizeTable sizes) {
        this.sizes = sizes;
        this.fixed = sizes.isFixed() ? sizes.max() : NOT_FIXED;
    }

    /** One message; the body lies between position and limit, of which nothing is left to rely on afterwards. */
    public void onMessage(long stamp, ByteBuffer body) {
        // Most runs have one size, and a look at the table costs as much as all other checks.
        if (body.remaining() != (fixed == NOT_FIXED ? sizes.sizeOf(stamp) : fixed)
                || (stamp & COMPARED_MASK) == 0 && !Padding.matches(body, pattern)) {
            corrupted++;
        }
    }

    /** A message that is too short to say whose it is. */
    public void onFragment() {
        corrupted++;
    }

    /** Messages whose body is not what was sent. */
    public long corrupted() {
        return corrupted;
    }
}
