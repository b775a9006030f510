package dev.msgrelay.lab.senders;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;

/** One of the article's algorithms: the work of a worker on a download. */
interface SendAlgorithm {
    /** Whether the socket is to be in blocking mode while a worker has it; it is out of the selector then. */
    boolean isBlocking();

    /** Sends some of it, or all; then the worker is free for another. Stateless: many workers at a time. */
    void send(Download download) throws IOException;

    /** While not at the end, write: a worker has one client until it has the whole file. */
    record SimpleBlocking() implements SendAlgorithm {
        @Override
        public boolean isBlocking() {
            return true;
        }

        @Override
        public void send(Download download) throws IOException {
            while (!download.isDone()) {
                download.send(Long.MAX_VALUE);
            }
        }
    }

    /** A worker writes one part of fixed size and blocks until the socket has it; then the selector waits for room. */
    record EqualBlocking(int part) implements SendAlgorithm {
        @Override
        public boolean isBlocking() {
            return true;
        }

        @Override
        public void send(Download download) throws IOException {
            long left = part;
            while (left > 0 && !download.isDone()) {
                left -= download.send(left);
            }
        }
    }

    /**
     * A worker writes what the socket takes, and no more. The rest of the file is another part, perhaps another worker's,
     * once the selector has found the socket to have room.
     */
    record EqualNonBlocking() implements SendAlgorithm {
        @Override
        public boolean isBlocking() {
            return false;
        }

        @Override
        public void send(Download download) throws IOException {
            while (!download.isDone() && download.send(Long.MAX_VALUE) > 0) {
                // on to the next write
            }
        }
    }

    /** A file on its way to a client. Whoever has it, the selector's thread or a worker, owns it. */
    final class Download {
        /** The article's: 81 KB, the socket buffer of its machine. */
        static final int BUFFER_SIZE = 81 * 1024;

        private static final ThreadLocal<ByteBuffer> BUFFERS =
                ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BUFFER_SIZE));

        private final FileChannel file;
        private final SocketChannel socket;
        private final long size;
        private long position;

        Download(FileChannel file, long size, SocketChannel socket) {
            this.file = file;
            this.size = size;
            this.socket = socket;
        }

        boolean isDone() {
            return position == size;
        }

        /**
         * Sends up to {@code count} bytes more, through a buffer. Bytes that the socket does not take are read again next
         * time.
         *
         * @return how many the socket took
         */
        long send(long count) throws IOException {
            ByteBuffer buffer = BUFFERS.get();
            buffer.clear().limit((int) Math.min(Math.min(count, size - position), BUFFER_SIZE));
            file.read(buffer, position);
            long sent = socket.write(buffer.flip());
            position += sent;
            return sent;
        }
    }
}
