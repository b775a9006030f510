package dev.msgrelay.loadgen.worker;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
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
     * @throws IllegalArgumentException it is no such histogram, or one of more digits than ours have: its head alone says how
     *     much memory it takes, up to 100 MB
     */
    public static Histogram decode(String base64) {
        try {
            byte[] text = Base64.getDecoder().decode(base64);
            int digits = digits(text);
            if (digits < 0 || digits > PRECISION_DIGITS) {
                throw new IllegalArgumentException(
                        "a histogram of " + digits + " digits is not within 0.." + PRECISION_DIGITS);
            }
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(text), 0);
        } catch (DataFormatException | BufferUnderflowException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("not a histogram: " + e.getMessage(), e);
        }
    }

    /** Of the head that HdrHistogram's encoding V2 begins with: cookie, length, offset of the first index, digits. */
    private static int digits(byte[] compressed) throws DataFormatException {
        Inflater inflater = new Inflater();
        try {
            int skipped = Math.min(compressed.length, 2 * Integer.BYTES);
            inflater.setInput(compressed, skipped, compressed.length - skipped);
            ByteBuffer head = ByteBuffer.allocate(4 * Integer.BYTES);
            head.limit(inflater.inflate(head.array()));
            return head.getInt(3 * Integer.BYTES);
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("not a histogram: it ends within its head", e);
        } finally {
            inflater.end();
        }
    }
}
