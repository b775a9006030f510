package dev.msgrelay.loadgen.lab.readers;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;

/** As the article starts: no buffer, integers a byte at a time; six reads a message. */
final class ByteWiseClient implements Client {
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
        int b0 = in.read();
        int b1 = in.read();
        int b2 = in.read();
        int b3 = in.read();
        return b0 << 24 | b1 << 16 | b2 << 8 | b3;
    }
}
