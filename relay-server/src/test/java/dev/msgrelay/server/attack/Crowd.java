package dev.msgrelay.server.attack;

import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.PlainPublisher;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Many connections that one thread holds: it writes what fits and reads when it is told to. JDK sockets only; once
 * connected, nothing blocks.
 */
final class Crowd implements AutoCloseable {
    private final List<SocketChannel> channels = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(64 << 10);

    SocketChannel connect(SocketAddress to) throws IOException {
        SocketChannel channel = PlainPublisher.open(to, 0);
        channels.add(channel);
        channel.configureBlocking(false);
        return channel;
    }

    Crowd connect(SocketAddress to, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            connect(to);
        }
        return this;
    }

    int size() {
        return channels.size();
    }

    SocketChannel get(int index) {
        return channels.get(index);
    }

    /** Writes what fits to each; answers how many took all of it. */
    int offer(byte[] bytes) {
        int whole = 0;
        for (SocketChannel channel : channels) {
            whole += offer(channel, ByteBuffer.wrap(bytes)) ? 1 : 0;
        }
        return whole;
    }

    /** Writes what fits; answers whether that is all. */
    static boolean offer(SocketChannel channel, ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining() && channel.write(bytes) > 0) {
                // What the socket takes at once.
            }
            return !bytes.hasRemaining();
        } catch (IOException gone) {
            return false;
        }
    }

    /** Reads and throws away what there is; answers how many connections have ended so far, which are closed. */
    int drain() {
        int ended = 0;
        for (SocketChannel channel : channels) {
            ended += drain(channel) ? 1 : 0;
        }
        return ended;
    }

    private boolean drain(SocketChannel channel) {
        if (!channel.isOpen()) {
            return true;
        }
        try {
            int n;
            do {
                n = channel.read(buffer.clear());
            } while (n > 0);
            if (n < 0) {
                channel.close();
            }
            return n < 0;
        } catch (IOException reset) {
            closeQuietly(channel);
            return true;
        }
    }

    void awaitEnds(String why) {
        Await.until(() -> why + ": " + drain() + " of " + size() + " have ended", () -> drain() == size());
    }

    void leave() {
        channels.forEach(Crowd::closeQuietly);
    }

    @Override
    public void close() {
        leave();
    }

    private static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException gone) {
            // It is closed all the same.
        }
    }
}
