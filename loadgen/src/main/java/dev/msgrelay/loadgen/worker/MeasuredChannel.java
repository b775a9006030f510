package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Still;
import dev.msgrelay.loadgen.plan.Window;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A subscriber's connection that reads the clock once per read, right when the data is there, and notes what had been
 * received when the measured part of the run began and ended. One that is slow on purpose is read so many bytes a second and
 * no more. The subscriber's thread owns it.
 */
final class MeasuredChannel implements ReadableByteChannel {
    /** A slow one is read so often, in pieces so small that the receive queue stays full between them. */
    private static final int READS_PER_SECOND = 50;

    private final ReadableByteChannel source;
    private final int piece;
    private long nextRead = System.nanoTime();
    private final LongSupplier messages;
    private final Control control;
    private Window window = Window.NONE;
    private final Window.Count measured = new Window.Count();
    private final Pauses pauses = new Pauses();
    private long now;
    private boolean late;
    private long bytes;

    /**
     * @param messages that were in all that has been read before the read that is being made
     * @param bytesPerSecond that are read at most; 0: as they come
     */
    MeasuredChannel(ReadableByteChannel source, LongSupplier messages, Control control, int bytesPerSecond) {
        this.piece = bytesPerSecond == 0 ? Integer.MAX_VALUE : Math.max(1, bytesPerSecond / READS_PER_SECOND);
        this.source = source;
        this.messages = messages;
        this.control = control;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int n = piece == Integer.MAX_VALUE ? source.read(target) : readPiece(target);
        long before = now;
        now = System.nanoTime();
        Window told = control.window();
        if (told != window) {
            window = told;
            late = bytes > 0 && before >= window.begin();
        }
        pauses.note(before, now, window);
        // What this read brought is not yet counted, so it belongs to the time after the mark.
        measured.note(now, window, messages.getAsLong(), bytes);
        if (n > 0) {
            bytes += n;
        }
        return n;
    }

    private int readPiece(ByteBuffer target) throws IOException {
        long wait;
        while ((wait = nextRead - System.nanoTime()) > 0 && source.isOpen()) {
            LockSupport.parkNanos(wait);
        }
        nextRead += TimeUnit.SECONDS.toNanos(1) / READS_PER_SECOND;
        int limit = target.limit();
        target.limit(Math.min(limit, target.position() + piece));
        try {
            return source.read(target);
        } finally {
            target.limit(limit);
        }
    }

    /** Times without a delivery; at the end of the stream, or later. */
    Still pauses() {
        if (now < window.end()) {
            pauses.note(now, window.end(), window);
        }
        return pauses.still();
    }

    long now() {
        return now;
    }

    Window window() {
        return window;
    }

    /** Whether it heard of the window when that had begun: then some of what came within it was not seen as such. */
    boolean heardLate() {
        return late;
    }

    long bytes() {
        return bytes;
    }

    /** Messages received within the window; at the end of the stream, or later. */
    long messagesMeasured() {
        return measured.messages(messages.getAsLong());
    }

    long bytesMeasured() {
        return measured.bytes(bytes);
    }

    @Override
    public boolean isOpen() {
        return source.isOpen();
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
