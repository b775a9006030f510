package dev.msgrelay.server.core;

import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.log.PacketLog;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The one order: runs of other threads, from the ring and from stages, go into the log behind the spans that sockets of the
 * core's own thread have brought in the same cycle. Owned by the core's thread unless a method says otherwise.
 */
public final class Order {
    private static final int BATCHES_PER_LOOK = 256;
    private static final int LOOKS_AT_BUSY_STAGES = 32;
    private static final long STAGE_HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final FrameRing ring;
    private final NetworkBatchHandler handler;
    // Null: the order is made here.
    private final Orderer others;
    // The receiver of runs: the others if there are any, else the handler.
    private final RunHandler runs;
    private final WindowGate gate;
    private final PacketLog log;

    private volatile RunStage[] stages = {};
    private int batches;
    private boolean moreExpected;
    // A failure while a span was packed: an unknown part of the span is in the log.
    private Throwable inDoubt;

    /** @param others decide the order; null: it is made here */
    public Order(FrameRing ring, NetworkBatchHandler handler, Orderer others, WindowGate gate, PacketLog log) {
        this.ring = ring;
        this.handler = handler;
        this.others = others;
        this.runs = others == null ? handler : others;
        this.gate = gate;
        this.log = log;
    }

    /**
     * Takes runs from the ring, and from stages if the ring has run dry. Then the batch of this cycle ends, and the head moves:
     * also if the gate refused in the middle of the batch, since only readers of what is packed open the gate again. Nothing
     * else moves the head.
     *
     * @return whether there is more in the ring, or to be expected
     */
    public boolean drain() {
        if (inDoubt != null) {
            throw new IllegalStateException("the order is in doubt", inDoubt);
        }
        FrameRing.Polled polled = ring.poll(runs);
        boolean got = polled.some;
        // A look at a stage takes its cache lines from the producer's core. Now and then it is due all the same:
        // another producer may never let the ring run dry.
        if (!got || ++batches % BATCHES_PER_LOOK == 0) {
            for (RunStage stage : stages) {
                got |= stage.take(runs);
                if (stage.isDone()) {
                    forget(stage);
                }
            }
        }
        boolean more = moreExpected;
        moreExpected = false;
        if (others != null) {
            more |= others.drain();
        }
        if (!allShown()) {
            handler.endOfBatch();
        }
        return more || got && !polled.held && ring.hasNext();
    }

    /** Takes note that subscribers have been handed what the last {@link #drain} showed, as far as their sockets took it. */
    public void handedOver() {
        handler.handedOver();
    }

    /** Takes note that a read of this cycle took all it could: more is likely to come. */
    public void moreExpected() {
        moreExpected = true;
    }

    /** Whether readers see all that is in the log; false in the middle of a batch. */
    public boolean allShown() {
        return log.endPosition() == log.head().position();
    }

    /** Has the log get ready for one more run; returns whether it can take one now. */
    public boolean makeReady() {
        return inDoubt == null && log.makeReady();
    }

    /** Takes a span of whole frames of the core's own thread into the log; only after {@link #makeReady} has returned true. */
    public void take(RunScan span) {
        try {
            handler.pack(span);
        } catch (Throwable e) {
            // This read's wall ends the publisher alone; the next drain ends the relay.
            inDoubt = e;
            throw e;
        }
    }

    /** Whether something waits that the last {@link #drain} did not find; asked before the core sleeps. */
    public boolean pending() {
        // While readers hold the writer back the ring stays full, and their progress wakes the core. Likewise runs that
        // the others have put in order make room, and wake it.
        boolean waits = others == null
                ? ring.hasNext() || stageReadySoon()
                : others.hasOrdered() || others.makeReady() && (ring.hasNext() || stageReadySoon());
        return waits && !gate.stillRefuses() && !log.starved();
    }

    /** Longest sleep; 0: no limit. A producer that is at its stage may have asked too early whether the core sleeps. */
    public long sleepNanos() {
        return anyStage(RunStage::waiting) && !gate.stillRefuses() ? STAGE_HELD_NANOS : 0;
    }

    /** Adds a producer's stage. Any thread. */
    public synchronized void add(RunStage stage) {
        RunStage[] next = Arrays.copyOf(stages, stages.length + 1);
        next[next.length - 1] = stage;
        stages = next;
    }

    /** Ends all stages: local publishers publish no more. Any thread. */
    public void endStages() {
        for (RunStage stage : stages) {
            stage.end();
        }
    }

    /** Drops all stages, before the ring's memory goes. Any thread, once the core has ended. */
    public void dropStages() {
        for (RunStage stage : stages) {
            stage.drop();
        }
    }

    /** Whether nothing waits in a stage, in the ring or for others. Any thread. */
    public boolean isEmpty() {
        // Upstream first: a run that moves on meanwhile is found where it has gone.
        return !anyStage(RunStage::waiting) && ring.isEmpty() && (others == null || others.isEmpty());
    }

    /** Whether there is room for all publishers that were held back. */
    public boolean hasPlentyOfRoom() {
        return ring.remainingCells() >= ring.cells() / 2 && (others == null || others.hasPlentyOfRoom());
    }

    /** Stages of producers that have not ended. Any thread. */
    public int stages() {
        return stages.length;
    }

    private synchronized void forget(RunStage stage) {
        stages = Arrays.stream(stages).filter(s -> s != stage).toArray(RunStage[]::new);
    }

    private boolean anyStage(Predicate<RunStage> is) {
        for (RunStage stage : stages) {
            if (is.test(stage)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Waits for a stage that its producer is about to let go, if shortly: that is cheaper than to sleep and be woken. A producer
     * that has lost its processor may need this one.
     */
    private boolean stageReadySoon() {
        int looks = 0;
        while (!anyStage(RunStage::ready)) {
            if (++looks > LOOKS_AT_BUSY_STAGES || !anyStage(RunStage::waiting)) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }
}
