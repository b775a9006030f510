package dev.msgrelay.loadgen.lab.readers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;

/** A connection that counts how often it is read. */
final class CountedChannel implements ReadableByteChannel {
    private final SocketChannel channel;
    private long reads;

    CountedChannel(InetSocketAddress server) throws IOException {
        channel = SocketChannel.open(server);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        reads++;
        return channel.read(target);
    }

    long reads() {
        return reads;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
