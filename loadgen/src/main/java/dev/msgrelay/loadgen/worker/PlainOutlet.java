package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A plain connection: bytes are written as they are. */
record PlainOutlet(SocketChannel channel) implements Outlet {
    @Override
    public void write(ByteBuffer frames) throws IOException {
        try {
            while (frames.hasRemaining()) {
                channel.write(frames);
            }
        } catch (IOException e) {
            throw new IOException(e.getMessage() + reasonGiven(), e);
        }
    }

    /** What the relay said before it closed, if it said anything. */
    private String reasonGiven() {
        StringBuilder reason = new StringBuilder();
        try {
            channel.configureBlocking(false);
            new FrameReader().read(channel, (type, body) -> {
                if (type == ControlFrames.ERROR) {
                    reason.append("; the relay said: ").append(ErrorFrame.text(body));
                }
            });
        } catch (IOException e) {
            // The connection is gone, and with it whatever was said.
        }
        return reason.toString();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
