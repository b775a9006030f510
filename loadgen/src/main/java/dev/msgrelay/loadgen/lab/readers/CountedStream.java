package dev.msgrelay.loadgen.lab.readers;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A socket's input stream that counts how often it is read. */
final class CountedStream extends FilterInputStream {
    private final Socket socket;
    private long reads;

    private CountedStream(Socket socket) throws IOException {
        super(socket.getInputStream());
        this.socket = socket;
    }

    static CountedStream connect(InetSocketAddress server) throws IOException {
        Socket socket = new Socket(server.getAddress(), server.getPort());
        try {
            return new CountedStream(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Reads a whole array; false at the end of the stream. */
    static boolean readFully(InputStream in, byte[] target, int length) throws IOException {
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
    static void readAll(InputStream in, byte[] target, int length) throws IOException {
        if (!readFully(in, target, length) && length > 0) {
            throw new EOFException("stream ended in the middle of a message");
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

    long reads() {
        return reads;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
