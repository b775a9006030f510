package dev.msgrelay.lab.readers;

import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongSupplier;

/**
 * The article's server: it sends messages of one size as fast as possible. Messages are numbered from 0 to {@link
 * #FRAMES}, and then from 0 again. A body starts with its number, and its other bytes differ from message to message,
 * so that a lost, repeated or exchanged message is noticed. Frames are prepared once and sent repeatedly, in writes of
 * one size that may cut frames.
 */
final class StreamSender {
    /** A power of two. The numbers do not repeat within the messages that are between sender and client. */
    static final int FRAMES = 8_192;

    static final int TYPE = 0x4C52;

    static final int BODY = 100;

    static final int LARGE = 256 << 10;

    private final ByteBuffer frames;
    private final int once;
    private final int frameLength;
    private final int writeSize;

    StreamSender(int body, int writeSize) {
        this.frames = packed(body, writeSize);
        this.frameLength = FrameLayout.frameLength(body);
        this.once = FRAMES * frameLength;
        this.writeSize = writeSize;
    }

    /**
     * Sends until a moment, and then the rest of the frame that the last write cut.
     *
     * @return the number of messages
     */
    long send(WritableByteChannel channel, long until, LongSupplier clock) throws IOException {
        long bytes = 0;
        int start = 0;
        while (clock.getAsLong() < until) {
            write(channel, start, writeSize);
            bytes += writeSize;
            start = (start + writeSize) % once;
        }
        int cut = (int) (bytes % frameLength);
        if (cut > 0) {
            write(channel, start, frameLength - cut);
            bytes += frameLength - cut;
        }
        return bytes / frameLength;
    }

    private void write(WritableByteChannel channel, int from, int length) throws IOException {
        frames.limit(from + length).position(from);
        while (frames.hasRemaining()) {
            channel.write(frames);
        }
    }

    static byte[] body(int number, int length) {
        byte[] body = new byte[length];
        ByteBuffer.wrap(body).putLong(number);
        for (int i = Long.BYTES; i < length; i++) {
            body[i] = (byte) (number * 31 + i);
        }
        return body;
    }

    /**
     * Returns all frames, followed by the first {@code more} bytes of them: a write of that size may start anywhere in
     * the first part.
     */
    static ByteBuffer packed(int length, int more) {
        int once = Math.multiplyExact(FRAMES, FrameLayout.frameLength(length));
        ByteBuffer frames = ByteBuffer.allocateDirect(Math.addExact(once, more));
        for (int number = 0; number < FRAMES; number++) {
            int at = number * FrameLayout.frameLength(length);
            FrameLayout.putHeader(frames, at, TYPE, length);
            frames.put(at + FrameLayout.HEADER_LENGTH, body(number, length));
        }
        for (int done = 0; done < more; done += once) {
            frames.put(once + done, frames, 0, Math.min(once, more - done));
        }
        return frames;
    }
}
