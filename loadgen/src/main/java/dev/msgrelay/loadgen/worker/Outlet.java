package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Where the frames of one publisher go. Its thread owns it. */
public interface Outlet extends AutoCloseable {
    /**
     * Hands all of it over, blocking.
     *
     * @param frames whole ones, unless {@link #channel} says where they go
     */
    void write(ByteBuffer frames) throws IOException;

    /** The measured part of the run begins. */
    default void noteBegin() {}

    /** Waits until nothing of it can be lost any more that this outlet answers for. */
    default void settle() throws IOException, InterruptedException {}

    /** Adds what else is to be said of this publisher, at the end. */
    default void addTo(JsonObject result) {}

    /** The connection, where frames are written to it as they are; null where that is somebody else's matter. */
    default SocketChannel channel() {
        return null;
    }

    @Override
    default void close() throws IOException {}

    /** A plain connection: bytes are written as they are. */
    record Plain(SocketChannel channel) implements Outlet {
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
}
