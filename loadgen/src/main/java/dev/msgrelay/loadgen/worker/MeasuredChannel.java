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
 * A subscriber's connection that reads the clock after each read, and records its counters at the begin and the end of
 * the window. It also limits the speed of a slow reader. The subscriber's thread owns it.
 */
final class MeasuredChannel implements ReadableByteChannel {
    /** Reads a second of a slow reader. Each read is so small that the receive queue stays full. */
    private static final int READS_PER_SECOND = 50;

    private final ReadableByteChannel source;
    private final int piece;
    private long nextRead = System.nanoTime();
    private final LongSupplier messages;
    private final Control control;
    private Window told = Window.NONE;
    private final InForce inForce = new InForce();
    private Window.Count measured = new Window.Count();
    private Pauses pauses = new Pauses();
    private long now;
    private boolean late;
    private long bytes;

    /**
     * @param messages returns the number of messages in all reads before the current one
     * @param bytesPerSecond the most bytes to read in a second; 0: no limit
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
        if (told == Window.NONE) {
            told = control.window();
            late = bytes > 0 && before >= told.begin();
        }
        move(now);
        Window window = inForce.window();
        pauses.note(before, now, window);
        // The bytes of this read are added after this call, as its messages are not counted yet either.
        measured.note(now, window, messages.getAsLong(), bytes);
        if (n > 0) {
            bytes += n;
        }
        return n;
    }

    private void move(long to) {
        if (inForce.changes(told, to)) {
            measured = new Window.Count();
            pauses = new Pauses();
        }
    }

    /** Ends the rehearsal, also if nothing was read since then. Called before the results are asked for. */
    void end() {
        move(told.end());
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

    Still pauses() {
        if (now < told.end()) {
            pauses.note(now, told.end(), told);
        }
        return pauses.still();
    }

    long now() {
        return now;
    }

    Window window() {
        return inForce.window();
    }

    /** Whether the window arrived after its begin, so that the counts lack its first messages. */
    boolean heardLate() {
        return late;
    }

    long bytes() {
        return bytes;
    }

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
