package dev.msgrelay.client;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.PublishOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.concurrent.TimeUnit;

/**
 * What producer threads and the I/O thread of a publisher share: the ring, the state, and one lock over both, held for
 * one copy of a message. A monitor rather than a {@code ReentrantLock}: that one allocates a node each time a thread has
 * to queue.
 *
 * <p>What was written stays until it is known what became of it: {@link #prepare} and {@link #forget}.
 */
final class SendQueue {
    private final SendRing ring;
    private final Runnable wakeUp;

    // All guarded by this.
    private long acceptedMessages;
    private long acceptedBytes;
    private long forgottenBytes;
    private long forgottenMessages;
    private long writes;
    private int waiters;
    private boolean idle;
    private boolean closed;
    private long closeDeadline;
    private IOException failure;

    /** @param wakeUp gets the I/O thread out of its wait; called only while that thread is idle, or on closing */
    SendQueue(int capacity, Runnable wakeUp) {
        this.ring = new SendRing(capacity);
        this.wakeUp = wakeUp;
    }

    // ---- producer threads

    PublishOutcome offer(int type, ByteBuffer body) {
        int frameLength = FrameLayout.frameLength(body.remaining());
        boolean wake;
        synchronized (this) {
            PublishOutcome outcome = look(frameLength);
            if (outcome != PublishOutcome.ACCEPTED) {
                return outcome;
            }
            ring.append(type, body);
            wake = accepted(frameLength);
        }
        wakeUpIf(wake);
        return PublishOutcome.ACCEPTED;
    }

    PublishOutcome offer(int type, byte[] body, int offset, int length) {
        int frameLength = FrameLayout.frameLength(length);
        boolean wake;
        synchronized (this) {
            PublishOutcome outcome = look(frameLength);
            if (outcome != PublishOutcome.ACCEPTED) {
                return outcome;
            }
            ring.append(type, body, offset, length);
            wake = accepted(frameLength);
        }
        wakeUpIf(wake);
        return PublishOutcome.ACCEPTED;
    }

    /** What a publisher may be asked to take. */
    static void check(int type, int length, int maxBody) {
        if (ControlFrames.isControl(type)) {
            throw new IllegalArgumentException("type " + ControlFrames.typeName(type) + " is reserved");
        }
        if (length > maxBody) {
            throw new IllegalArgumentException("body of " + length + " bytes is over the limit of " + maxBody);
        }
    }

    /** As the one that does not wait, but waits for room; FULL where there was none until {@code deadline}. */
    PublishOutcome offer(int type, ByteBuffer body, long deadline) throws InterruptedException {
        PublishOutcome outcome = offer(type, body);
        if (outcome == PublishOutcome.FULL) {
            int frameLength = FrameLayout.frameLength(body.remaining());
            while (outcome == PublishOutcome.FULL && awaitRoom(frameLength, deadline) != PublishOutcome.FULL) {
                outcome = offer(type, body);
            }
        }
        return outcome;
    }

    /** The same for a part of an array. */
    PublishOutcome offer(int type, byte[] body, int offset, int length, long deadline) throws InterruptedException {
        PublishOutcome outcome = offer(type, body, offset, length);
        if (outcome == PublishOutcome.FULL) {
            int frameLength = FrameLayout.frameLength(length);
            while (outcome == PublishOutcome.FULL && awaitRoom(frameLength, deadline) != PublishOutcome.FULL) {
                outcome = offer(type, body, offset, length);
            }
        }
        return outcome;
    }

    /** Waits for room; ACCEPTED means that there was room a moment ago, another producer may have taken it since. */
    private synchronized PublishOutcome awaitRoom(int frameLength, long deadline) throws InterruptedException {
        PublishOutcome outcome;
        while ((outcome = look(frameLength)) == PublishOutcome.FULL) {
            if (!await(deadline)) {
                return PublishOutcome.FULL;
            }
        }
        return outcome;
    }

    /** Waits until all that is accepted now was forgotten; false where that did not happen in time. */
    synchronized boolean awaitForgotten(long deadline) throws InterruptedException {
        long target = acceptedMessages;
        while (forgottenMessages < target) {
            if (failure != null || !await(deadline)) {
                return false;
            }
        }
        return true;
    }

    /** Takes no more messages from now on. Returns whether it took some until now. */
    boolean close(long deadline) {
        boolean first;
        synchronized (this) {
            first = !closed;
            if (first) {
                closed = true;
                closeDeadline = deadline;
            }
            notifyAll();
        }
        wakeUp.run();
        return first;
    }

    synchronized long closeDeadline() {
        return closeDeadline;
    }

    // ---- I/O thread

    /**
     * Prepares the next write, from {@code behind} bytes behind the first message that is kept.
     *
     * @return its bytes; 0 where there are none, then the next message wakes the I/O thread up
     */
    synchronized int prepare(int behind, int most) {
        int next = ring.prepare(behind, most);
        idle = next == 0;
        if (next > 0) {
            writes++;
        }
        return next;
    }

    /** Forgets the first messages that are kept. */
    synchronized void forget(int bytes, long messages) {
        ring.release(bytes);
        forgottenBytes += bytes;
        forgottenMessages += messages;
        if (waiters > 0) {
            notifyAll();
        }
    }

    /** Bytes of the message that starts {@code behind} bytes behind the first one that is kept; prepared before. */
    int frameLengthAt(int behind) {
        return ring.frameLengthAt(behind);
    }

    /** Whether no message is kept and none will come. */
    synchronized boolean isDrained() {
        return closed && ring.used() == 0;
    }

    int writePrepared(GatheringByteChannel channel) throws IOException {
        return ring.writePrepared(channel);
    }

    /** Keeps the first failure; every producer and waiter is told. Returns whether this was the first. */
    synchronized boolean fail(IOException cause) {
        boolean first = failure == null;
        if (first) {
            failure = cause;
        }
        closed = true;
        notifyAll();
        return first;
    }

    // ---- anybody

    synchronized IOException failure() {
        return failure;
    }

    synchronized long acceptedMessages() {
        return acceptedMessages;
    }

    synchronized long acceptedBytes() {
        return acceptedBytes;
    }

    /** Bytes of {@link #forgottenMessages}. */
    synchronized long forgottenBytes() {
        return forgottenBytes;
    }

    /** Messages that {@link #forget} has forgotten. */
    synchronized long forgottenMessages() {
        return forgottenMessages;
    }

    synchronized long writes() {
        return writes;
    }

    private PublishOutcome look(int frameLength) {
        if (closed) {
            return PublishOutcome.CLOSED;
        }
        return ring.hasRoomFor(frameLength) ? PublishOutcome.ACCEPTED : PublishOutcome.FULL;
    }

    private boolean accepted(int frameLength) {
        acceptedMessages++;
        acceptedBytes += frameLength;
        boolean wake = idle;
        idle = false;
        return wake;
    }

    /** Outside the lock, or the woken thread would run into it. */
    private void wakeUpIf(boolean wake) {
        if (wake) {
            wakeUp.run();
        }
    }

    private boolean await(long deadline) throws InterruptedException {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return false;
        }
        waiters++;
        try {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        } finally {
            waiters--;
        }
        return true;
    }
}
