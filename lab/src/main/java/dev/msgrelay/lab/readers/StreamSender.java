package dev.msgrelay.lab.readers;

import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongSupplier;

/**
 * The article's server: a stream of messages of one size, as fast as possible. The numbered frames go out over and over
 * in writes of one size, wherever that cuts a frame.
 */
final class StreamSender {
    /** The article's body, in bytes. */
    static final int BODY = 100;

    /** A large write, in bytes. */
    static final int LARGE = 256 << 10;

    private final ByteBuffer frames;
    private final int once;
    private final int frameLength;
    private final int writeSize;

    StreamSender(int body, int writeSize) {
        this.frames = NumberedFrames.packed(body, writeSize);
        this.frameLength = FrameLayout.frameLength(body);
        this.once = NumberedFrames.FRAMES * frameLength;
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
}
