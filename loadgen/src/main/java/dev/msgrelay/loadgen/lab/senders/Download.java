package dev.msgrelay.loadgen.lab.senders;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;

/** A file on its way to a client. Whoever has it, the selector's thread or a worker, owns it. */
final class Download {
    private final FileChannel file;
    private final SocketChannel socket;
    private final Copy copy;
    private final long size;
    private long position;

    Download(FileChannel file, long size, SocketChannel socket, Copy copy) {
        this.file = file;
        this.size = size;
        this.socket = socket;
        this.copy = copy;
    }

    boolean isDone() {
        return position == size;
    }

    /**
     * Sends up to {@code count} bytes more.
     *
     * @return how many the socket took
     */
    long send(long count) throws IOException {
        long sent = copy.send(file, position, Math.min(count, size - position), socket);
        position += sent;
        return sent;
    }
}
