package dev.msgrelay.protocol.text;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.function.Supplier;

/**
 * Standard output that remembers its first failure, which a {@link PrintWriter} hides: a reader that has gone,
 * such as {@code head}, is no fault, and a full disk is one. Owned by one thread.
 */
public final class WatchedOutput extends FilterOutputStream {
    private final Supplier<SystemWords> words;

    private IOException failure;

    public WatchedOutput(OutputStream out) {
        this(out, SystemWords::here);
    }

    /** With the words of another language. */
    WatchedOutput(OutputStream out, Supplier<SystemWords> words) {
        super(out);
        this.words = words;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            failure = failure == null ? e : failure;
            throw e;
        }
    }

    /**
     * Flushes the writer over this output; returns whether anybody reads it.
     *
     * @throws IOException it cannot be written for another reason
     */
    public boolean isRead(PrintWriter writer) throws IOException {
        boolean failed = writer.checkError();
        if (!failed && failure == null) {
            return true;
        }
        if (failure != null && words.get().tellClosedPipe(failure)) {
            return false;
        }
        String why = failure == null ? "" : String.valueOf(failure.getMessage());
        throw new IOException("cannot write to standard output: " + why, failure);
    }
}
