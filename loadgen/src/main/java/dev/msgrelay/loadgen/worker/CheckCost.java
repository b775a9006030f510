package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.concurrent.TimeUnit;

/**
 * What it costs this process to take a message out of its buffer and to check it: measured in memory, by the code that has
 * just checked a run.
 */
final class CheckCost implements ReadableByteChannel {
    /** On a machine that is busy, the compiler takes a while too. */
    private static final int LEAST_PASSES = 50;

    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final FrameBatch batch;
    private final MeasuredChannel measured;
    private final Verifier verifier;
    private final FrameReader reader;
    private ByteBuffer frames;
    private long sent;

    CheckCost(Receiver.Settings given, Control control) {
        Receiver.Settings settings = given.ofOnePublisher();
        this.batch = FrameBatch.ofBytes(settings.sizes());
        this.measured = new MeasuredChannel(this, () -> 0, control, 0);
        this.verifier = new Verifier(measured, null, settings, settings.newCheck());
        this.reader = new FrameReader(batch.capacity(), settings.sizes().max());
    }

    /** Nanoseconds a message, in the shortest of all passes: nobody was in its way. */
    double nanosPerMessage() throws IOException {
        long start = System.nanoTime();
        double least = Double.MAX_VALUE;
        for (int pass = 0; pass < LEAST_PASSES || System.nanoTime() - start < LEAST_NANOS; pass++) {
            least = Math.min(least, pass());
        }
        return least;
    }

    /** One buffer full of messages; nanoseconds for each. */
    private double pass() throws IOException {
        long first = sent;
        sent += batch.fill(LoadMessage.stamp(0, sent), sent);
        frames = batch.take();
        reader.read(measured, verifier);
        return (double) (System.nanoTime() - measured.now()) / (sent - first);
    }

    @Override
    public int read(ByteBuffer target) {
        int n = frames.remaining();
        target.put(frames);
        return n;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {
        // nothing is open
    }
}
