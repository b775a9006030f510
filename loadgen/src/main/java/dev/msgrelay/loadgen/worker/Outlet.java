package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.net.Segments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/** The way out for the frames of one publisher, whose thread owns it. */
public interface Outlet extends AutoCloseable {
    /**
     * Writes all frames, blocking.
     *
     * @param frames whole frames, unless there are {@link #segment segments}
     */
    void write(ByteBuffer frames) throws IOException;

    /** Waits until the messages that this outlet answers for cannot be lost any more. */
    default void settle() throws IOException, InterruptedException {}

    default long acknowledged() {
        return 0;
    }

    /** Nanoseconds from the intended time of sending to the acknowledgement; null: the publisher asks for none. */
    default Histogram acknowledgedAfter() {
        return null;
    }

    /** Bytes that fill a segment of the connection; 0 where the library decides on segments. */
    default int segment() throws IOException {
        return 0;
    }

    @Override
    default void close() throws IOException {}

    /** Loadgen's own connection: bytes are written as they are. */
    record Plain(SocketChannel socket) implements Outlet {
        @Override
        public int segment() throws IOException {
            return Segments.payload(socket.getLocalAddress());
        }

        @Override
        public void write(ByteBuffer frames) throws IOException {
            try {
                while (frames.hasRemaining()) {
                    socket.write(frames);
                }
            } catch (IOException e) {
                throw new IOException(e.getMessage() + reasonGiven(), e);
            }
        }

        /** The relay's last words before it closed, if it said anything. */
        private String reasonGiven() {
            StringBuilder reason = new StringBuilder();
            try {
                socket.configureBlocking(false);
                new FrameReader().read(socket, (type, body) -> {
                    if (type == ControlFrames.ERROR) {
                        reason.append("; the relay said: ").append(ErrorFrame.text(body));
                    }
                });
            } catch (IOException e) {
                // The connection is closed, and the relay's last words are lost.
            }
            return reason.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
