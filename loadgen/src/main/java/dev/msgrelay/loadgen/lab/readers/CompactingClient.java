package dev.msgrelay.loadgen.lab.readers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Channel and buffer, the simpler one: whenever data runs short the rest is copied to the beginning of the buffer. */
final class CompactingClient implements Client {
    private final ByteBuffer buf = ByteBuffer.allocateDirect(AppendingClient.BUFFER);
    private byte[] body = new byte[0];

    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        buf.clear().limit(0);
        try (CountedChannel channel = new CountedChannel(server)) {
            while (ensure(channel, buf, 8)) {
                int type = buf.getInt();
                int length = buf.getInt();
                if (length > body.length) {
                    body = new byte[length];
                }
                if (!ensure(channel, buf, length)) {
                    throw new EOFException("stream ended in the middle of a message");
                }
                buf.get(body, 0, length);
                sink.message(type, body, length);
            }
            return channel.reads();
        }
    }

    /** Makes {@code length} bytes available between position and limit; false at the end of the stream. */
    static boolean ensure(CountedChannel channel, ByteBuffer buf, int length) throws IOException {
        if (buf.remaining() < length) {
            boolean between = !buf.hasRemaining();
            buf.compact();
            do {
                if (channel.read(buf) < 0) {
                    if (!between || buf.position() > 0) {
                        throw new EOFException("stream ended in the middle of a message");
                    }
                    return false;
                }
            } while (buf.position() < length);
            buf.flip();
        }
        return true;
    }
}
