package dev.msgrelay.trials;

import java.nio.ByteBuffer;

/**
 * The body of a message of a campaign. All of it, its length too, follows from the publisher and the number, so that a
 * publisher that was killed sends the very same again, and whoever gets it knows every byte.
 *
 * <pre>
 *   0  publisher   int64
 *   8  number      int64, from 1
 *  16  bytes that follow from both
 * </pre>
 */
final class NumberedBody {
    /** Of the longest body. */
    static final int MAX_LENGTH = 24 << 10;

    private static final int NUMBER_OFFSET = Long.BYTES;
    private static final int FIELDS = 2 * Long.BYTES;
    private static final int USUAL_MOST = 300;

    private static final int NUMBER_BITS = 40;
    private static final int TYPES = 64;

    /** One of so many is long: it is spread over packets. */
    private static final int LONG_ONES = 256;

    private NumberedBody() {}

    /** Writes it from the buffer's start on, ready to be read. */
    static void write(ByteBuffer into, long publisher, long number) {
        int length = length(publisher, number);
        into.clear().limit(length);
        into.putLong(publisher).putLong(number);
        long bytes = mixed(publisher, number);
        while (into.remaining() >= Long.BYTES) {
            into.putLong(bytes);
            bytes = next(bytes);
        }
        while (into.hasRemaining()) {
            into.put((byte) bytes);
        }
        into.flip();
    }

    /**
     * Whether these are the bytes that the publisher and the number in them ask for.
     *
     * @param body between position and limit, big-endian; left as it was
     */
    static boolean matches(ByteBuffer body) {
        int at = body.position();
        if (body.remaining() < FIELDS || body.remaining() != length(publisher(body), number(body))) {
            return false;
        }
        long bytes = mixed(publisher(body), number(body));
        int i = at + FIELDS;
        for (; i + Long.BYTES <= body.limit(); i += Long.BYTES) {
            if (body.getLong(i) != bytes) {
                return false;
            }
            bytes = next(bytes);
        }
        for (; i < body.limit(); i++) {
            if (body.get(i) != (byte) bytes) {
                return false;
            }
        }
        return true;
    }

    /** Whether type and bytes are those of a message that a publisher sends. */
    static boolean is(int type, ByteBuffer body) {
        return matches(body) && type == typeOf(packed(publisher(body), number(body)));
    }

    static long publisher(ByteBuffer body) {
        return body.getLong(body.position());
    }

    static long number(ByteBuffer body) {
        return body.getLong(body.position() + NUMBER_OFFSET);
    }

    /** Publisher and number in one. */
    static long packed(long publisher, long number) {
        return publisher << NUMBER_BITS | number;
    }

    /** For people, of {@link #packed}. */
    static String text(long packed) {
        return "number " + (packed & (1L << NUMBER_BITS) - 1) + " of publisher " + (packed >> NUMBER_BITS);
    }

    /** The type of a message, of {@link #packed}: one of 64 that the publisher has, of which some are seldom. */
    static int typeOf(long packed) {
        long mixed = mixed(packed, TYPES);
        long one = mixed & mixed >>> Short.SIZE & TYPES - 1;
        return (int) ((packed >> NUMBER_BITS) * TYPES + one);
    }

    private static int length(long publisher, long number) {
        long mixed = mixed(number, publisher);
        int most = Math.floorMod(mixed >> 32, LONG_ONES) == 0 ? MAX_LENGTH : USUAL_MOST;
        return FIELDS + Math.floorMod((int) mixed, most - FIELDS + 1);
    }

    /** As SplittableRandom mixes. */
    private static long mixed(long a, long b) {
        long z = a * 0x9E3779B97F4A7C15L + b;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private static long next(long bytes) {
        return bytes * 6364136223846793005L + 1442695040888963407L;
    }
}
