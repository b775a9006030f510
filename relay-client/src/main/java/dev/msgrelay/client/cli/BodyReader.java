package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Cuts a byte stream into message bodies: lines, pieces of a fixed size or between delimiters, frames. The bodies are
 * parts of one array, which grows up to the longest body. Owned by one thread.
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
    private String unit = "message";

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
        unit = "line";
        cut(new byte[] {'\n'}, true, sink);
    }

    /** Hands over what stands between delimiters, unchanged. The last piece need not have a delimiter behind it. */
    void pieces(byte[] delimiter, Sink sink) throws IOException, InterruptedException {
        cut(delimiter, false, sink);
    }

    /** Hands over the whole input as one body; nothing if it is empty. */
    void whole(Sink sink) throws IOException, InterruptedException {
        while (fill()) {
            if (end > maxBody) {
                throw tooLong(end);
            }
        }
        if (end > 0) {
            handOver(sink, end);
        }
    }

    private void cut(byte[] delimiter, boolean lines, Sink sink) throws IOException, InterruptedException {
        int searched = 0;
        do {
            int found;
            while ((found = indexOf(delimiter, start + searched)) >= 0) {
                handOver(sink, (lines ? withoutCarriageReturn(found) : found) - start);
                start = found + delimiter.length;
                searched = 0;
            }
            // A delimiter, or the line feed behind a carriage return, may be still to come.
            if (end - start > maxBody + delimiter.length) {
                throw tooLong(end - start);
            }
            searched = Math.max(0, end - start - delimiter.length + 1);
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

    /**
     * Hands over messages in the form that they have on the wire.
     *
     * @throws IOException a frame is none of a message, is too long, or is cut off; the message has its number. Those
     *     before it were handed over
     */
    void frames(PublishInput.Sink sink) throws IOException, InterruptedException {
        unit = "frame";
        boolean more = true;
        while (more || end > start) {
            while (more && end - start < FrameLayout.HEADER_LENGTH) {
                more = fill();
            }
            if (end == start) {
                return;
            }
            if (end - start < FrameLayout.HEADER_LENGTH) {
                throw cutOff(FrameLayout.HEADER_LENGTH);
            }
            ByteBuffer header = ByteBuffer.wrap(array, start, FrameLayout.HEADER_LENGTH);
            int type = header.getInt();
            int length = header.getInt();
            if (ControlFrames.isControl(type)) {
                throw bad(unit + " " + (bodies + 1) + " has the type " + ControlFrames.typeName(type)
                        + ", which is reserved");
            }
            if (length < 0 || length > maxBody) {
                throw bad(unit + " " + (bodies + 1) + " says a length of " + Integer.toUnsignedString(length)
                        + " bytes, over the limit of " + maxBody);
            }
            while (more && end - start < FrameLayout.frameLength(length)) {
                more = fill();
            }
            if (end - start < FrameLayout.frameLength(length)) {
                throw cutOff(FrameLayout.frameLength(length));
            }
            bodies++;
            sink.accept(type, array, start + FrameLayout.HEADER_LENGTH, length);
            start += FrameLayout.frameLength(length);
        }
    }

    private IOException cutOff(int length) {
        return bad("the input ends within " + unit + " " + (bodies + 1) + ": " + (end - start) + " of " + length
                + " bytes");
    }

    private static IOException bad(String words) {
        return new PublishInput.BadInputException(words);
    }

    private void handOver(Sink sink, int length) throws IOException, InterruptedException {
        if (length > maxBody) {
            throw tooLong(length);
        }
        bodies++;
        sink.accept(array, start, length);
    }

    private IOException tooLong(int length) {
        return bad(unit + " " + (bodies + 1) + " of at least " + length + " bytes is over the limit of " + maxBody);
    }

    private int withoutCarriageReturn(int lineEnd) {
        return lineEnd > start && array[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
    }

    private int indexOf(byte[] wanted, int from) {
        for (int i = from; i <= end - wanted.length; i++) {
            if (Arrays.equals(array, i, i + wanted.length, wanted, 0, wanted.length)) {
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
