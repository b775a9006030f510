package dev.msgrelay.server.harness;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The messages that a subscriber got: type and length of each, in their order. Written by its thread, read by the test.
 */
public final class Received {
    /** Publishers that a type can name. */
    private static final int PUBLISHERS = 1 << 11;

    private final AtomicIntegerArray ofPublisher = new AtomicIntegerArray(PUBLISHERS);
    private int[] types = new int[1024];
    private int[] lengths = new int[1024];
    private volatile int count;
    private volatile String wrong;
    private volatile int leftover;
    private volatile boolean strangers;

    /** Takes the frame at {@code at} of a big-endian buffer, whole, and checks its body. */
    void add(ByteBuffer frame, int at) {
        int type = frame.getInt(at);
        int length = frame.getInt(at + 4);
        if (strangers && (type < 0 || type % Frames.NUMBERS != ofPublisher.get(type / Frames.NUMBERS))) {
            return;
        }
        for (int i = 0; i < length; i++) {
            if (frame.get(at + 8 + i) != Frames.bodyByte(type, i)) {
                if (strangers) {
                    return;
                }
                wrong("byte " + i + " of " + length + " in message " + count + " of type " + type);
                return;
            }
        }
        int n = count;
        synchronized (this) {
            if (n == types.length) {
                types = Arrays.copyOf(types, 2 * n);
                lengths = Arrays.copyOf(lengths, 2 * n);
            }
            types[n] = type;
            lengths[n] = length;
        }
        count = n + 1;
        if (type >= 0) {
            int publisher = type / Frames.NUMBERS;
            ofPublisher.lazySet(publisher, ofPublisher.get(publisher) + 1);
        }
    }

    /** From now on others publish anything: what is not a publisher's next message is passed over. */
    public void passOverStrangers() {
        strangers = true;
    }

    void wrong(String what) {
        wrong = what;
    }

    void leftover(int bytes) {
        leftover = bytes;
    }

    public int count() {
        return count;
    }

    public int countOf(int publisher) {
        return ofPublisher.get(publisher);
    }

    /** The first thing that was not as it should be, or null. */
    public String wrong() {
        return wrong;
    }

    public int leftover() {
        return leftover;
    }

    public synchronized int[] types() {
        return Arrays.copyOf(types, count);
    }

    public synchronized int[] lengths() {
        return Arrays.copyOf(lengths, count);
    }

    /** Fails unless every publisher's messages came completely and in its order: {@code each[p]} from 0. */
    public void assertAllOf(int... each) {
        assertOrder(each, false);
    }

    /** Fails unless the messages of every publisher came in its order, each once; some may be missing. */
    public void assertOrderOnly() {
        assertOrderOnly(PUBLISHERS);
    }

    public void assertOrderOnly(int publishers) {
        int[] each = new int[publishers];
        Arrays.fill(each, Frames.NUMBERS);
        assertOrder(each, true);
    }

    private void assertOrder(int[] each, boolean gapsAllowed) {
        if (wrong != null) {
            throw new AssertionError("wrong: " + wrong);
        }
        int[] next = new int[each.length];
        int[] got = types();
        for (int i = 0; i < got.length; i++) {
            int publisher = got[i] / Frames.NUMBERS;
            int number = got[i] % Frames.NUMBERS;
            if (publisher < 0 || publisher >= next.length) {
                throw new AssertionError("message " + i + ": type " + got[i] + " was never sent");
            }
            if (gapsAllowed ? number < next[publisher] : number != next[publisher]) {
                throw new AssertionError("message " + i + ": publisher " + publisher + " expected " + next[publisher]
                        + ", got " + number);
            }
            next[publisher] = number + 1;
        }
        if (!gapsAllowed && !Arrays.equals(next, each)) {
            throw new AssertionError("got " + Arrays.toString(next) + " messages of " + Arrays.toString(each));
        }
    }
}
