package dev.msgrelay.loadgen.worker;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/** Histograms on their way between processes: HdrHistogram's own compressed form, in base64. */
public final class Histograms {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(100);
    private static final int PRECISION_DIGITS = 3;

    private Histograms() {}

    /** An empty one, of times up to 100 s, that is kept for long: it takes memory for the times that occur, not for all. */
    public static Histogram sparse() {
        return new PackedHistogram(LONGEST_NANOS, PRECISION_DIGITS);
    }

    /** The same values in as little memory. */
    public static Histogram sparse(Histogram histogram) {
        Histogram sparse = new PackedHistogram(histogram.getNumberOfSignificantValueDigits());
        sparse.add(histogram);
        return sparse;
    }

    public static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /**
     * @throws IllegalArgumentException it is no such histogram
     */
    public static Histogram decode(String base64) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(base64)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not a histogram: " + e.getMessage(), e);
        }
    }
}
