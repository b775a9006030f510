package dev.msgrelay.lab.readers;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * The article's clients that read from a stream. Without a buffer they read the socket six times for each message, or
 * three times. With a {@link BufferedInputStream}, "one trivial line of code", they rarely read it. Each client runs in
 * its own JVM, which compiles this class for that client alone.
 */
final class StreamClient implements Client {
    private final boolean buffered;
    private final boolean fourBytes;
    private final boolean reusing;
    private final byte[] keptInteger = new byte[4];
    private final byte[] keptType = new byte[4];
    private byte[] keptBody = new byte[0];

    /**
     * @param fourBytes whether an integer is read by one call instead of four
     * @param reusing whether arrays are kept in fields, so that nothing is allocated for a message. In the article they
     *     were static fields: "This is a failure: the code runs slower."
     */
    StreamClient(boolean buffered, boolean fourBytes, boolean reusing) {
        this.buffered = buffered;
        this.fourBytes = fourBytes;
        this.reusing = reusing;
    }

    /** An input stream that counts how often the socket is read. */
    private static final class Counted extends FilterInputStream {
        private long reads;

        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            reads++;
            return in.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            reads++;
            return in.read(target, offset, length);
        }
    }

    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
            Counted counted = new Counted(socket.getInputStream());
            InputStream in = buffered ? new BufferedInputStream(counted) : counted;
            byte[] type = reusing ? keptType : new byte[4];
            while (readFully(in, type, 4)) {
                int length = fourBytes ? fourBytes(in) : byteByByte(in);
                byte[] body = body(length);
                if (!readFully(in, body, length)) {
                    throw Client.cut();
                }
                sink.message(integer(type), body, length);
                if (!reusing) {
                    type = new byte[4];
                }
            }
            return counted.reads;
        }
    }

    private byte[] body(int length) {
        if (reusing && length > keptBody.length) {
            keptBody = new byte[length];
        }
        return reusing ? keptBody : new byte[length];
    }

    /** Reads an integer by four calls, as the article starts. */
    private static int byteByByte(InputStream in) throws IOException {
        int b0 = in.read();
        int b1 = in.read();
        int b2 = in.read();
        int b3 = in.read();
        return b0 << 24 | b1 << 16 | b2 << 8 | b3;
    }

    private int fourBytes(InputStream in) throws IOException {
        byte[] b = reusing ? keptInteger : new byte[4];
        if (!readFully(in, b, 4)) {
            throw Client.cut();
        }
        return integer(b);
    }

    private static int integer(byte[] b) {
        return (b[0] & 0xFF) << 24 | (b[1] & 0xFF) << 16 | (b[2] & 0xFF) << 8 | b[3] & 0xFF;
    }

    /** Reads {@code length} bytes; false if the stream ends before them. */
    private static boolean readFully(InputStream in, byte[] target, int length) throws IOException {
        int n = in.readNBytes(target, 0, length);
        if (n > 0 && n < length) {
            throw Client.cut();
        }
        return n == length;
    }
}
