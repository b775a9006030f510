package dev.msgrelay.loadgen.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/**
 * What one thread adds and another one reads, up to a bound: a stream of a process that runs elsewhere. (A JDK pipe ties
 * its life to its threads, and lets a reader wait for up to a second for what is there.)
 */
final class ByteQueue extends InputStream {
    private final int capacity;
    private final Deque<byte[]> chunks = new ArrayDeque<>();
    private int size;
    private int position;
    private boolean ended;

    /**
     * @param capacity bytes that may lie here unread
     */
    ByteQueue(int capacity) {
        this.capacity = capacity;
    }

    /** Adds a chunk; false when it does not fit, and then nothing is added. After the end nothing is added either. */
    synchronized boolean add(byte[] chunk) {
        if (ended || chunk.length == 0) {
            return true;
        }
        if (size + chunk.length > capacity) {
            return false;
        }
        chunks.addLast(chunk);
        size += chunk.length;
        notifyAll();
        return true;
    }

    /** What is there may still be read, and then the stream ends. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public synchronized int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        awaitBytes();
        if (chunks.isEmpty()) {
            return -1;
        }
        byte[] first = chunks.getFirst();
        int count = Math.min(length, first.length - position);
        System.arraycopy(first, position, target, offset, count);
        position += count;
        size -= count;
        if (position == first.length) {
            chunks.removeFirst();
            position = 0;
        }
        return count;
    }

    private void awaitBytes() throws IOException {
        try {
            while (chunks.isEmpty() && !ended) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public synchronized int available() {
        return size;
    }
}
