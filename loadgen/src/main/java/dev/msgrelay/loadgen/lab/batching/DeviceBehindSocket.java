package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A device at the far end of a socket: takes a packet's worth of whole frames out of it, as many as are there, and is
 * busy with them. A thread of its own runs it until the socket is closed.
 */
final class DeviceBehindSocket implements Runnable {
    private final SocketChannel channel;
    private final NetworkFacade device;
    private final ByteBuffer buffer;

    DeviceBehindSocket(SocketChannel channel, NetworkFacade device, int maxPacketSize) {
        this.channel = channel;
        this.device = device;
        this.buffer = ByteBuffer.allocateDirect(maxPacketSize);
    }

    @Override
    public void run() {
        try {
            while (channel.read(buffer) >= 0) {
                buffer.flip();
                int end = wholeFrames();
                if (end > 0) {
                    device.send(buffer.slice(0, end));
                }
                buffer.position(end).compact();
            }
        } catch (IOException e) {
            // what has not come by then is missed by whoever counts
        }
    }

    private int wholeFrames() {
        int end = 0;
        int limit = buffer.limit();
        while (limit - end >= FrameLayout.HEADER_LENGTH) {
            int next = end + FrameLayout.frameLength(FrameLayout.bodyLength(buffer, end));
            if (next > limit) {
                break;
            }
            end = next;
        }
        return end;
    }
}
