package dev.msgrelay.loadgen.lab.readers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Channel and buffer, the article's first: what is read is appended to what is left, and only at the end of the buffer
 * the rest is copied to its beginning.
 */
final class AppendingClient implements Client {
    /** Half a megabyte, as in the article. */
    static final int BUFFER = 512 << 10;

    private final ByteBuffer buf = ByteBuffer.allocateDirect(BUFFER);
    private byte[] body = new byte[0];

    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        buf.clear().limit(0);
        try (CountedChannel channel = new CountedChannel(server)) {
            while (ensure(channel, 8)) {
                int type = buf.getInt();
                int length = buf.getInt();
                if (length > body.length) {
                    body = new byte[length];
                }
                if (!ensure(channel, length)) {
                    throw new EOFException("stream ended in the middle of a message");
                }
                buf.get(body, 0, length);
                sink.message(type, body, length);
            }
            return channel.reads();
        }
    }

    /** Makes {@code length} bytes available between position and limit; false at the end of the stream. */
    private boolean ensure(CountedChannel channel, int length) throws IOException {
        while (buf.remaining() < length) {
            int start = buf.position();
            int end = buf.limit();
            if (buf.capacity() - start < length || end == buf.capacity()) {
                buf.compact();
                end = buf.position();
                start = 0;
            }
            buf.limit(buf.capacity()).position(end);
            int n = channel.read(buf);
            if (n < 0) {
                if (end > start) {
                    throw new EOFException("stream ended in the middle of a message");
                }
                return false;
            }
            buf.limit(end + n).position(start);
        }
        return true;
    }
}
