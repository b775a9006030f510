package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.memory.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Memory in which one producer thread gathers small messages while the ring's consumer is busy. So dozens of messages
 * need only one claim and one publish, with their cache misses:
 *
 * <pre>
 *   consumer asleep          every message goes into the ring at once, and wakes the consumer
 *   consumer busy            messages gather here; a full stage goes into the ring as one run
 *   ring empty               the consumer takes the messages from here, before it sleeps
 *
 *   memory   | taken ......... | gathered ......... | free ......... |
 *            base              taken                tail             base + CAPACITY
 * </pre>
 *
 * The producer alone writes behind {@code tail}, and takes no lock for that. Messages are moved on by the producer or
 * by the consumer, each of which takes {@code owner} once for all of them. In a full stage whose messages have moved
 * on, the producer begins again.
 *
 * <p>No message stays here while the consumer sleeps. The producer stores {@code tail}, and then looks whether the
 * consumer sleeps. The consumer says that it sleeps, executes a full fence, and then looks at {@code tail}. Only if the
 * processor delays the producer's store may both miss each other. So the producer executes a full fence in between, but
 * not if it sees earlier messages here: the consumer finds those, and does not sleep.
 *
 * <p>The consumer may have taken those earlier messages while the store was delayed. So if it has taken any, it sleeps
 * only for {@link #MOMENT_NANOS}, and looks again. A processor delays a store for microseconds, and if it changes to
 * another thread, until then at most. The producer looks for earlier messages after its store, so its view of them is
 * not older than the store. Where a thread holds {@code owner}, the consumer sleeps for a moment too.
 *
 * <p>In the same way {@link #close} by another thread and a put may miss each other. So a closed stage is done only
 * when it has been empty for a moment.
 */
public final class RunStage {
    /** Bytes of the longest run that is gathered here; a longer run gets a claim of its own in the ring. */
    public static final int SMALL_RUN = 2048;

    static final int CAPACITY = 8192;

    /** Time after which all threads see a store, with a large margin; in ns. */
    static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int FREE = 0;
    private static final int HELD = 1;
    private static final int SPINS = 200;

    private static final VarHandle OWNER;
    private static final VarHandle TAIL;
    private static final VarHandle TAKEN;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER = lookup.findVarHandle(RunStage.class, "owner", int.class);
            TAIL = lookup.findVarHandle(RunStage.class, "tail", int.class);
            TAKEN = lookup.findVarHandle(RunStage.class, "taken", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final FrameRing ring;
    private final BooleanSupplier consumerAsleep;
    private final ByteBuffer memory;
    private final RunScan scan;

    @SuppressWarnings("unused") // through OWNER
    private int owner;

    // Places in the bytes of all messages; they overflow. The producer writes tail, the owner taken.
    private int tail;
    private int taken;

    // Written by the producer as owner.
    private int base;
    private long lastCell = -1;

    // Written by the producer: the length of each frame since base; 0 if the lengths differ. The consumer may see the
    // length for a later tail. That is the same length or 0.
    private int each;
    private volatile boolean closed;

    // Written by the owner: how often the consumer has taken messages, and whether the stage was closed.
    private int changes;
    // The consumer's: the last change that it knows, and when it saw that.
    private int seenChanges;
    private long seenNanos;
    private boolean settled = true;

    /** @param consumerAsleep whether the ring's consumer sleeps or is about to */
    public RunStage(FrameRing ring, int maxBody, BooleanSupplier consumerAsleep) {
        this(ring, maxBody, consumerAsleep, ByteBuffer.allocateDirect(CAPACITY));
    }

    RunStage(FrameRing ring, int maxBody, BooleanSupplier consumerAsleep, ByteBuffer memory) {
        this.ring = ring;
        this.consumerAsleep = consumerAsleep;
        this.memory = memory.order(ByteOrder.nativeOrder());
        this.scan = RunScan.unpacked(maxBody);
    }

    /** Takes one message; returns false if there is no room, neither here nor in the ring. On the producer's thread. */
    public boolean put(int type, ByteBuffer body, int length) {
        int frame = FrameLayout.HEADER_LENGTH + length;
        return frame <= SMALL_RUN ? gather(type, body, length, frame) : claim(type, body, length, frame);
    }

    private boolean gather(int type, ByteBuffer body, int length, int frame) {
        if (tail - base + frame > CAPACITY && !beginAgain()) {
            return false;
        }
        int at = tail - base;
        memory.putInt(at, Bytes.bigEndian(type));
        memory.putInt(at + FrameLayout.LENGTH_OFFSET, Bytes.bigEndian(length));
        memory.put(at + FrameLayout.HEADER_LENGTH, body, body.position(), length);
        return show(at, frame, frame);
    }

    private boolean claim(int type, ByteBuffer body, int length, int frame) {
        acquire();
        try {
            long claim = claimBehindGathered(frame);
            if (claim == FrameRing.REFUSED) {
                return false;
            }
            try {
                ring.putHeader(claim, 0, type, length);
                ring.put(claim, FrameLayout.HEADER_LENGTH, body, body.position(), length);
            } catch (Throwable e) {
                // The consumer would wait for ever for a claim that is not published.
                ring.abandon(claim, frame);
                throw e;
            }
            publish(claim, frame, frame);
            return true;
        } finally {
            letGo();
        }
    }

    /**
     * Takes a run; returns false if there is no room, neither here nor in the ring. On the producer's thread.
     *
     * @throws IllegalArgumentException the run is not whole, valid frames
     */
    public boolean putRun(ByteBuffer frames, int length) {
        return length <= SMALL_RUN ? gatherRun(frames, length) : claimRun(frames, length);
    }

    private boolean gatherRun(ByteBuffer frames, int length) {
        if (tail - base + length > CAPACITY && !beginAgain()) {
            return false;
        }
        int at = tail - base;
        memory.put(at, frames, frames.position(), length);
        scan.scan(memory, at, length, 0);
        check(length);
        return show(at, length, scan.commonLength());
    }

    /** Copies the run into the ring, and checks the copy, because the caller may change the original meanwhile. */
    private boolean claimRun(ByteBuffer frames, int length) {
        acquire();
        try {
            long claim = claimBehindGathered(length);
            if (claim == FrameRing.REFUSED) {
                return false;
            }
            try {
                ring.put(claim, 0, frames, frames.position(), length);
                ring.scan(claim, length, scan);
                check(length);
            } catch (Throwable e) {
                ring.abandon(claim, length);
                throw e;
            }
            publish(claim, length, scan.commonLength());
            return true;
        } finally {
            letGo();
        }
    }

    private void check(int length) {
        if (scan.wholeBytes() != length) {
            throw new IllegalArgumentException("run of " + length + " bytes: " + scan.problemText());
        }
    }

    private boolean beginAgain() {
        acquire();
        try {
            boolean empty = !closed && moveToRing();
            if (empty) {
                base = tail;
            }
            return empty;
        } finally {
            letGo();
        }
    }

    /** Shows the frames at the tail to the consumer; returns false if the stage was closed before. */
    private boolean show(int at, int length, int frameLength) {
        int before = tail;
        each = at == 0 || each == frameLength ? frameLength : 0;
        TAIL.setRelease(this, before + length);
        // Keeps the compiler from reading the fields below before the store. Costs no instruction on x86.
        VarHandle.acquireFence();
        if ((int) TAKEN.getAcquire(this) == before) {
            VarHandle.fullFence();
        }
        if (closed) {
            return !takenBack(before);
        }
        if (consumerAsleep.getAsBoolean()) {
            acquire();
            if (!closed) {
                // If the ring is full, the messages stay here. Its consumer looks here when the ring is empty.
                moveToRing();
            }
            letGo();
        }
        return true;
    }

    /** Takes back what was shown, unless it has moved on already, and returns whether it did. */
    private boolean takenBack(int before) {
        acquire();
        boolean stays = taken - before <= 0;
        if (stays) {
            TAIL.setRelease(this, before);
        }
        letGo();
        return stays;
    }

    /** Ends the stage, whose messages stay in the stream. Any thread. */
    public void close() {
        acquire();
        changes++;
        // A stage that was dropped has no ring any more, and a put may have shown bytes that the drop has not seen.
        if (!closed) {
            closed = true;
            moveToRing();
        }
        letGo();
    }

    /**
     * Drops the messages, and closes the stage, before the ring's memory is freed. A producer that is closed later does
     * not touch that memory. Any thread.
     */
    public void drop() {
        acquire();
        closed = true;
        TAKEN.setRelease(this, (int) TAIL.getAcquire(this));
        letGo();
    }

    private long claimBehindGathered(int length) {
        return !closed && moveToRing() ? ring.tryClaim(length) : FrameRing.REFUSED;
    }

    private boolean moveToRing() {
        int end = (int) TAIL.getAcquire(this);
        int length = end - taken;
        if (length == 0) {
            return true;
        }
        long claim = ring.tryClaim(length);
        if (claim == FrameRing.REFUSED) {
            return false;
        }
        ring.put(claim, 0, memory, taken - base, length);
        publish(claim, length, each);
        TAKEN.setRelease(this, end);
        return true;
    }

    private void publish(long claim, int length, int frameLength) {
        lastCell = claim + FrameRing.cellsOf(length) - 1;
        ring.publish(claim, length, frameLength);
    }

    private void acquire() {
        int spins = 0;
        while (!OWNER.compareAndSet(this, FREE, HELD)) {
            // The consumer holds the stage to copy a few kilobytes, and may need this thread's processor for that.
            if (++spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    private void letGo() {
        OWNER.setRelease(this, FREE);
    }

    private boolean isFree() {
        return (int) OWNER.getAcquire(this) == FREE;
    }

    private boolean isEmpty() {
        return (int) TAKEN.getAcquire(this) == (int) TAIL.getAcquire(this);
    }

    /** Returns whether messages have gathered, or are being moved. */
    public boolean waiting() {
        return !isFree() || !isEmpty();
    }

    /** Returns whether {@link #drainTo} would find messages, and nobody else moves them. */
    public boolean ready() {
        return isFree() && !isEmpty() && lastCell <= ring.consumed().get();
    }

    public boolean isClosed() {
        return closed;
    }

    /** Returns whether a put may be under way that has not seen the close. On the consumer's thread. */
    boolean isClosing(long nanos) {
        return closed && !isSettled(nanos);
    }

    /** Returns whether the stage is closed, and stays empty. On the consumer's thread. */
    public boolean isDone(long nanos) {
        return closed && isSettled(nanos) && !waiting();
    }

    /**
     * Returns whether for a moment the consumer has taken nothing, and the stage was not closed. If so, the consumer
     * sees each put that did not see it asleep, or did not see the close. On the consumer's thread.
     *
     * @param nanos the time now
     */
    boolean isSettled(long nanos) {
        int now = changes;
        if (now != seenChanges) {
            seenChanges = now;
            seenNanos = nanos;
            settled = false;
        } else if (!settled) {
            settled = nanos - seenNanos >= MOMENT_NANOS;
        }
        return settled;
    }

    /** Hands the messages to the handler; returns whether there were any, and the handler had room. */
    public boolean drainTo(FrameRing.Handler handler) {
        if (isEmpty() || !OWNER.compareAndSet(this, FREE, HELD)) {
            return false;
        }
        try {
            int end = (int) TAIL.getAcquire(this);
            // This producer's earlier runs in the ring come first.
            boolean next = end != taken && lastCell <= ring.consumed().get() && handler.hasRoom();
            if (next) {
                handler.onEvent(memory, taken - base, end - taken, each);
                changes++;
                TAKEN.setRelease(this, end);
            }
            return next;
        } finally {
            letGo();
        }
    }
}
