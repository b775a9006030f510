package dev.msgrelay.protocol.text;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;

/**
 * Standard output that remembers its first failure, which a {@link PrintWriter} hides: a reader that has gone,
 * such as {@code head}, is no fault, and a full disk is one. Owned by one thread.
 */
public final class WatchedOutput extends FilterOutputStream {
    /** The system's text for EPIPE. */
    private static final String GONE = "Broken pipe";

    private IOException failure;

    public WatchedOutput(OutputStream out) {
        super(out);
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
        String why = failure == null ? "" : String.valueOf(failure.getMessage());
        if (why.contains(GONE)) {
            return false;
        }
        throw new IOException("cannot write to standard output: " + why, failure);
    }
}
