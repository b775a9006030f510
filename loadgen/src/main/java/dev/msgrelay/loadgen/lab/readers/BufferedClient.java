package dev.msgrelay.loadgen.lab.readers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;

/** "One trivial line of code": a {@link BufferedInputStream}; integers a byte at a time. */
final class BufferedClient implements Client {
    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        try (CountedStream socket = CountedStream.connect(server)) {
            InputStream in = new BufferedInputStream(socket);
            byte[] type = new byte[4];
            while (CountedStream.readFully(in, type, 4)) {
                int length = readInt(in);
                byte[] body = new byte[length];
                CountedStream.readAll(in, body, length);
                sink.message(type, body, length);
                type = new byte[4];
            }
            return socket.reads();
        }
    }

    private static int readInt(InputStream in) throws IOException {
        int b0 = in.read();
        int b1 = in.read();
        int b2 = in.read();
        int b3 = in.read();
        return b0 << 24 | b1 << 16 | b2 << 8 | b3;
    }
}
