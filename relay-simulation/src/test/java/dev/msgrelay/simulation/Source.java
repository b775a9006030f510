package dev.msgrelay.simulation;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * Where messages come from: one publisher's count. Message n of a source is a function of both, so it can be made again
 * to be sent again, and made once more to be compared with what came out.
 *
 * <pre>
 *   | type | length | source (2) number (6) | pseudo-random bytes ... |     the usual body
 *   | TINY + source + number | length | 0 to 7 bytes |                    one that has no room for that
 * </pre>
 */
final class Source {
    static final int HEADER = 8;
    private static final int NUMBERED = 8;
    private static final int TINY = 0x4000_0000;
    private static final int TINY_MASK = 0xFC00_0000;
    private static final int TINY_NUMBERS = 0xFFFF;

    /** Types of messages: neighbours of the reserved ones among them. */
    static final int[] TYPES = {
        0, 1, 2, 3, 4, 5, 6, 7, 100, 101, 102, 103, -1, -5, 0x7FFF_FFFF, 0x8000_0100, 0x8100_0000, 9_999
    };

    private static final int OFFSETS = 1 << 16;
    private static final byte[] BYTES = new byte[OFFSETS + (2 << 20)];

    static {
        new SplittableRandom(42).nextBytes(BYTES);
    }

    enum Size {
        TINY,
        SMALL,
        MEDIUM,
        LARGE,
        MIXED
    }

    final int id;
    private final long seed;
    private final Size size;
    private final int maxBody;

    // Of the model.
    private int[] sequences = new int[64];
    // The number of its last message in the stream; 0: none.
    int inStream;
    // Its name may be somebody else's meanwhile: the relay may have forgotten what it has counted.
    boolean mayStartAnew;
    // Its publisher has said that its next message has this number; those before it that are not there are gone.
    private int goesOnAt;
    // Of those, what its publisher was told.
    private final BitSet told = new BitSet();

    Source(int id, long seed, Size size, int maxBody) {
        this.id = id;
        this.seed = seed;
        this.size = size;
        this.maxBody = maxBody;
    }

    private long hash(int number) {
        long h = seed ^ (long) id * 0x9E37_79B9_7F4A_7C15L ^ (long) number * 0xD1B5_4A32_D192_ED03L;
        h = (h ^ h >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        h = (h ^ h >>> 27) * 0x94D0_49BB_1331_11EBL;
        return h ^ h >>> 31;
    }

    int bodyLength(int number) {
        long h = hash(number);
        int pick = (int) (h >>> 8 & 0xFFFF);
        int length =
                switch (size) {
                    case TINY -> pick % 24;
                    case SMALL -> pick % 200;
                    case MEDIUM -> pick % 4000;
                    case LARGE -> large(h, pick);
                    case MIXED ->
                        switch ((int) (h & 31)) {
                            case 0 -> large(h, pick);
                            case 1, 2, 3 -> pick % 6000;
                            case 4, 5, 6, 7 -> pick % 10;
                            default -> pick % 300;
                        };
                };
        return Math.min(length, maxBody);
    }

    private int large(long h, int pick) {
        int whole = (int) (h >>> 32 & 0x7FFF_FFFF) % (maxBody + 1);
        return switch (pick & 15) {
            case 0 -> maxBody;
            case 1, 2 -> whole;
            default -> whole / 8;
        };
    }

    int frameLength(int number) {
        return HEADER + bodyLength(number);
    }

    int type(int number, int bodyLength) {
        return bodyLength < NUMBERED
                ? TINY | id << 16 | number & TINY_NUMBERS
                : TYPES[(int) (hash(number) >>> 40 & 0xFFFF) % TYPES.length];
    }

    /** Makes the whole frame of message {@code number}; answers its length. */
    int put(int number, byte[] to, int at) {
        int length = bodyLength(number);
        putInt(to, at, type(number, length));
        putInt(to, at + 4, length);
        int offset = (int) (hash(number) >>> 48) % OFFSETS;
        System.arraycopy(BYTES, offset, to, at + HEADER, length);
        if (length >= NUMBERED) {
            putInt(to, at + HEADER, id << 16);
            putInt(to, at + HEADER + 4, number);
        }
        return HEADER + length;
    }

    /** Whether these are just the bytes of message {@code number}. */
    boolean matches(int number, byte[] bytes, int at) {
        int length = bodyLength(number);
        int offset = (int) (hash(number) >>> 48) % OFFSETS;
        int skip = length >= NUMBERED ? NUMBERED : 0;
        return getInt(bytes, at) == type(number, length)
                && getInt(bytes, at + 4) == length
                && Arrays.equals(
                        bytes, at + HEADER + skip, at + HEADER + length, BYTES, offset + skip, offset + length);
    }

    /** The source that a frame says it is of; the first 16 bytes are there, or all of it. */
    static int sourceOf(byte[] bytes, int at) {
        int type = getInt(bytes, at);
        return (type & TINY_MASK) == TINY ? type >>> 16 & 0x3FF : getInt(bytes, at + HEADER) >>> 16;
    }

    /** The number that it says it has; of a tiny one its last 16 bits. */
    static int numberOf(byte[] bytes, int at) {
        int type = getInt(bytes, at);
        return (type & TINY_MASK) == TINY ? type & TINY_NUMBERS : getInt(bytes, at + HEADER + 4);
    }

    static int getInt(byte[] bytes, int at) {
        return ByteBuffer.wrap(bytes).getInt(at);
    }

    static void putInt(byte[] bytes, int at, int value) {
        ByteBuffer.wrap(bytes).putInt(at, value);
    }

    /** The sequence that its message has in the stream; 0: it is not there. */
    int sequence(int number) {
        return number > 0 && number <= inStream ? sequences[number] : 0;
    }

    boolean mayCome(int number) {
        return number == inStream + 1
                || (number == goesOnAt && number > inStream)
                || (mayStartAnew && number <= inStream);
    }

    /** The sequence that its message had the last time; 0: it was never there. */
    int latest(int number) {
        return number > 0 && number < sequences.length ? sequences[number] : 0;
    }

    void came(int number, int sequence) {
        if (number >= sequences.length) {
            sequences = Arrays.copyOf(sequences, 2 * number);
        }
        sequences[number] = sequence;
        mayStartAnew &= number > inStream;
        inStream = number;
    }

    /** Nothing of it is there, until it comes again. */
    void forget() {
        inStream = 0;
        Arrays.fill(sequences, 0);
    }

    /** The last one of its messages up to a sequence; 0: none. */
    int lastUpTo(int sequence) {
        int number = inStream;
        while (number > 0 && (sequences[number] == 0 || sequences[number] > sequence)) {
            number--;
        }
        return number;
    }

    /** Its publisher has had ACKs up to here, and goes on behind. */
    void goesOnAt(int number) {
        if (number > inStream + 1) {
            goesOnAt = number;
        }
    }

    /** Whether it is one that was in the stream, and its publisher goes on behind it. */
    boolean isGone(int number) {
        return number < goesOnAt && latest(number) == 0;
    }

    /** Its first message below a number that is not there, and that its publisher does not know of; 0: none. */
    int firstGone(int below) {
        for (int number = 1; number < below; number++) {
            if (latest(number) == 0 && !told.get(number)) {
                return number;
            }
        }
        return 0;
    }

    /** Its publisher knows what is missing below a number. */
    void told(int below) {
        for (int number = 1; number < below; number++) {
            if (latest(number) == 0) {
                told.set(number);
            }
        }
    }
}
