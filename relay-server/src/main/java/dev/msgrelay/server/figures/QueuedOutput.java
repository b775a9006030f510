package dev.msgrelay.server.figures;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;

/**
 * An output for lines. A caller never waits for the process that reads them:
 *
 * <pre>
 *   write() --whole lines--> queue (bounded) --own thread--> the real output, which may block
 * </pre>
 *
 * <p>A line that does not fit into the queue is dropped and counted. Every later line is dropped too, until the queue
 * has been written. Then one line reports the number of dropped lines. So lines arrive whole and in order, and every
 * gap is reported. Any thread.
 */
public final class QueuedOutput extends OutputStream {
    private final OutputStream out;
    private final int capacity;
    private final LongFunction<String> suppressedLine;
    // This object's lock guards all following fields. The field line is the line that has no end yet.
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final ByteArrayOutputStream queue = new ByteArrayOutputStream();
    private boolean tooLong;
    private long dropped;
    private boolean writing;
    private boolean broken;

    /**
     * Starts the thread that writes to {@code out}, a daemon.
     *
     * @param capacity the largest number of bytes in the queue, and in one line
     * @param suppressedLine makes the line about dropped lines from their number; the result has no line end
     * @param thread the thread's name
     */
    public QueuedOutput(OutputStream out, int capacity, LongFunction<String> suppressedLine, String thread) {
        this.out = out;
        this.capacity = capacity;
        this.suppressedLine = suppressedLine;
        Thread writer = new Thread(this::writeForEver, thread);
        writer.setDaemon(true);
        writer.start();
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        int from = offset;
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == '\n') {
                gather(bytes, from, i + 1 - from);
                endLine();
                from = i + 1;
            }
        }
        gather(bytes, from, offset + length - from);
    }

    private void gather(byte[] bytes, int offset, int length) {
        tooLong |= line.size() + length > capacity;
        if (!tooLong) {
            line.write(bytes, offset, length);
        }
    }

    private void endLine() {
        if (tooLong || broken || dropped > 0 || queue.size() + line.size() > capacity) {
            dropped++;
        } else {
            queue.writeBytes(line.toByteArray());
        }
        line.reset();
        tooLong = false;
        notifyAll();
    }

    @Override
    public void flush() {}

    /** Ends the current line without waiting; the real output stays open. */
    @Override
    public void close() {
        finish(0);
    }

    /** Ends the current line, and waits until all lines are written. Returns false if the time is not enough. */
    public synchronized boolean finish(long millis) {
        if (line.size() > 0 || tooLong) {
            endLine();
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            while (!broken && (writing || queue.size() > 0 || dropped > 0)) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return !broken;
    }

    private void writeForEver() {
        try {
            while (true) {
                out.write(next());
                out.flush();
            }
        } catch (Throwable e) {
            // The reading process has ended, the output has failed, or this thread was interrupted. Nobody can be told.
            synchronized (this) {
                broken = true;
                queue.reset();
                notifyAll();
            }
        }
    }

    private synchronized byte[] next() throws InterruptedException {
        writing = false;
        notifyAll();
        while (queue.size() == 0 && dropped == 0) {
            wait();
        }
        writing = true;
        // Queued lines are written first, because the dropped lines came after them.
        if (queue.size() == 0) {
            queue.writeBytes((suppressedLine.apply(dropped) + System.lineSeparator()).getBytes(StandardCharsets.UTF_8));
            dropped = 0;
        }
        byte[] bytes = queue.toByteArray();
        queue.reset();
        return bytes;
    }
}
