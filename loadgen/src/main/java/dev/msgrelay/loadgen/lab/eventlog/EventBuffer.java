package dev.msgrelay.loadgen.lab.eventlog;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;

/** Where a thread assembles events before they go anywhere: the article's {@code Buffer}. One thread at a time. */
final class EventBuffer {
    private final Bytes bytes = new Bytes();
    private final Writer writer = new OutputStreamWriter(bytes, StandardCharsets.UTF_8);

    /** Adds the event's line. */
    void add(Event event) {
        try {
            EventText.append(event, writer);
            // so that the bytes are in the buffer
            writer.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int size() {
        return bytes.size();
    }

    void reset() {
        bytes.reset();
    }

    void writeTo(OutputStream stream) throws IOException {
        bytes.writeTo(stream);
    }

    /** Writes all of it at the position, and empties the buffer. The article trusts one write to take all. */
    void writeTo(FileChannel channel, long position) throws IOException {
        ByteBuffer left = bytes.toByteBuffer();
        long at = position;
        while (left.hasRemaining()) {
            at += channel.write(left, at);
        }
        reset();
    }

    /** The same, where the channel stands. */
    void writeTo(FileChannel channel) throws IOException {
        ByteBuffer left = bytes.toByteBuffer();
        while (left.hasRemaining()) {
            channel.write(left);
        }
        reset();
    }

    /** The article's {@code ByteArrayBuffer}: shows its bytes without a copy. */
    private static final class Bytes extends ByteArrayOutputStream {
        ByteBuffer toByteBuffer() {
            return ByteBuffer.wrap(buf, 0, count);
        }
    }
}
