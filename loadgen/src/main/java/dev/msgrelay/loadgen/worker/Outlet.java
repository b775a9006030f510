package dev.msgrelay.loadgen.worker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Where the frames of one publisher go. Its thread owns it. */
interface Outlet extends AutoCloseable {
    /**
     * Hands all of it over, blocking.
     *
     * @param frames whole ones, unless {@link #channel} says where they go
     */
    void write(ByteBuffer frames) throws IOException;

    /** Waits until nothing of it can be lost any more that this outlet answers for. */
    default void settle() throws IOException, InterruptedException {}

    /** The connection, where frames are written to it as they are; null where that is somebody else's matter. */
    default SocketChannel channel() {
        return null;
    }

    @Override
    void close() throws IOException;
}
