package dev.msgrelay.client;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameWalk;
import dev.msgrelay.protocol.PublishOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The common part of a publisher's producer threads and its I/O thread: the ring, the state, and one lock over both,
 * held for one copy of a message or a run. A monitor, not a {@code ReentrantLock}, which allocates a node each time a
 * thread has to queue.
 *
 * <p>Written messages stay in the ring until the I/O thread forgets them: {@link #prepare} and {@link #forget}. Where
 * the relay confirms what it has read, each forgotten message becomes confirmed or in doubt, in their order.
 */
final class SendQueue {
    private final SendRing ring;
    private final boolean confirms;
    private final Runnable wakeUp;

    // Guarded by this object's lock, all of them.
    private long acceptedMessages;
    private long acceptedBytes;
    private long forgottenBytes;
    private long forgottenMessages;
    private long confirmed;
    private long inDoubt;
    // Those in doubt that a flush has told.
    private long told;
    private long writes;
    private int waiters;
    // In the order of the messages; never more than there are messages in the ring.
    private final Queue<Awaited> awaited = new ArrayDeque<>();
    private boolean idle;
    private boolean closed;
    private long closeDeadline;
    private IOException failure;
    // Changed under the lock; read without it.
    private volatile long wanted;

    /**
     * A message that somebody waits for.
     *
     * @param message its place in the count of accepted messages, from 1
     * @param settled is completed once the message is forgotten
     */
    private record Awaited(long message, CompletableFuture<Void> settled) {}

    /**
     * @param confirms whether the relay confirms what it has read
     * @param wakeUp wakes the I/O thread; called only while that thread is idle, for a flush, or on closing
     */
    SendQueue(int capacity, boolean confirms, Runnable wakeUp) {
        this.ring = new SendRing(capacity);
        this.confirms = confirms;
        this.wakeUp = wakeUp;
    }

    // ---- producer threads

    PublishOutcome offer(int type, ByteBuffer body) {
        int frameLength = FrameLayout.frameLength(body.remaining());
        boolean wake;
        synchronized (this) {
            PublishOutcome outcome = outcomeFor(frameLength);
            if (outcome != PublishOutcome.ACCEPTED) {
                return outcome;
            }
            ring.append(type, body);
            wake = accepted(1, frameLength);
        }
        wakeUpIf(wake);
        return PublishOutcome.ACCEPTED;
    }

    PublishOutcome offer(int type, byte[] body, int offset, int length) {
        int frameLength = FrameLayout.frameLength(length);
        boolean wake;
        synchronized (this) {
            PublishOutcome outcome = outcomeFor(frameLength);
            if (outcome != PublishOutcome.ACCEPTED) {
                return outcome;
            }
            ring.append(type, body, offset, length);
            wake = accepted(1, frameLength);
        }
        wakeUpIf(wake);
        return PublishOutcome.ACCEPTED;
    }

    /**
     * Offers a run, all or nothing of it.
     *
     * @param frames whole frames
     * @param messages number of the frames
     */
    PublishOutcome offerRun(ByteBuffer frames, int messages) {
        boolean wake;
        synchronized (this) {
            PublishOutcome outcome = outcomeFor(frames.remaining());
            if (outcome != PublishOutcome.ACCEPTED) {
                return outcome;
            }
            ring.append(frames);
            wake = accepted(messages, frames.remaining());
        }
        wakeUpIf(wake);
        return PublishOutcome.ACCEPTED;
    }

    static void check(int type, int length, int maxBody) {
        if (ControlFrames.isControl(type)) {
            throw new IllegalArgumentException("type " + ControlFrames.typeName(type) + " is reserved");
        }
        if (length < 0) {
            throw new IllegalArgumentException("negative body length " + length);
        }
        if (length > maxBody) {
            throw new IllegalArgumentException("body of " + length + " bytes is over the limit of " + maxBody);
        }
    }

    /**
     * Checks that the bytes between position and limit are whole messages; returns their number.
     *
     * @param capacity most bytes of a run
     */
    static int checkRun(ByteBuffer frames, int maxBody, int capacity) {
        int length = frames.remaining();
        if (length > capacity) {
            throw new IllegalArgumentException("run of " + length + " bytes is over the buffer of " + capacity);
        }
        long walk = FrameWalk.over(frames, frames.position(), frames.limit(), maxBody);
        int left = length - FrameWalk.bytes(walk);
        if (left >= FrameLayout.HEADER_LENGTH) {
            ByteBuffer fault = frames.duplicate().position(frames.limit() - left);
            check(fault.getInt(), fault.getInt(), maxBody);
        }
        if (left > 0) {
            throw new IllegalArgumentException(
                    "the run does not end with a whole frame: its last " + left + " bytes are none");
        }
        return FrameWalk.messages(walk);
    }

    /**
     * Offers a message as {@link #offer(int, ByteBuffer)}, and waits for room; FULL if there was none until {@code
     * deadline}.
     */
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

    /** Offers a part of an array as {@link #offer(int, byte[], int, int)}, and waits for room. */
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

    /** Offers a run as {@link #offerRun(ByteBuffer, int)}, and waits for room. */
    PublishOutcome offerRun(ByteBuffer frames, int messages, long deadline) throws InterruptedException {
        PublishOutcome outcome = offerRun(frames, messages);
        while (outcome == PublishOutcome.FULL && awaitRoom(frames.remaining(), deadline) != PublishOutcome.FULL) {
            outcome = offerRun(frames, messages);
        }
        return outcome;
    }

    /**
     * Offers an array, and waits for room; {@code settled} completes once the message is forgotten, if it was accepted.
     */
    PublishOutcome offer(int type, byte[] body, CompletableFuture<Void> settled, long deadline)
            throws InterruptedException {
        PublishOutcome outcome = offer(type, body, settled);
        if (outcome == PublishOutcome.FULL) {
            int frameLength = FrameLayout.frameLength(body.length);
            while (outcome == PublishOutcome.FULL && awaitRoom(frameLength, deadline) != PublishOutcome.FULL) {
                outcome = offer(type, body, settled);
            }
        }
        return outcome;
    }

    private synchronized PublishOutcome offer(int type, byte[] body, CompletableFuture<Void> settled) {
        PublishOutcome outcome = offer(type, body, 0, body.length);
        if (outcome == PublishOutcome.ACCEPTED) {
            awaited.add(new Awaited(acceptedMessages, settled));
        }
        return outcome;
    }

    /** Waits for room; ACCEPTED means that there was room a moment ago: another producer may have taken it since. */
    private synchronized PublishOutcome awaitRoom(int frameLength, long deadline) throws InterruptedException {
        PublishOutcome outcome;
        while ((outcome = outcomeFor(frameLength)) == PublishOutcome.FULL) {
            if (!await(deadline)) {
                return PublishOutcome.FULL;
            }
        }
        return outcome;
    }

    /**
     * Waits until all messages accepted before this call are settled; where the relay confirms, until all are decided.
     *
     * @return how many of them are not, before {@code deadline} or a failure; and those in doubt that no call before
     *     this one has told
     */
    long awaitSettled(long deadline) throws InterruptedException {
        long target;
        long toldBefore;
        boolean ask;
        synchronized (this) {
            target = acceptedMessages;
            toldBefore = told;
            ask = confirms && target > decided();
            if (ask) {
                wanted = Math.max(wanted, target);
            }
        }
        wakeUpIf(ask);
        synchronized (this) {
            while (decided() < target && failure == null && await(deadline)) {
                // Each turn is one wake-up.
            }
            long left = Math.max(0, target - decided()) + inDoubt - toldBefore;
            if (failure == null) {
                told = inDoubt;
            }
            return left;
        }
    }

    /** Messages up to this place in the count are settled or, where the relay confirms, in doubt. */
    private long decided() {
        return confirms ? confirmed + inDoubt : forgottenMessages;
    }

    /** Takes no more messages from now on. Returns whether this was the first call. */
    boolean close(long deadline) {
        boolean first;
        synchronized (this) {
            first = !closed;
            if (first) {
                closed = true;
                closeDeadline = deadline;
                wanted = acceptedMessages;
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
     * @return its bytes; 0: there are none, and the next message wakes the I/O thread
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
    void forget(int bytes, long messages) {
        List<Awaited> settled;
        synchronized (this) {
            ring.release(bytes);
            forgottenBytes += bytes;
            forgottenMessages += messages;
            if (waiters > 0) {
                notifyAll();
            }
            settled = takeAwaited(forgottenMessages);
        }
        // Outside of the lock: the caller's actions run within.
        for (Awaited message : settled) {
            message.settled().complete(null);
        }
    }

    /** Takes note that the relay has read so many more of the forgotten messages. */
    synchronized void confirm(long messages) {
        confirmed += messages;
        notifyAll();
    }

    /** Takes note that so many more of the forgotten messages will not be confirmed, if any are. */
    synchronized void doubt(long messages) {
        inDoubt += confirms ? messages : 0;
        notifyAll();
    }

    /** Messages up to this place in the count are to be confirmed as soon as they are written. Any thread. */
    long wanted() {
        return wanted;
    }

    /** Takes the awaited messages up to this place in the count. */
    private List<Awaited> takeAwaited(long upTo) {
        if (awaited.isEmpty() || awaited.peek().message() > upTo) {
            return List.of();
        }
        List<Awaited> taken = new ArrayList<>();
        while (!awaited.isEmpty() && awaited.peek().message() <= upTo) {
            taken.add(awaited.remove());
        }
        return taken;
    }

    /** Bytes of the message that starts {@code behind} bytes behind the first kept one; it was prepared before. */
    int frameLengthAt(int behind) {
        return ring.frameLengthAt(behind);
    }

    /** Whether no message is kept, and none will come. */
    synchronized boolean isDrained() {
        return closed && ring.used() == 0;
    }

    int writePrepared(GatheringByteChannel channel) throws IOException {
        return ring.writePrepared(channel);
    }

    /** Keeps the first failure, and wakes every waiter. Returns whether this was the first. */
    boolean fail(IOException cause) {
        boolean first;
        List<Awaited> lost;
        synchronized (this) {
            first = failure == null;
            if (first) {
                failure = cause;
            }
            closed = true;
            notifyAll();
            lost = takeAwaited(Long.MAX_VALUE);
        }
        for (Awaited message : lost) {
            message.settled().completeExceptionally(new PublishException(cause.getMessage(), lost.size(), cause));
        }
        return first;
    }

    // ---- any thread

    synchronized IOException failure() {
        return failure;
    }

    synchronized long acceptedMessages() {
        return acceptedMessages;
    }

    synchronized long acceptedBytes() {
        return acceptedBytes;
    }

    synchronized long forgottenBytes() {
        return forgottenBytes;
    }

    synchronized long forgottenMessages() {
        return forgottenMessages;
    }

    /** Number of messages that the relay has read, where it confirms that. */
    synchronized long confirmedMessages() {
        return confirmed;
    }

    /** Number of accepted messages that are not settled or confirmed, but for those in doubt that a flush has told. */
    synchronized long unsettledMessages() {
        return acceptedMessages - (confirms ? confirmed + told : forgottenMessages);
    }

    synchronized long keptBytes() {
        return ring.used();
    }

    synchronized long writes() {
        return writes;
    }

    private PublishOutcome outcomeFor(int frameLength) {
        if (closed) {
            return PublishOutcome.CLOSED;
        }
        return ring.hasRoomFor(frameLength) ? PublishOutcome.ACCEPTED : PublishOutcome.FULL;
    }

    private boolean accepted(int messages, int bytes) {
        acceptedMessages += messages;
        acceptedBytes += bytes;
        boolean wake = idle;
        idle = false;
        return wake;
    }

    /** Called outside of the lock, which the woken thread takes at once. */
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
