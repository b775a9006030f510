package dev.msgrelay.lab.readers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The article's clients that read from a channel into a direct buffer of half a megabyte, which is kept from stream to
 * stream. Each has a JVM of its own, which compiles this for its way alone.
 */
final class ChannelClient implements Client {
    /** Three ways with the rest when data runs short, and with a body. */
    enum Way {
        /** The article's first: what is read is appended to the rest, which is copied only at the end of the buffer. */
        APPENDING,
        /** The simpler one: the rest is copied to the beginning of the buffer. */
        COMPACTING,
        /** The same, and the consumer is handed a buffer that looks into the same memory: no copy of the body. */
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

    /** Makes so many bytes available between position and limit; false at the end of the stream. */
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
