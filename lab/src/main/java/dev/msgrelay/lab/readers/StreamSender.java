package dev.msgrelay.lab.readers;

import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongSupplier;

/**
 * The article's server: a stream of messages of one size, as fast as possible. Messages are numbered 0, 1, 2 ... up to
 * {@link #FRAMES}, then from 0 again. A body starts with its number and goes on with bytes that differ from message to
 * message, so that one that is lost, repeated or mixed up shows. Frames are packed once and go out over and over in
 * writes of one size, wherever that cuts a frame.
 */
final class StreamSender {
    /** A power of two, and more than fit between a sender and a reader that is a write behind. */
    static final int FRAMES = 8_192;

    static final int TYPE = 0x4C52;

    /** The article's body, in bytes. */
    static final int BODY = 100;

    /** A large write, in bytes. */
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

    /** Sends until that moment, then the rest of the frame that the last write cut; says how many messages. */
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
     * All frames once, and then so many bytes more of them, from the first on: wherever a window of that size starts in
     * the first part, it lies within the whole.
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
