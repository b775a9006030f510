package dev.msgrelay.server.fanout;

import com.sun.management.OperatingSystemMXBean;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.Counters;
import java.lang.management.ManagementFactory;

/**
 * Which loops send to subscribers. Where the number of loops was chosen, that is fixed: the first one reads and packs, the
 * others send. Otherwise it follows the load: the first loop does it all while it has the time, and hands its subscribers to the
 * others when it has not.
 *
 * <p>Owned by the first loop's thread, which is also the one that accepts; reports may ask {@link #inUse}.
 */
public final class LoopSpread {
    private final SendGroup[] groups;
    private final Counters counters;
    private final SpreadDecision decision = new SpreadDecision();
    private final boolean followsLoad;
    // Written by the first loop, read by reports.
    private volatile boolean spread;
    private int next;

    /**
     * @param groups one a loop, the first loop's first
     * @param followsLoad whether subscribers move as the load changes
     */
    public LoopSpread(SendGroup[] groups, boolean followsLoad, Counters counters) {
        this.groups = groups.clone();
        this.counters = counters;
        this.followsLoad = followsLoad && groups.length > 1 && EngineLoop.tellsCpuTime();
        this.spread = groups.length > 1 && !this.followsLoad;
        if (spread) {
            // Subscribers that have caught up from the journal arrive at the first loop, and go on from there.
            groups[0].leaveFor(this::nextOther);
        }
    }

    /** Where a subscriber that has just connected is sent from. */
    public SendGroup place() {
        return spread ? nextOther() : groups[0];
    }

    /** Called a few times a second: tells all subscribers the time, and looks whether they are to move. */
    public void tick(long nowNanos) {
        groups[0].tick(nowNanos);
        for (int i = 1; i < groups.length; i++) {
            groups[i].tickThere();
        }
        if (!followsLoad || !decision.due(nowNanos)) {
            return;
        }
        long others = 0;
        for (int i = 1; i < groups.length; i++) {
            others += groups[i].loop().cpuNanos();
        }
        boolean wanted = decision.spread(nowNanos, groups[0].loop().cpuNanos(), others, idleCores(), bytesOut());
        if (wanted != spread) {
            spread(wanted);
        }
    }

    /** By the loops that it is about. */
    private long bytesOut() {
        return counters.sum(Counter.BYTES_OUT) - counters.sum(Counter.JOURNAL_REPLAY_BYTES);
    }

    /** Cores that nobody on this machine has used since the last call of this; all of them where nobody tells. */
    private static double idleCores() {
        int cores = Runtime.getRuntime().availableProcessors();
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine) {
            double load = machine.getCpuLoad();
            return load < 0 ? cores : cores * (1 - load);
        }
        return cores;
    }

    /**
     * Moves all subscribers: to the other loops, where there are any, or back to the first one. Those with a write in flight
     * move after it.
     */
    public void spread(boolean toOthers) {
        if (groups.length == 1) {
            return;
        }
        spread = toOthers;
        groups[0].leaveFor(toOthers ? this::nextOther : null);
        for (int i = 1; i < groups.length; i++) {
            SendGroup group = groups[i];
            group.loop().io().execute(() -> group.leaveFor(toOthers ? null : () -> groups[0]));
        }
    }

    /** Loops at work at present: the first one, or all. Any thread. */
    public int inUse() {
        return spread ? groups.length : 1;
    }

    private SendGroup nextOther() {
        next = next % (groups.length - 1) + 1;
        return groups[next];
    }
}
