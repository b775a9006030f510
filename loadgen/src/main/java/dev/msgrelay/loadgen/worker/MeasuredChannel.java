package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.function.LongSupplier;

/**
 * A subscriber's connection that reads the clock once per read, right when the data is there, and notes what had been
 * received when the measured part of the run began and ended. The subscriber's thread owns it.
 */
final class MeasuredChannel implements ReadableByteChannel {
    private static final long NOT_YET = -1;

    private final ReadableByteChannel source;
    private final LongSupplier messages;
    private final Control control;
    private Window window = Window.NONE;
    private final Pauses pauses = new Pauses();
    private long now;
    private boolean late;
    private long reads;
    private long bytes;
    private long messagesAtBegin = NOT_YET;
    private long messagesAtEnd = NOT_YET;
    private long bytesAtBegin;
    private long bytesAtEnd;

    /**
     * @param messages that were in all that has been read before the read that is being made
     */
    MeasuredChannel(ReadableByteChannel source, LongSupplier messages, Control control) {
        this.source = source;
        this.messages = messages;
        this.control = control;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int n = source.read(target);
        long before = now;
        now = System.nanoTime();
        Window told = control.window();
        if (told != window) {
            window = told;
            late = bytes > 0 && before >= window.begin();
        }
        pauses.note(before, now, window);
        if (messagesAtEnd == NOT_YET && now >= window.begin()) {
            note();
        }
        if (n > 0) {
            bytes += n;
            reads++;
        }
        return n;
    }

    /** What this read brought is not yet counted, so it belongs to the time after the mark. */
    private void note() {
        if (messagesAtBegin == NOT_YET) {
            messagesAtBegin = messages.getAsLong();
            bytesAtBegin = bytes;
        }
        if (now >= window.end()) {
            messagesAtEnd = messages.getAsLong();
            bytesAtEnd = bytes;
        }
    }

    /** Times without a delivery; at the end of the stream, or later. */
    JsonObject pauses() {
        if (now < window.end()) {
            pauses.note(now, window.end(), window);
        }
        return pauses.json();
    }

    /** When the last read returned. */
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

    /** Bytes received so far. */
    long bytes() {
        return bytes;
    }

    /** Reads that brought something. */
    long reads() {
        return reads;
    }

    /** Messages received within the window; at the end of the stream, or later. */
    long messagesMeasured() {
        return messagesAtBegin == NOT_YET
                ? 0
                : (messagesAtEnd == NOT_YET ? messages.getAsLong() : messagesAtEnd) - messagesAtBegin;
    }

    /** Bytes on the wire received within the window. */
    long bytesMeasured() {
        return messagesAtBegin == NOT_YET ? 0 : (messagesAtEnd == NOT_YET ? bytes : bytesAtEnd) - bytesAtBegin;
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
