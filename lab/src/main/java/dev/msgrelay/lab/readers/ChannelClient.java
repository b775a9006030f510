package dev.msgrelay.lab.readers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The article's clients that read from a channel into a direct buffer of half a megabyte, which they reuse. Each client
 * runs in its own JVM, which compiles this class for that client alone.
 */
final class ChannelClient implements Client {
    /** What a client does with a partial message in the buffer, and with a message's body. */
    enum Way {
        /**
         * The article's first way: new bytes are appended to the partial message, which is copied only at the buffer's
         * end.
         */
        APPENDING,
        /** The simpler way: the partial message is copied to the buffer's beginning. */
        COMPACTING,
        /** Like COMPACTING, but the consumer gets a view of the buffer, so that the body is not copied. */
        HANDING
    }

    private final Way way;
    private final ByteBuffer buf = ByteBuffer.allocateDirect(512 << 10);
    private final ByteBuffer view = buf.duplicate();
    private byte[] body = new byte[0];
    private SocketChannel channel;
    private long reads;

    ChannelClient(Way way) {
        this.way = way;
    }

    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        buf.clear().limit(0);
        reads = 0;
        try (SocketChannel connected = SocketChannel.open(server)) {
            channel = connected;
            while (ensure(8)) {
                int type = buf.getInt();
                int length = buf.getInt();
                if (!ensure(length)) {
                    throw Client.cut();
                }
                if (way == Way.HANDING) {
                    int start = buf.position();
                    view.limit(start + length).position(start);
                    sink.message(type, view);
                    buf.position(start + length);
                } else {
                    if (length > body.length) {
                        body = new byte[length];
                    }
                    buf.get(body, 0, length);
                    sink.message(type, body, length);
                }
            }
            return reads;
        }
    }

    /** Makes {@code length} bytes available between position and limit; false at the end of the stream. */
    private boolean ensure(int length) throws IOException {
        return way == Way.APPENDING ? append(length) : compact(length);
    }

    private boolean append(int length) throws IOException {
        while (buf.remaining() < length) {
            int start = buf.position();
            int end = buf.limit();
            if (buf.capacity() - start < length || end == buf.capacity()) {
                buf.compact();
                end = buf.position();
                start = 0;
            }
            buf.limit(buf.capacity()).position(end);
            int n = read();
            if (n < 0) {
                if (end > start) {
                    throw Client.cut();
                }
                return false;
            }
            buf.limit(end + n).position(start);
        }
        return true;
    }

    private boolean compact(int length) throws IOException {
        if (buf.remaining() < length) {
            boolean between = !buf.hasRemaining();
            buf.compact();
            do {
                if (read() < 0) {
                    if (!between || buf.position() > 0) {
                        throw Client.cut();
                    }
                    return false;
                }
            } while (buf.position() < length);
            buf.flip();
        }
        return true;
    }

    private int read() throws IOException {
        reads++;
        return channel.read(buf);
    }
}
