package dev.msgrelay.lab.readers;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** The article's clients that read from a stream. */
final class StreamClients {
    private StreamClients() {}

    /** A socket's input stream that counts how often it is read. */
    private static final class Counted extends FilterInputStream {
        private final Socket socket;
        private long reads;

        Counted(Socket socket) throws IOException {
            super(socket.getInputStream());
            this.socket = socket;
        }

        static Counted connect(InetSocketAddress server) throws IOException {
            Socket socket = new Socket(server.getAddress(), server.getPort());
            try {
                return new Counted(socket);
            } catch (IOException e) {
                socket.close();
                throw e;
            }
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

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Reads a whole array; false at the end of the stream. */
    private static boolean readFully(InputStream in, byte[] target, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int n = in.read(target, done, length - done);
            if (n < 0) {
                if (done > 0) {
                    throw new EOFException("stream ended in the middle of a message");
                }
                return false;
            }
            done += n;
        }
        return true;
    }

    /** As {@link #readFully}, where the stream may not end. */
    private static void readAll(InputStream in, byte[] target, int length) throws IOException {
        if (!readFully(in, target, length) && length > 0) {
            throw new EOFException("stream ended in the middle of a message");
        }
    }

    /** How an integer is read. */
    interface Integers {
        int read(InputStream in) throws IOException;
    }

    /** As the article starts: four reads. */
    static int byteByByte(InputStream in) throws IOException {
        int b0 = in.read();
        int b1 = in.read();
        int b2 = in.read();
        int b3 = in.read();
        return b0 << 24 | b1 << 16 | b2 << 8 | b3;
    }

    /** One read of four bytes. */
    static int fourBytes(InputStream in) throws IOException {
        byte[] b = new byte[4];
        readAll(in, b, 4);
        return integer(b);
    }

    private static int integer(byte[] b) {
        return (b[0] & 0xFF) << 24 | (b[1] & 0xFF) << 16 | (b[2] & 0xFF) << 8 | b[3] & 0xFF;
    }

    /**
     * Arrays for every message. Without a buffer there are six reads a message, or three; with "one trivial line of code",
     * a {@link BufferedInputStream}, few. Each client has a JVM of its own, which compiles this for its way alone.
     */
    record Allocating(boolean buffered, Integers integers) implements Client {
        @Override
        public long receive(InetSocketAddress server, Sink sink) throws IOException {
            try (Counted socket = Counted.connect(server)) {
                InputStream in = buffered ? new BufferedInputStream(socket) : socket;
                byte[] type = new byte[4];
                while (readFully(in, type, 4)) {
                    int length = integers.read(in);
                    byte[] body = new byte[length];
                    readAll(in, body, length);
                    sink.message(integer(type), body, length);
                    type = new byte[4];
                }
                return socket.reads;
            }
        }
    }

    /**
     * Buffered, four bytes at a time, and nothing allocated a message: the arrays are fields, as in the article, where they
     * were static ones. "This is a failure: the code runs slower."
     */
    static final class Reusing implements Client {
        private final byte[] integer = new byte[4];
        private final byte[] type = new byte[4];
        private byte[] body = new byte[0];

        @Override
        public long receive(InetSocketAddress server, Sink sink) throws IOException {
            try (Counted socket = Counted.connect(server)) {
                InputStream in = new BufferedInputStream(socket);
                while (readFully(in, type, 4)) {
                    readAll(in, integer, 4);
                    int length = integer(integer);
                    if (length > body.length) {
                        body = new byte[length];
                    }
                    readAll(in, body, length);
                    sink.message(integer(type), body, length);
                }
                return socket.reads;
            }
        }
    }
}
