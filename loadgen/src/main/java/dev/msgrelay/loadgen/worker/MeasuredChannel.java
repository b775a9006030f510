package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;

/**
 * A subscriber's connection that reads the clock once per read, right when the data is there, and notes what had been
 * received when the measured part of the run began and ended. The subscriber's thread owns it.
 */
final class MeasuredChannel implements ReadableByteChannel {
    private static final long NOT_YET = -1;

    private final SocketChannel source;
    private final FrameReader reader;
    private final Control control;
    private Window window = Window.NONE;
    private long now;
    private long messagesAtBegin = NOT_YET;
    private long messagesAtEnd = NOT_YET;
    private long bytesAtBegin;
    private long bytesAtEnd;

    MeasuredChannel(SocketChannel source, FrameReader reader, Control control) {
        this.source = source;
        this.reader = reader;
        this.control = control;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int n = source.read(target);
        now = System.nanoTime();
        if (window == Window.NONE) {
            window = control.window();
        }
        if (messagesAtEnd == NOT_YET && now >= window.begin()) {
            note();
        }
        return n;
    }

    /** What this read brought is not yet counted by the reader, so it belongs to the time after the mark. */
    private void note() {
        if (messagesAtBegin == NOT_YET) {
            messagesAtBegin = reader.frames();
            bytesAtBegin = reader.bytes();
        }
        if (now >= window.end()) {
            messagesAtEnd = reader.frames();
            bytesAtEnd = reader.bytes();
        }
    }

    /** When the last read returned. */
    long now() {
        return now;
    }

    Window window() {
        return window;
    }

    /** Messages received within the window; at the end of the stream, or later. */
    long messagesMeasured() {
        return messagesAtBegin == NOT_YET
                ? 0
                : (messagesAtEnd == NOT_YET ? reader.frames() : messagesAtEnd) - messagesAtBegin;
    }

    /** Bytes on the wire received within the window. */
    long bytesMeasured() {
        return messagesAtBegin == NOT_YET ? 0 : (messagesAtEnd == NOT_YET ? reader.bytes() : bytesAtEnd) - bytesAtBegin;
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
