package dev.msgrelay.loadgen.lab.readers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;

/**
 * Both, and nothing allocated a message: the arrays are fields, as in the article, where they were static ones. "This is a
 * failure: the code runs slower."
 */
final class ReusingClient implements Client {
    private final byte[] integer = new byte[4];
    private final byte[] type = new byte[4];
    private byte[] body = new byte[0];

    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        try (CountedStream socket = CountedStream.connect(server)) {
            InputStream in = new BufferedInputStream(socket);
            while (CountedStream.readFully(in, type, 4)) {
                int length = readInt(in);
                if (length > body.length) {
                    body = new byte[length];
                }
                CountedStream.readAll(in, body, length);
                sink.message(type, body, length);
            }
            return socket.reads();
        }
    }

    private int readInt(InputStream in) throws IOException {
        CountedStream.readAll(in, integer, 4);
        return (integer[0] & 0xFF) << 24 | (integer[1] & 0xFF) << 16 | (integer[2] & 0xFF) << 8 | integer[3] & 0xFF;
    }
}
