package dev.msgrelay.loadgen.message;

import dev.msgrelay.protocol.FrameLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;

/**
 * The body size and type of every message. Publishers and subscribers look both up by the message's stamp, so nothing
 * is drawn at random or stored for each message.
 *
 * <p>The table contains each size equally often, in a shuffled order. Message {@code n} of a publisher has entry {@code
 * n} modulo the table's length, counted from an entry that differs by publisher. Immutable.
 */
public final class SizeTable {
    static final int LENGTH = 1 << 16;

    private static final int ORDER = 1;

    public static final int MAX_TYPES = 1_000_000;

    /** An odd factor, so that different publisher ids begin at different entries. */
    private static final int START_STEP = 0x9E3779B1;

    private static final long FIRST_FACTOR = 0xFF51AFD7ED558CCDL;
    private static final long SECOND_FACTOR = 0xC4CEB9FE1A85EC53L;

    private final int[] sizes;
    private final int mask;
    private final int max;
    private final int types;

    private SizeTable(int[] sizes, int max, int types) {
        this.sizes = sizes;
        this.mask = sizes.length - 1;
        this.max = max;
        this.types = types;
    }

    /** Returns the table of these sizes. Their order is the same in every process. */
    public static SizeTable of(BodySizes body) {
        if (body.isFixed()) {
            return fixed(body.min());
        }
        List<Integer> sizes = new ArrayList<>(LENGTH);
        long span = body.max() - body.min() + 1L;
        for (int k = 0; k < LENGTH; k++) {
            sizes.add(body.min() + (int) ((2L * k + 1) * span / (2L * LENGTH)));
        }
        Collections.shuffle(sizes, new Random(ORDER));
        return new SizeTable(sizes.stream().mapToInt(Integer::intValue).toArray(), body.max(), 1);
    }

    public static SizeTable fixed(int size) {
        return new SizeTable(new int[] {size}, size, 1);
    }

    public int sizeOf(long stamp) {
        // The message's number is in the lower bits of the stamp, and the mask selects only the lowest bits.
        return sizes[((int) stamp + LoadMessage.publisher(stamp) * START_STEP) & mask];
    }

    public boolean isFixed() {
        return mask == 0;
    }

    public SizeTable withTypes(int count) {
        if (count < 1 || count > MAX_TYPES) {
            throw new IllegalArgumentException("types " + count + " are not within 1.." + MAX_TYPES);
        }
        return new SizeTable(sizes, max, count);
    }

    public int types() {
        return types;
    }

    public boolean carries(int type) {
        return types == 1 ? type == LoadMessage.TYPE : type >= 1 && type <= types;
    }

    /** Returns the place of a type that {@link #carries} accepts, below {@link #types}. */
    int indexOf(int type) {
        return types == 1 ? 0 : type - 1;
    }

    int typeAt(int index) {
        return types == 1 ? LoadMessage.TYPE : index + 1;
    }

    /**
     * Returns the type of a message. The first messages of each publisher carry each type once, in turn, so that a
     * known number of messages fills a state; all others carry a type at random, which the stamp alone determines.
     */
    public int typeOf(long stamp) {
        if (types == 1) {
            return LoadMessage.TYPE;
        }
        long number = LoadMessage.number(stamp);
        return 1 + (number < types ? (int) number : random(stamp));
    }

    /** Mixes a stamp to a number below the number of types. Neighbouring stamps have nothing in common. */
    private int random(long stamp) {
        long mixed = (stamp ^ stamp >>> 33) * FIRST_FACTOR;
        mixed = (mixed ^ mixed >>> 33) * SECOND_FACTOR;
        return (int) ((mixed >>> Integer.SIZE) * types >>> Integer.SIZE);
    }

    public boolean isUniform() {
        return isFixed() && types == 1;
    }

    /** Writes the whole frame of a message at {@code offset}. */
    int putFrame(ByteBuffer buffer, int offset, long stamp, long timeNanos) {
        int bodyLength = sizeOf(stamp);
        int body = offset + FrameLayout.HEADER_LENGTH;
        FrameLayout.putHeader(buffer, offset, typeOf(stamp), bodyLength);
        LoadMessage.put(buffer, body, stamp, timeNanos);
        Padding.fill(buffer, body, bodyLength);
        return FrameLayout.frameLength(bodyLength);
    }

    public double meanFrame() {
        return mean(frame -> frame);
    }

    public double mean(IntToDoubleFunction ofFrame) {
        return Arrays.stream(sizes)
                .map(FrameLayout::frameLength)
                .mapToDouble(ofFrame)
                .average()
                .orElseThrow();
    }

    public int max() {
        return max;
    }
}
