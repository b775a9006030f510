package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Job.Listening;
import dev.msgrelay.loadgen.plan.Sent;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * The sender whose throughput is the first ceiling: it prepares frames once, and writes them repeatedly to one
 * subscriber.
 */
public final class PrepackedMain {
    private static final long PRIME_EVERY_MILLIS = 10;

    private PrepackedMain() {}

    public static void main(String[] args) {
        Control.main(Job.class, PrepackedMain::run);
    }

    private static void run(Job job, Control control) throws IOException, InterruptedException {
        int body = (int) Math.round(job.load().body().mean());
        try (ServerSocketChannel server =
                Sockets.listen(job.listen().address(), job.listen().subscribe())) {
            SocketCongestion.prepare(server, job.load().localCongestion());
            control.say("ready", new Listening(null, Sockets.endpoint(server)));
            SocketChannel subscriber = Sockets.accept(server);
            control.say(
                    Control.SOCKETS,
                    SocketCongestion.choose(subscriber, job.load().localCongestion()));
            Prepacked frames = new Prepacked(body, job.bytes());
            while (control.window() == Window.NONE) {
                write(subscriber, frames.one());
                TimeUnit.MILLISECONDS.sleep(PRIME_EVERY_MILLIS);
            }
            while (System.nanoTime() < control.window().end()) {
                write(subscriber, frames.next());
            }
            write(subscriber, frames.rest());
            control.say("result", Sent.NOTHING);
        }
    }

    private static void write(SocketChannel channel, ByteBuffer data) throws IOException {
        while (data.hasRemaining()) {
            channel.write(data);
        }
    }

    /** Frames that are prepared once. The bytes of each write start where the last write ended. One thread owns it. */
    static final class Prepacked {
        private final ByteBuffer packed;
        private final int frameLength;
        private final int writeSize;
        private int start;

        Prepacked(int bodyLength, int writeSize) {
            this.frameLength = FrameLayout.frameLength(bodyLength);
            this.writeSize = writeSize;
            int frames = (frameLength - 1 + writeSize + frameLength - 1) / frameLength;
            this.packed = ByteBuffer.allocateDirect(Math.multiplyExact(frames, frameLength));
            for (int i = 0; i < frames; i++) {
                FrameLayout.putHeader(packed, i * frameLength, LoadMessage.TYPE, bodyLength);
            }
        }

        ByteBuffer next() {
            int end = start + writeSize;
            packed.limit(end).position(start);
            start = end % frameLength;
            return packed;
        }

        /** Returns the rest of the frame within which the last write ended; empty if it ended with a whole frame. */
        ByteBuffer rest() {
            packed.limit(start == 0 ? 0 : frameLength).position(start);
            start = 0;
            return packed;
        }

        /** Returns one whole frame. Not to be called after a write that ended within a frame. */
        ByteBuffer one() {
            packed.limit(frameLength).position(0);
            return packed;
        }
    }
}
