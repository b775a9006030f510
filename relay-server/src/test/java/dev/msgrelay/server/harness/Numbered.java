package dev.msgrelay.server.harness;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Messages that say which they are: the body starts with the message's sequence, and its type, its length and the rest
 * follow from that. They are published by one thread, so the sequences are known before the relay gives them.
 */
public final class Numbered {
    private static final int NUMBER_BYTES = Long.BYTES;
    private static final byte[] FILLING = new byte[1 << 16];

    static {
        new Random(1).nextBytes(FILLING);
    }

    private final long seed;
    private final int types;
    private final int[] mostBytes;

    /**
     * @param types types are 0 to this, excluded
     * @param mostBytes each message is of one of these classes: its body has 8 to so many bytes
     */
    public Numbered(Random random, int types, int... mostBytes) {
        this.seed = random.nextLong();
        this.types = types;
        this.mostBytes = mostBytes;
    }

    public int type(long sequence) {
        return (int) Long.remainderUnsigned(mixed(sequence, 1), types);
    }

    public int length(long sequence) {
        int most = mostBytes[(int) Long.remainderUnsigned(mixed(sequence, 2), mostBytes.length)];
        return NUMBER_BYTES + (int) Long.remainderUnsigned(mixed(sequence, 3), most - NUMBER_BYTES + 1);
    }

    public void put(ByteBuffer target, long sequence) {
        int length = length(sequence);
        target.putInt(type(sequence)).putInt(length).putLong(sequence);
        int left = length - NUMBER_BYTES;
        int at = (int) (sequence & 0xFFF);
        while (left > 0) {
            int part = Math.min(left, FILLING.length - at);
            target.put(FILLING, at, part);
            left -= part;
            at = 0;
        }
    }

    /** What is wrong with a whole frame at {@code at}, header included, or null. */
    public String wrong(ByteBuffer frame, int at) {
        int length = frame.getInt(at + 4);
        if (length < NUMBER_BYTES) {
            return "a body of " + length + " bytes was never sent";
        }
        long sequence = sequence(frame, at);
        if (sequence < 1 || length != length(sequence) || frame.getInt(at) != type(sequence)) {
            return "type " + frame.getInt(at) + " and " + length + " bytes are not those of message " + sequence;
        }
        ByteBuffer expected = ByteBuffer.allocate(8 + length);
        put(expected, sequence);
        int mismatch = expected.flip().mismatch(frame.slice(at, 8 + length));
        return mismatch < 0 ? null : "byte " + mismatch + " of message " + sequence + " of " + length + " bytes";
    }

    /** The sequence that a frame at {@code at} carries. */
    public static long sequence(ByteBuffer frame, int at) {
        return frame.getLong(at + 8);
    }

    private long mixed(long sequence, int salt) {
        long z = seed + sequence * 0x9E3779B97F4A7C15L + salt * 0xD1B54A32D192ED03L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
