package dev.msgrelay.loadgen.plain;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The second ceiling: what a relay of one thread can do at most that reads a buffer and writes it on, to one subscriber
 * after the other, without ever looking into it. No frames, no policies, no bounds on a slow subscriber. One thread
 * owns it; {@link #bytesIn} may be asked by any.
 */
final class PlainRelay {
    private final SocketChannel publisher;
    private final List<SocketChannel> subscribers;
    private final ByteBuffer buffer;
    private final AtomicLong bytesIn = new AtomicLong();

    PlainRelay(SocketChannel publisher, List<SocketChannel> subscribers, int bufferSize) {
        this.publisher = publisher;
        this.subscribers = subscribers;
        this.buffer = ByteBuffer.allocateDirect(bufferSize);
    }

    /** Relays until the publisher's stream ends. */
    void run() throws IOException {
        final ByteBuffer data = buffer;
        while (true) {
            data.clear();
            int n = publisher.read(data);
            if (n < 0) {
                return;
            }
            for (SocketChannel subscriber : subscribers) {
                data.position(0).limit(n);
                while (data.hasRemaining()) {
                    subscriber.write(data);
                }
            }
            // One writer: an ordered store is enough, and costs nothing.
            bytesIn.lazySet(bytesIn.get() + n);
        }
    }

    long bytesIn() {
        return bytesIn.get();
    }
}
