package dev.msgrelay.loadgen.worker;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms on their way between processes: HdrHistogram's own compressed form, in base64. */
public final class Histograms {
    private Histograms() {}

    /** The same values in as little memory as they need: made for any value up to 100 s, a histogram takes 200 KiB. */
    public static Histogram fitted(Histogram histogram) {
        Histogram small = new Histogram(histogram.getNumberOfSignificantValueDigits());
        small.add(histogram);
        return small;
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
