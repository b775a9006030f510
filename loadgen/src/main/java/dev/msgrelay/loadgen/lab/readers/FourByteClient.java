package dev.msgrelay.loadgen.lab.readers;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;

/** An integer in one read of four bytes: three reads a message. */
final class FourByteClient implements Client {
    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        try (CountedStream in = CountedStream.connect(server)) {
            byte[] type = new byte[4];
            while (CountedStream.readFully(in, type, 4)) {
                int length = readInt(in);
                byte[] body = new byte[length];
                CountedStream.readAll(in, body, length);
                sink.message(type, body, length);
                type = new byte[4];
            }
            return in.reads();
        }
    }

    private static int readInt(InputStream in) throws IOException {
        byte[] b = new byte[4];
        CountedStream.readAll(in, b, 4);
        return (b[0] & 0xFF) << 24 | (b[1] & 0xFF) << 16 | (b[2] & 0xFF) << 8 | b[3] & 0xFF;
    }
}
