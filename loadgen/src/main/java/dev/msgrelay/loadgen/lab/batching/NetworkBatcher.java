package dev.msgrelay.loadgen.lab.batching;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Queue;

/**
 * The article's algorithm: wait for data to become available; as soon as it is, take all there is and send it right
 * away, up to a packet at a time. One thread runs it.
 */
final class NetworkBatcher {
    private final NetworkFacade network;
    private final Queue<Message> queue;
    private final ByteBuffer buffer;

    NetworkBatcher(NetworkFacade network, int maxPacketSize, Queue<Message> queue) {
        this.network = network;
        this.queue = queue;
        // Direct: a channel copies any other one into such a buffer.
        this.buffer = ByteBuffer.allocateDirect(maxPacketSize);
    }

    /**
     * Runs until there is nothing in the queue and nothing to come.
     *
     * @param waiting how to wait for the next message
     */
    void run(Waiting waiting) throws IOException {
        while (waiting.await(() -> queue.peek() != null)) {
            drain();
        }
    }

    /** One batch: the article's inner loop. */
    void drain() throws IOException {
        Message msg;
        while (null != (msg = queue.poll())) {
            if (msg.size() > buffer.remaining()) {
                sendBuffer();
            }
            buffer.put(msg.bytes());
        }
        sendBuffer();
    }

    private void sendBuffer() throws IOException {
        buffer.flip();
        network.send(buffer);
        buffer.clear();
    }
}
