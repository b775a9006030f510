package dev.msgrelay.server.core;

import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.log.PacketLog;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Where the one order is made: what producers of other threads have put into the ring or gathered in their stages goes into
 * the log, batch by batch, behind what sockets of the core's own thread have brought in the same cycle.
 *
 * <p>Owned by the core's thread, but for what says otherwise.
 */
public final class Order {
    private static final int BATCHES_PER_LOOK = 256;
    private static final int LOOKS_AT_BUSY_STAGES = 32;
    private static final long STAGE_HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final FrameRing ring;
    private final NetworkBatchHandler handler;
    // Where runs go: the handler, or who orders them with others first; null: nobody does.
    private final RunHandler runs;
    private final Orderer others;
    private final WindowGate gate;
    private final PacketLog log;

    private volatile RunStage[] stages = {};
    private int batches;
    // What was thrown while a span was packed: nobody knows what of it is in the log.
    private Throwable inDoubt;

    /** @param others who decides the order; null: it is made here */
    public Order(FrameRing ring, NetworkBatchHandler handler, Orderer others, WindowGate gate, PacketLog log) {
        this.ring = ring;
        this.runs = others == null ? handler : others;
        this.others = others;
        this.handler = handler;
        this.gate = gate;
        this.log = log;
    }

    /**
     * Takes what there is from the ring, and what has gathered in stages where the ring has run dry. Then the batch of this cycle
     * has ended, and the head moves: also where the gate refused in the middle of it, since only readers that get what is
     * packed already open the gate again. Nothing else moves the head.
     *
     * @return whether there is more in the ring
     */
    public boolean drain() {
        if (inDoubt != null) {
            throw new IllegalStateException("the order is in doubt", inDoubt);
        }
        FrameRing.Polled polled = ring.poll(runs);
        boolean got = polled == FrameRing.Polled.SOME;
        // What has gathered in stages is taken when the ring has run dry: it is the producer's own memory, and every
        // look at it takes the lines from its core. Now and then all the same: another producer may never let the ring
        // run dry.
        if (!got || ++batches % BATCHES_PER_LOOK == 0) {
            for (RunStage stage : stages) {
                got |= stage.take(runs);
                if (stage.isDone()) {
                    forget(stage);
                }
            }
        }
        boolean more = others != null && others.drain();
        if (!allShown()) {
            handler.endOfBatch();
        }
        return more || got && polled != FrameRing.Polled.HELD && ring.hasNext();
    }

    /** Subscribers have been handed what the last {@link #drain} showed, as far as their sockets took it. */
    public void handedOver() {
        handler.handedOver();
    }

    /** Whether readers see all that is in the log: not in the middle of a batch. */
    public boolean allShown() {
        return log.endPosition() == log.head().position();
    }

    /** Has the log get ready for one more run; answers whether it can take one now. */
    public boolean makeReady() {
        return inDoubt == null && log.makeReady();
    }

    /** A span of whole frames of the core's own thread goes into the log. Only while {@link #makeReady} says that it can. */
    public void take(RunScan span) {
        try {
            handler.pack(span);
        } catch (Throwable e) {
            // In a publisher's read, whose wall ends that publisher. The next drain ends the relay.
            inDoubt = e;
            throw e;
        }
    }

    /** Whether something waits that the last {@link #drain} did not find: asked before the core sleeps. */
    public boolean pending() {
        // While readers hold the writer back the ring stays full: what wakes the core then is their progress.
        boolean waits = others == null
                ? ring.hasNext() || stageReadySoon()
                // What comes into order makes room, and wakes the core.
                : others.hasOrdered() || others.makeReady() && (ring.hasNext() || stageReadySoon());
        return waits && !gate.stillRefuses() && !log.starved();
    }

    /** Who is at its stage may have looked whether we sleep before we did, and will not wake us. */
    public long sleepNanos() {
        return stagesWait() && !gate.stillRefuses() ? STAGE_HELD_NANOS : 0;
    }

    /** A producer's stage is looked at from now on. Any thread. */
    public synchronized void add(RunStage stage) {
        RunStage[] old = stages;
        RunStage[] next = Arrays.copyOf(old, old.length + 1);
        next[old.length] = stage;
        stages = next;
    }

    /** Ends all stages: local publishers publish nothing any more. Any thread. */
    public void endStages() {
        for (RunStage stage : stages) {
            stage.end();
        }
    }

    /** The ring's memory is about to go: nobody touches it through a stage any more. Any thread, once the core has ended. */
    public void dropStages() {
        for (RunStage stage : stages) {
            stage.drop();
        }
    }

    /** Whether nothing waits in a stage, in the ring or for others. Any thread. */
    public boolean isEmpty() {
        // Upstream first: a run that moves on meanwhile is found where it has gone.
        return !stagesWait() && ring.isEmpty() && (others == null || others.isEmpty());
    }

    /** Whether the ring, and the orderer if there is one, have room for all who were held back. */
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

    private boolean stagesWait() {
        for (RunStage stage : stages) {
            if (stage.waiting()) {
                return true;
            }
        }
        return false;
    }

    /**
     * A producer that runs on another core lets go of its stage in less than a microsecond: to wait for that is cheaper than
     * to sleep and be woken. One that has lost its core does not, and may need ours: so the wait is short.
     */
    private boolean stageReadySoon() {
        int looks = 0;
        while (!stageReady()) {
            if (++looks > LOOKS_AT_BUSY_STAGES || !stagesWait()) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private boolean stageReady() {
        for (RunStage stage : stages) {
            if (stage.ready()) {
                return true;
            }
        }
        return false;
    }
}
