package dev.msgrelay.loadgen.lab.senders;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;

/** How bytes get from a file to a socket. */
enum Copy {
    /** The kernel moves them: sendfile. */
    TRANSFER_TO("transferTo") {
        @Override
        long send(FileChannel file, long position, long count, SocketChannel socket) throws IOException {
            return file.transferTo(position, count, socket);
        }
    },

    /** They are read into a buffer, and written from it; what the socket does not take is read again next time. */
    BUFFER("copies") {
        @Override
        long send(FileChannel file, long position, long count, SocketChannel socket) throws IOException {
            ByteBuffer buffer = BUFFERS.get();
            buffer.clear().limit((int) Math.min(count, buffer.capacity()));
            file.read(buffer, position);
            return socket.write(buffer.flip());
        }
    };

    /** The article's: 81 KB, the socket buffer of its machine. */
    static final int BUFFER_SIZE = 81 * 1024;

    private static final ThreadLocal<ByteBuffer> BUFFERS =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BUFFER_SIZE));

    private final String words;

    Copy(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    /**
     * Sends up to {@code count} bytes.
     *
     * @return how many; 0 if the socket takes none now
     */
    abstract long send(FileChannel file, long position, long count, SocketChannel socket) throws IOException;
}
