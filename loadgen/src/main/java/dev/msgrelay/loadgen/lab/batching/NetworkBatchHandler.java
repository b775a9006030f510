package dev.msgrelay.loadgen.lab.batching;

import com.lmax.disruptor.EventHandler;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The article's handler: {@code endOfBatch} takes the place of the double loop. The Disruptor's thread owns it. */
final class NetworkBatchHandler implements EventHandler<FrameEvent> {
    private final NetworkFacade network;
    private final ByteBuffer buffer;

    NetworkBatchHandler(NetworkFacade network, int maxPacketSize) {
        this.network = network;
        // Direct: a channel copies any other one into such a buffer.
        this.buffer = ByteBuffer.allocateDirect(maxPacketSize);
    }

    @Override
    public void onEvent(FrameEvent msg, long sequence, boolean endOfBatch) throws IOException {
        if (msg.size() > buffer.remaining()) {
            sendBuffer();
        }
        msg.putTo(buffer);
        if (endOfBatch) {
            sendBuffer();
        }
    }

    private void sendBuffer() throws IOException {
        buffer.flip();
        network.send(buffer);
        buffer.clear();
    }
}
