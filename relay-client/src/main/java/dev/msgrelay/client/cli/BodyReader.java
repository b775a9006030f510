package dev.msgrelay.client.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Cuts a byte stream into message bodies: lines, or pieces of a fixed size. The bodies are parts of one array, which
 * grows up to the longest body. Owned by one thread.
 */
final class BodyReader {
    /** Takes one body: a part of the reader's own array, valid until the method returns. */
    @FunctionalInterface
    interface Sink {
        void accept(byte[] array, int offset, int length) throws IOException, InterruptedException;
    }

    private static final int FIRST_SIZE = 64 << 10;

    private final InputStream in;
    private final int maxBody;
    private byte[] array;
    private int start;
    private int end;
    private long bodies;

    BodyReader(InputStream in, int maxBody) {
        this.in = in;
        this.maxBody = maxBody;
        this.array = new byte[FIRST_SIZE];
    }

    /**
     * Hands over lines without their ends (LF or CR LF). The last line need not have an end.
     *
     * @throws IOException a line is over the limit; the message has its number. The lines before it were handed over
     */
    void lines(Sink sink) throws IOException, InterruptedException {
        int searched = 0;
        do {
            int lineEnd;
            while ((lineEnd = indexOf((byte) '\n', start + searched)) >= 0) {
                handOver(sink, withoutCarriageReturn(lineEnd) - start);
                start = lineEnd + 1;
                searched = 0;
            }
            searched = end - start;
            // A carriage return whose line feed is still to come does not count.
            if (searched > maxBody + 1) {
                throw tooLong(searched);
            }
        } while (fill());
        if (end > start) {
            handOver(sink, end - start);
        }
    }

    /** Hands over pieces of {@code size} bytes; the last one may be shorter. */
    void chunks(int size, Sink sink) throws IOException, InterruptedException {
        do {
            while (end - start >= size) {
                handOver(sink, size);
                start += size;
            }
        } while (fill());
        if (end > start) {
            handOver(sink, end - start);
        }
    }

    private void handOver(Sink sink, int length) throws IOException, InterruptedException {
        if (length > maxBody) {
            throw tooLong(length);
        }
        bodies++;
        sink.accept(array, start, length);
    }

    private IOException tooLong(int length) {
        return new IOException(
                "line " + (bodies + 1) + " of at least " + length + " bytes is over the limit of " + maxBody);
    }

    private int withoutCarriageReturn(int lineEnd) {
        return lineEnd > start && array[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
    }

    private int indexOf(byte wanted, int from) {
        for (int i = from; i < end; i++) {
            if (array[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private boolean fill() throws IOException {
        System.arraycopy(array, start, array, 0, end - start);
        end -= start;
        start = 0;
        if (end == array.length) {
            array = Arrays.copyOf(array, Math.min(array.length * 2, Math.max(array.length, maxBody) + FIRST_SIZE));
        }
        int n = in.read(array, end, array.length - end);
        end += Math.max(0, n);
        return n >= 0;
    }
}
