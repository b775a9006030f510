package dev.msgrelay.lab.readers;

import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.loadgen.worker.Sockets;
import dev.msgrelay.loadgen.worker.WorkerArgs;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.net.Segments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The article's server, in a process of its own: an endless stream of messages of one size, as fast as possible; here to
 * one client after the other, and for some time each. The numbered frames go out over and over in writes of one size,
 * wherever that cuts a frame.
 *
 * <pre>
 *  --bind ADDRESS        where it listens, on a free port
 *  --body BYTES          of every message
 *  --write-size BYTES    of every write; 0: whole segments of the connection, about 256 KiB
 *  --millis TIME         of every connection
 * </pre>
 */
public final class StreamSender {
    private static final int LARGE = 256 << 10;

    private final ByteBuffer frames;
    private final int once;
    private final int frameLength;
    private final int writeSize;

    StreamSender(int body, int writeSize) {
        this.frames = NumberedFrames.packed(body, writeSize);
        this.once = NumberedFrames.bytes(body);
        this.frameLength = FrameLayout.frameLength(body);
        this.writeSize = writeSize;
    }

    public static void main(String[] args) {
        Control.main(args, StreamSender::run);
    }

    private static void run(WorkerArgs args, Control control) throws IOException {
        int body = args.number("body");
        int writeSize = args.number("write-size");
        long nanos = TimeUnit.MILLISECONDS.toNanos(args.number("millis"));
        try (ServerSocketChannel server = Sockets.listen(args.text("bind"), 0)) {
            control.say("ready", Map.of("address", Sockets.endpoint(server).toString()));
            StreamSender sender = null;
            for (int connection = 1; ; connection++) {
                try (SocketChannel client = Sockets.accept(server)) {
                    if (sender == null) {
                        int segments = Segments.wholeUpTo(LARGE, Segments.payload(client.getLocalAddress()));
                        sender = new StreamSender(body, writeSize == 0 ? segments : writeSize);
                    }
                    long sent = sender.send(client, System.nanoTime() + nanos, System::nanoTime);
                    control.say("sent" + connection, Map.of("messages", sent));
                } catch (IOException e) {
                    control.say("sent" + connection, Map.of("failed", e.toString()));
                }
            }
        }
    }

    /**
     * Sends until that moment, then the rest of the frame that the last write cut.
     *
     * @return messages sent
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
}
