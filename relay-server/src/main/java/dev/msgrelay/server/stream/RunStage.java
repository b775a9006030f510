package dev.msgrelay.server.stream;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.server.memory.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.BooleanSupplier;

/**
 * Memory in which one producer thread gathers small messages while the ring's consumer is busy. So dozens of messages
 * need only one claim and one publish, with their cache misses. No timer is needed to move the messages on:
 *
 * <pre>
 *   consumer asleep          every message goes into the ring at once, and wakes the consumer
 *   consumer busy            messages gather here; a full stage goes into the ring as one run
 *   ring empty               the consumer takes the messages from here, before it sleeps
 * </pre>
 *
 * A thread takes the stage by a compare-and-set of {@code owner}, which is a full fence. When the producer is done, it
 * looks whether the consumer sleeps. So a consumer that finds all stages free and empty may sleep until it is woken. If
 * a stage is taken, its producer may have looked too early. Then the consumer sleeps only for a moment. A long spin
 * instead could keep the producer from its processor.
 */
public final class RunStage {
    /** Bytes of the longest run that is gathered here; a longer run gets a claim of its own in the ring. */
    public static final int SMALL_RUN = 2048;

    static final int CAPACITY = 8192;

    private static final int FREE = 0;
    private static final int PRODUCER = 1;
    private static final int CONSUMER = 2;
    private static final int SPINS = 200;

    private static final VarHandle OWNER;

    static {
        try {
            OWNER = MethodHandles.lookup().findVarHandle(RunStage.class, "owner", int.class);
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

    // Guarded by owner.
    private int gathered;
    // The length of each gathered frame; 0 if the lengths differ.
    private int each;
    private long lastCell = -1;
    private boolean closed;

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

    /** Takes one message; returns false if there is no room, neither here nor in the ring. */
    public boolean put(int type, ByteBuffer body, int length) {
        int frame = FrameLayout.HEADER_LENGTH + length;
        acquire();
        try {
            return !closed
                    && (frame <= SMALL_RUN ? gather(type, body, length, frame) : claim(type, body, length, frame));
        } finally {
            letGo();
        }
    }

    private boolean gather(int type, ByteBuffer body, int length, int frame) {
        if (gathered + frame > CAPACITY && !moveToRing()) {
            return false;
        }
        int at = gathered;
        memory.putInt(at, Bytes.bigEndian(type));
        memory.putInt(at + FrameLayout.LENGTH_OFFSET, Bytes.bigEndian(length));
        memory.put(at + FrameLayout.HEADER_LENGTH, body, body.position(), length);
        grow(at, frame, frame);
        return true;
    }

    private boolean claim(int type, ByteBuffer body, int length, int frame) {
        long claim = moveToRing() ? ring.tryClaim(frame) : FrameRing.REFUSED;
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
    }

    /**
     * Takes a run; returns false if there is no room, neither here nor in the ring.
     *
     * @throws IllegalArgumentException the run is not whole, valid frames
     */
    public boolean putRun(ByteBuffer frames, int length) {
        acquire();
        try {
            return !closed
                    && (length <= SMALL_RUN && gathered + length <= CAPACITY
                            ? gatherRun(frames, length)
                            : claimRun(frames, length));
        } finally {
            letGo();
        }
    }

    private boolean gatherRun(ByteBuffer frames, int length) {
        int at = gathered;
        memory.put(at, frames, frames.position(), length);
        scan.scan(memory, at, length, 0);
        check(length);
        grow(at, length, scan.commonLength());
        return true;
    }

    /** Copies the run into the ring, and checks the copy, because the caller may change the original meanwhile. */
    private boolean claimRun(ByteBuffer frames, int length) {
        long claim = moveToRing() ? ring.tryClaim(length) : FrameRing.REFUSED;
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
    }

    private void check(int length) {
        if (scan.wholeBytes() != length) {
            throw new IllegalArgumentException("run of " + length + " bytes: " + scan.problemText());
        }
    }

    private void grow(int at, int length, int frameLength) {
        each = at == 0 || each == frameLength ? frameLength : 0;
        gathered = at + length;
    }

    public void close() {
        acquire();
        closed = true;
        moveToRing();
        OWNER.setVolatile(this, FREE);
        wakeIfAsleep(true);
    }

    /**
     * Drops the messages, and closes the stage, before the ring's memory is freed. A producer that is closed later does
     * not touch that memory. Any thread.
     */
    public void drop() {
        acquire();
        closed = true;
        gathered = 0;
        OWNER.setVolatile(this, FREE);
    }

    private void letGo() {
        OWNER.setRelease(this, FREE);
        wakeIfAsleep(false);
    }

    /** Moves the messages to the ring if the consumer sleeps. If the ring is full, they stay here. */
    private void wakeIfAsleep(boolean byClose) {
        while (gathered > 0 && consumerAsleep.getAsBoolean() && closed == byClose && ring.hasRoom(gathered)) {
            acquire();
            if (closed == byClose) {
                moveToRing();
            }
            OWNER.setVolatile(this, FREE);
        }
    }

    private boolean moveToRing() {
        int length = gathered;
        if (length == 0) {
            return true;
        }
        long claim = ring.tryClaim(length);
        if (claim == FrameRing.REFUSED) {
            return false;
        }
        ring.put(claim, 0, memory, 0, length);
        gathered = 0;
        publish(claim, length, each);
        return true;
    }

    private void publish(long claim, int length, int frameLength) {
        lastCell = claim + FrameRing.cellsOf(length) - 1;
        ring.publish(claim, length, frameLength);
    }

    private void acquire() {
        int spins = 0;
        while (!OWNER.compareAndSet(this, FREE, PRODUCER)) {
            // The consumer holds the stage to copy a few kilobytes, and may need this thread's processor for that.
            if (++spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** Returns whether messages have gathered, or are being put. */
    public boolean waiting() {
        return (int) OWNER.getAcquire(this) != FREE || gathered > 0;
    }

    /** Returns whether {@link #drainTo} would find messages, and the producer is not at the stage. */
    public boolean ready() {
        return (int) OWNER.getAcquire(this) == FREE
                && gathered > 0
                && lastCell <= ring.consumed().get();
    }

    /** Returns whether the stage is closed and empty. */
    public boolean isDone() {
        return (int) OWNER.getAcquire(this) == FREE && closed && gathered == 0;
    }

    /** Hands the messages to the handler; returns whether there were any, and the handler had room. */
    public boolean drainTo(FrameRing.Handler handler) {
        if (gathered == 0 || !OWNER.compareAndSet(this, FREE, CONSUMER)) {
            return false;
        }
        try {
            int length = gathered;
            // This producer's earlier runs in the ring come first.
            boolean next = length > 0 && lastCell <= ring.consumed().get() && handler.hasRoom();
            if (next) {
                handler.onEvent(memory, 0, length, each);
                gathered = 0;
            }
            return next;
        } finally {
            OWNER.setRelease(this, FREE);
        }
    }
}
