package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.net.Segments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** Where the frames of one publisher go. Its thread owns it. */
public interface Outlet extends AutoCloseable {
    /**
     * Hands all of it over, blocking.
     *
     * @param frames whole ones, unless there are {@link #segment segments}
     */
    void write(ByteBuffer frames) throws IOException;

    /** The measured part of the run begins. */
    default void noteBegin() {}

    /** Waits until nothing of it can be lost any more that this outlet answers for. */
    default void settle() throws IOException, InterruptedException {}

    /** Ends it so that nothing of what was written is lost, and waits for that. */
    default void leave() throws IOException, InterruptedException {
        settle();
    }

    /** Adds what else is to be said of this publisher, at the end. */
    default void addTo(JsonObject result) {}

    /** Bytes that fill a segment of the connection, where what is written goes there as it is; 0 where that is somebody else's matter. */
    default int segment() throws IOException {
        return 0;
    }

    @Override
    default void close() throws IOException {}

    /**
     * Loadgen's own connection: bytes are written as they are.
     *
     * @param channel that takes them: the socket, or TLS over it
     */
    record Plain(ByteChannel channel) implements Outlet {
        /** For the relay's end of a connection: below the controller's patience. */
        private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

        private static final int READ = 4_096;

        private SocketChannel socket() {
            return channel instanceof TlsSocket tls ? tls.socket() : (SocketChannel) channel;
        }

        @Override
        public int segment() throws IOException {
            return channel instanceof TlsSocket tls ? tls.segment() : Segments.payload(socket().getLocalAddress());
        }

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
                socket().configureBlocking(false);
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

        /** The relay ends the connection too, when it has read everything. */
        @Override
        public void leave() throws IOException {
            if (channel instanceof TlsSocket tls) {
                tls.endOutput();
            } else {
                socket().shutdownOutput();
            }
            socket().configureBlocking(false);
            try (Selector selector = Selector.open()) {
                socket().register(selector, SelectionKey.OP_READ);
                long deadline = System.nanoTime() + PATIENCE_NANOS;
                ByteBuffer ignored = ByteBuffer.allocate(READ);
                do {
                    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    if (left <= 0 || selector.select(left) == 0) {
                        throw new IOException("the relay did not end the connection within "
                                + TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS) + " ms");
                    }
                    selector.selectedKeys().clear();
                } while (channel.read(ignored.clear()) >= 0);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
