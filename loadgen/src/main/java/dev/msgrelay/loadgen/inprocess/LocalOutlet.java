package dev.msgrelay.loadgen.inprocess;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.worker.Outlet;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** A publisher of the relay's own JVM: a run of frames is one publish. Its thread owns it. */
final class LocalOutlet implements Outlet {
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So long without room means that the relay is stuck. */
    private static final int MAX_WAITS = 100;

    private final LocalPublisher publisher;
    private final boolean single;
    private long waitedNanos;
    private long waitedAtBegin;

    /**
     * @param single messages only, by the method for these
     */
    LocalOutlet(LocalPublisher publisher, boolean single) {
        this.publisher = publisher;
        this.single = single;
    }

    @Override
    public void write(ByteBuffer frames) throws IOException {
        if (!frames.hasRemaining()) {
            return;
        }
        PublishOutcome outcome = offer(frames, 0);
        if (outcome == PublishOutcome.FULL) {
            outcome = awaitRoom(frames);
        }
        if (outcome != PublishOutcome.ACCEPTED) {
            throw new IOException("the relay answered " + outcome);
        }
    }

    /** The ring is full: this thread waits, and notes for how long. */
    private PublishOutcome awaitRoom(ByteBuffer frames) {
        long from = System.nanoTime();
        PublishOutcome outcome = PublishOutcome.FULL;
        for (int waits = 0; outcome == PublishOutcome.FULL && waits < MAX_WAITS; waits++) {
            outcome = offer(frames, WAIT_NANOS);
        }
        waitedNanos += System.nanoTime() - from;
        return outcome;
    }

    private PublishOutcome offer(ByteBuffer frames, long waitNanos) {
        if (!single) {
            return publisher.publishRun(frames, waitNanos);
        }
        frames.position(FrameLayout.HEADER_LENGTH);
        return publisher.publish(LoadMessage.TYPE, frames, waitNanos);
    }

    @Override
    public void noteBegin() {
        waitedAtBegin = waitedNanos;
    }

    /** How long the ring was full for this thread, within the window. */
    @Override
    public void addTo(JsonObject result) {
        result.put("waitedForRoomNanos", waitedNanos - waitedAtBegin);
    }
}
