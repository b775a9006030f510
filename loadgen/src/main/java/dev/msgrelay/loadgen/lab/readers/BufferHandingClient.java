package dev.msgrelay.loadgen.lab.readers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Channel and buffer, and the consumer is handed a buffer that looks into the same memory: no copy. */
final class BufferHandingClient implements Client {
    private final ByteBuffer buf = ByteBuffer.allocateDirect(AppendingClient.BUFFER);
    private final ByteBuffer body = buf.duplicate();

    @Override
    public long receive(InetSocketAddress server, Sink sink) throws IOException {
        buf.clear().limit(0);
        try (CountedChannel channel = new CountedChannel(server)) {
            while (CompactingClient.ensure(channel, buf, 8)) {
                int type = buf.getInt();
                int length = buf.getInt();
                if (!CompactingClient.ensure(channel, buf, length)) {
                    throw new EOFException("stream ended in the middle of a message");
                }
                int start = buf.position();
                body.limit(start + length).position(start);
                sink.message(type, body);
                buf.position(start + length);
            }
            return channel.reads();
        }
    }
}
