package dev.msgrelay.loadgen.inprocess;

import dev.msgrelay.loadgen.load.FrameBatch;
import dev.msgrelay.loadgen.load.LoadMessage;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.worker.Window;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.server.LocalPublisher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** One producer thread of the relay's own JVM, as fast as it goes. That thread owns it; counts may be asked by any. */
final class LocalLoad {
    /** Messages between two looks at the clock; the messages in between carry the same time. */
    private static final int MESSAGES_PER_CLOCK = 240;

    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** So long without room means that the relay is stuck. */
    private static final int MAX_WAITS = 100;

    private final int id;
    private final int runLength;
    private final LocalPublisher publisher;
    private final FrameBatch run;
    private final AtomicLong messages = new AtomicLong();
    private long bytes;
    private long messagesAtBegin = -1;
    private long bytesAtBegin;
    private long waitedNanos;
    private long waitedAtBegin;

    /**
     * @param runLength messages of one publish; 1: single messages, by the method for these
     */
    LocalLoad(int id, SizeTable sizes, int runLength, LocalPublisher publisher) {
        this.id = id;
        this.runLength = runLength;
        this.publisher = publisher;
        this.run = FrameBatch.ofMessages(sizes, runLength);
    }

    /** Publishes one run ahead of the measurement, so that subscribers hear of this publisher. */
    void prime() throws IOException {
        messages.lazySet(publishRun(messages.get(), System.nanoTime()));
    }

    /** Publishes until the end of the window. */
    void publish(Window window) throws IOException {
        final int runsPerClock = Math.max(1, MESSAGES_PER_CLOCK / runLength);
        long number = messages.get();
        long now = System.nanoTime();
        while (now < window.end()) {
            if (messagesAtBegin < 0 && now >= window.begin()) {
                messagesAtBegin = number;
                bytesAtBegin = bytes;
                waitedAtBegin = waitedNanos;
            }
            for (int i = 0; i < runsPerClock; i++) {
                number = publishRun(number, now);
            }
            // One writer: an ordered store is enough, and costs nothing.
            messages.lazySet(number);
            now = System.nanoTime();
        }
    }

    private long publishRun(long first, long now) throws IOException {
        for (int i = 0; i < runLength; i++) {
            run.add(LoadMessage.stamp(id, first + i), now);
        }
        ByteBuffer frames = run.take();
        bytes += frames.remaining();
        PublishOutcome outcome = offer(frames, 0);
        if (outcome == PublishOutcome.FULL) {
            outcome = awaitRoom(frames);
        }
        if (outcome != PublishOutcome.ACCEPTED) {
            throw new IOException("publisher " + id + ": the relay answered " + outcome);
        }
        return first + runLength;
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
        if (runLength > 1) {
            return publisher.publishRun(frames, waitNanos);
        }
        frames.position(FrameLayout.HEADER_LENGTH);
        return publisher.publish(LoadMessage.TYPE, frames, waitNanos);
    }

    int id() {
        return id;
    }

    long messages() {
        return messages.get();
    }

    /** The first message whose time is within the measured part. */
    long firstTimed() {
        return messagesAtBegin < 0 ? messages.get() : messagesAtBegin;
    }

    long messagesMeasured() {
        return messagesAtBegin < 0 ? 0 : messages.get() - messagesAtBegin;
    }

    /** On the wire; once {@link #publish} has returned. */
    long bytesMeasured() {
        return messagesAtBegin < 0 ? 0 : bytes - bytesAtBegin;
    }

    /** How long the ring was full for this thread, within the window; once {@link #publish} has returned. */
    long waitedMeasured() {
        return messagesAtBegin < 0 ? 0 : waitedNanos - waitedAtBegin;
    }
}
