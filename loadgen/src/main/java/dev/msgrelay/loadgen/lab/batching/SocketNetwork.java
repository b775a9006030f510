package dev.msgrelay.loadgen.lab.batching;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** The device is a socket. Blocking, one write a packet. */
record SocketNetwork(WritableByteChannel channel) implements NetworkFacade {
    @Override
    public void send(ByteBuffer packet) throws IOException {
        while (packet.hasRemaining()) {
            channel.write(packet);
        }
    }
}
