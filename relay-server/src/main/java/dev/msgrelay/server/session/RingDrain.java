package dev.msgrelay.server.session;

import dev.msgrelay.server.batch.NetworkBatchHandler;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.loop.RelayLoop;
import dev.msgrelay.server.ring.FrameRing;
import dev.msgrelay.server.ring.RunPoller;
import dev.msgrelay.server.ring.RunStage;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The work of the loop that polls the ring: drain it into the log, send to the loop's own subscribers, wake the other
 * loops for theirs, let held publishers go on.
 */
public final class RingDrain implements RelayLoop.Work {
    private static final int BATCHES_PER_LOOK = 256;
    private static final int LOOKS_AT_BUSY_STAGES = 32;
    private static final long STAGE_HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final FrameRing ring;
    private final RunPoller poller;
    private final NetworkBatchHandler handler;
    private final SubscriberGroup group;
    private final BackpressureGate gate;
    private final HeldPublishers held;
    private final PacketLog log;
    private final SubscriberGroup[] others;
    private boolean readsMore;

    private volatile RunStage[] stages = {};
    private boolean toldOthers = true;
    private int batches;

    public RingDrain(
            FrameRing ring,
            NetworkBatchHandler handler,
            SubscriberGroup group,
            SubscriberGroup[] others,
            BackpressureGate gate,
            HeldPublishers held,
            PacketLog log) {
        this.ring = ring;
        this.poller = new RunPoller(ring, handler);
        this.handler = handler;
        this.group = group;
        this.gate = gate;
        this.held = held;
        this.log = log;
        this.others = others;
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

    /** Whether nothing waits in the ring or in a stage. Any thread. */
    public boolean isEmpty() {
        return ring.isEmpty() && !stagesWait();
    }

    @Override
    public boolean run() {
        boolean got = poll();
        boolean more = got && !poller.held() && ring.hasNext();
        more |= readsMore;
        readsMore = false;
        group.pump(!more);
        // Where subscribers hold the log back, half of its window has to be free as well. Where they do not, that could
        // take for ever: one that reads nothing is cut off only while it holds the log back.
        if (held.any() && (!gate.blocked() || gate.halfOpen(log.endPosition()))) {
            held.resumeIfRoom();
        }
        handler.tellOwners();
        tellOthers();
        return more;
    }

    @Override
    public boolean pending() {
        // While subscribers hold the writer back the ring stays full: what wakes the loop then is their progress.
        return ((ring.hasNext() || stageReadySoon()) && !gate.stillRefuses()) || group.pending();
    }

    /** Who is at its stage may have looked whether we sleep before we did, and will not wake us. */
    @Override
    public long sleepNanos() {
        return stagesWait() && !gate.stillRefuses() ? STAGE_HELD_NANOS : 0;
    }

    /** Drains one batch. */
    boolean poll() {
        boolean got = poller.poll();
        // What has gathered in stages is taken when the ring has run dry: it is the producer's own memory, and every
        // look at it takes the lines from its core. Now and then all the same: another producer may never let the ring
        // run dry.
        if (got && ++batches % BATCHES_PER_LOOK != 0) {
            return told(true);
        }
        for (RunStage stage : stages) {
            got |= stage.take(handler);
            if (stage.isDone()) {
                forget(stage);
            }
        }
        return told(got);
    }

    private boolean told(boolean got) {
        toldOthers &= !got;
        return got;
    }

    /** Told by a session whose last read took all it could: in the next round there is likely to be more. */
    void expectMoreReads() {
        readsMore = true;
    }

    /** Sends to the loop's own subscribers. */
    void pump(boolean everything) {
        group.pump(everything);
        tellOthers();
    }

    /** Whether the log can take one more run. */
    boolean canTake() {
        return handler.canTake();
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

    private void tellOthers() {
        if (!toldOthers) {
            toldOthers = true;
            VarHandle.fullFence();
            for (SubscriberGroup other : others) {
                other.signal();
            }
        }
    }
}
