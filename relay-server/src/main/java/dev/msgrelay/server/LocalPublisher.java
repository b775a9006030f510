package dev.msgrelay.server;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.stream.FrameRing;
import dev.msgrelay.server.stream.RunStage;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Publishes from a thread of the relay's own process into the ring, without a socket. Each such thread takes a
 * publisher of its own, from {@link RelayServer#newLocalPublisher}; there may be any number of publishers.
 */
public final class LocalPublisher implements AutoCloseable {
    // A full ring of 4 MiB is half empty after about 0.5 ms. A thread that looks for room more often slows the core
    // down. With a look every 50 us, subscribers got 10 % fewer messages on two processor cores.
    private static final long MIN_PARK_NANOS = 20_000;
    private static final long MAX_PARK_NANOS = 500_000;
    private static final int RING_BYTES_PER_NANO = 8;

    private static final Cleaner CLEANER = Cleaner.create();

    private final RunStage stage;
    private final BooleanSupplier relayCloses;
    private final int maxRun;
    private final int maxBody;
    private final long parkNanos;
    private final Cleaner.Cleanable whenForgotten;
    private boolean closed;

    LocalPublisher(RunStage stage, BooleanSupplier relayCloses, FrameRing ring, int maxBody) {
        this.stage = stage;
        this.relayCloses = relayCloses;
        this.maxRun = ring.maxRun();
        this.maxBody = maxBody;
        long half = (long) ring.cells() * FrameRing.CELL_BYTES / RING_BYTES_PER_NANO;
        // Closes the stage when the garbage collector finds that the program lost this publisher without close().
        this.whenForgotten = CLEANER.register(this, stage::close);
        this.parkNanos = Math.max(MIN_PARK_NANOS, Math.min(MAX_PARK_NANOS, half));
    }

    /**
     * Publishes one message; never waits.
     *
     * @param body the bytes between position and limit, both of which stay as they are
     * @throws IllegalArgumentException the type is reserved, or the body is over the limit
     */
    public PublishOutcome publish(int type, ByteBuffer body) {
        int length = body.remaining();
        if (ControlFrames.isControl(type) || length > maxBody) {
            throw misuse(type, length);
        }
        return !closes() && stage.put(type, body, length) ? PublishOutcome.ACCEPTED : refusal();
    }

    /**
     * Publishes a run of messages, either all or none; never waits.
     *
     * @param frames whole frames without gaps between position and limit, both of which stay as they are
     * @throws IllegalArgumentException the bytes are not whole, valid frames, or more than {@link #maxRun}
     */
    public PublishOutcome publishRun(ByteBuffer frames) {
        int length = frames.remaining();
        if (length > maxRun) {
            throw new IllegalArgumentException("run of " + length + " bytes is over the limit of " + maxRun);
        }
        return !closes() && (length == 0 || stage.putRun(frames, length)) ? PublishOutcome.ACCEPTED : refusal();
    }

    /**
     * As {@link #publish(int, ByteBuffer)}, but waits for room up to {@code waitNanos}. An interrupted thread does not
     * wait, and stays interrupted.
     */
    public PublishOutcome publish(int type, ByteBuffer body, long waitNanos) {
        PublishOutcome outcome = publish(type, body);
        return outcome == PublishOutcome.FULL ? await(waitNanos, () -> publish(type, body)) : outcome;
    }

    /** As {@link #publishRun(ByteBuffer)}, but waits for room as {@link #publish(int, ByteBuffer, long)} does. */
    public PublishOutcome publishRun(ByteBuffer frames, long waitNanos) {
        PublishOutcome outcome = publishRun(frames);
        return outcome == PublishOutcome.FULL ? await(waitNanos, () -> publishRun(frames)) : outcome;
    }

    public int maxRun() {
        return maxRun;
    }

    /** Ends the publisher; its messages stay in the stream. Called on its thread, or after that has ended. */
    @Override
    public void close() {
        closed = true;
        whenForgotten.clean();
    }

    private boolean closes() {
        return closed || relayCloses.getAsBoolean();
    }

    private PublishOutcome refusal() {
        return closes() ? PublishOutcome.CLOSED : PublishOutcome.FULL;
    }

    private IllegalArgumentException misuse(int type, int length) {
        return new IllegalArgumentException(
                ControlFrames.isControl(type)
                        ? "type " + ControlFrames.typeName(type) + " is reserved"
                        : "body of " + length + " bytes is not within 0.." + maxBody);
    }

    private PublishOutcome await(long waitNanos, Supplier<PublishOutcome> once) {
        long deadline = System.nanoTime() + Math.max(0, waitNanos);
        PublishOutcome outcome = PublishOutcome.FULL;
        while (outcome == PublishOutcome.FULL
                && System.nanoTime() - deadline < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(parkNanos);
            outcome = once.get();
        }
        return outcome;
    }
}
