package dev.msgrelay.loadgen.plan;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/**
 * Histograms of times up to 100 s, in nanoseconds. Between processes they are sent in HdrHistogram's format, as base64.
 */
public final class Histograms {
    public static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(100);

    private static final int PRECISION_DIGITS = 3;

    private Histograms() {}

    /** Creates a histogram for a thread that records often: its memory is allocated at once. */
    public static Histogram recording() {
        return new Histogram(LONGEST_NANOS, PRECISION_DIGITS);
    }

    /** Creates a histogram that is kept for long: it uses memory only for times that occur. */
    public static Histogram sparse() {
        return new PackedHistogram(LONGEST_NANOS, PRECISION_DIGITS);
    }

    public static Histogram sum(Stream<Histogram> all) {
        Histogram sum = sparse();
        all.filter(one -> one != null).forEach(sum::add);
        return sum;
    }

    public static String name(double percentile) {
        return "p" + (percentile == Math.rint(percentile) ? "" + (int) percentile : "" + percentile);
    }

    static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    static Histogram decode(String base64) {
        try {
            byte[] text = Base64.getDecoder().decode(base64);
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(text), 0);
        } catch (DataFormatException | BufferUnderflowException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("not a histogram: " + e.getMessage(), e);
        }
    }
}
