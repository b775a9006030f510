package dev.msgrelay.lab.readers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The article's clients that read from a channel into a direct buffer of half a megabyte. */
final class ChannelClients {
    private static final int BUFFER = 512 << 10;

    private ChannelClients() {}

    /** The common part: reads that are counted, into a buffer that is kept from stream to stream. */
    private abstract static class Channel implements Client {
        final ByteBuffer buf = ByteBuffer.allocateDirect(BUFFER);
        SocketChannel channel;
        private long reads;

        @Override
        public final long receive(InetSocketAddress server, Sink sink) throws IOException {
            buf.clear().limit(0);
            reads = 0;
            try (SocketChannel connected = SocketChannel.open(server)) {
                channel = connected;
                while (ensure(8)) {
                    int type = buf.getInt();
                    int length = buf.getInt();
                    if (!ensure(length)) {
                        throw cut();
                    }
                    message(type, length, sink);
                }
                return reads;
            }
        }

        int read() throws IOException {
            reads++;
            return channel.read(buf);
        }

        static EOFException cut() {
            return new EOFException("stream ended in the middle of a message");
        }

        /** Makes {@code length} bytes available between position and limit; false at the end of the stream. */
        abstract boolean ensure(int length) throws IOException;

        /** Hands over the message whose body begins at the buffer's position, and goes behind it. */
        abstract void message(int type, int length, Sink sink);
    }

    /** The body is copied into an array. */
    private abstract static class Copying extends Channel {
        private byte[] body = new byte[0];

        @Override
        void message(int type, int length, Sink sink) {
            if (length > body.length) {
                body = new byte[length];
            }
            buf.get(body, 0, length);
            sink.message(type, body, length);
        }
    }

    /** The article's first: what is read is appended to what is left, which is copied only at the end of the buffer. */
    static final class Appending extends Copying {
        @Override
        boolean ensure(int length) throws IOException {
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
                        throw cut();
                    }
                    return false;
                }
                buf.limit(end + n).position(start);
            }
            return true;
        }
    }

    /** The simpler one: whenever data runs short the rest is copied to the beginning of the buffer. */
    static final class Compacting extends Copying {
        @Override
        boolean ensure(int length) throws IOException {
            return compact(this, length);
        }
    }

    private static boolean compact(Channel client, int length) throws IOException {
        ByteBuffer buf = client.buf;
        if (buf.remaining() < length) {
            boolean between = !buf.hasRemaining();
            buf.compact();
            do {
                if (client.read() < 0) {
                    if (!between || buf.position() > 0) {
                        throw Channel.cut();
                    }
                    return false;
                }
            } while (buf.position() < length);
            buf.flip();
        }
        return true;
    }

    /** The same, and the consumer is handed a buffer that looks into the same memory: no copy. */
    static final class Handing extends Channel {
        private final ByteBuffer body = buf.duplicate();

        @Override
        boolean ensure(int length) throws IOException {
            return compact(this, length);
        }

        @Override
        void message(int type, int length, Sink sink) {
            int start = buf.position();
            body.limit(start + length).position(start);
            sink.message(type, body);
            buf.position(start + length);
        }
    }
}
