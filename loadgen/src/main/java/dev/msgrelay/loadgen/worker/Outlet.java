package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.net.Segments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/** Sends the frames of one publisher. The publisher's thread owns it. */
public interface Outlet extends AutoCloseable {
    /**
     * Writes all frames, and blocks as long as necessary.
     *
     * @param frames bytes to write; if {@link #segment} is 0, they must be whole frames
     */
    void write(ByteBuffer frames) throws IOException;

    /** Waits until the relay has all messages. Does nothing in an implementation that cannot know when it has. */
    default void settle() throws IOException, InterruptedException {}

    default long acknowledged() {
        return 0;
    }

    default Histogram acknowledgedAfter() {
        return null;
    }

    /** Returns the payload of a full TCP segment; 0 if the library chooses the size of writes. */
    default int segment() throws IOException {
        return 0;
    }

    @Override
    default void close() throws IOException {}

    /** Writes bytes to a socket as they are. */
    record Raw(SocketChannel socket) implements Outlet {
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

        /** Returns the text of an ERROR frame that the relay sent before it closed the connection. */
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
                // The connection is closed, and the relay's text is lost.
            }
            return reason.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
