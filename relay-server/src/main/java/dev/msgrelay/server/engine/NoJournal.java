package dev.msgrelay.server.engine;

import dev.msgrelay.server.ingest.NameTable;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.log.StreamHead;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.TimeHistogram;
import java.util.Map;

/** The journal of a relay that has none: nothing is kept, nothing moves, and nobody waits for it. */
public final class NoJournal implements JournalLink {
    private final long epoch;

    /** @param epoch the stream's, the only one that is known */
    public NoJournal(long epoch) {
        this.epoch = epoch;
    }

    @Override
    public void goesOnAt(Mark start) {}

    @Override
    public void feed(PacketLog log, long nowNanos) {}

    @Override
    public void restore(NameTable names, long nowNanos) {}

    @Override
    public boolean wantsSignals() {
        return false;
    }

    @Override
    public void signal() {}

    @Override
    public void look() {}

    @Override
    public boolean pending() {
        return false;
    }

    @Override
    public boolean namesMayGoOn() {
        return true;
    }

    @Override
    public void tick(long head, long nowNanos) {}

    @Override
    public long forcedPosition() {
        return Long.MAX_VALUE;
    }

    @Override
    public TimeHistogram.Times report(Map<Counter, Long> values, long head, long nowNanos) {
        values.keySet().removeIf(Counter::ofJournal);
        return null;
    }

    @Override
    public long forkOf(long other) {
        return other == epoch ? TODAY : UNKNOWN;
    }

    @Override
    public StreamHead written() {
        return null;
    }

    @Override
    public StreamHead forced() {
        return null;
    }

    @Override
    public boolean failed() {
        return false;
    }

    /** Waits for nothing: a session that asks for written messages was refused. */
    @Override
    public void wantWritten(long position) {}

    /** Waits for nothing: a session that asks for forced messages was refused. */
    @Override
    public void wantForced(long position) {}

    @Override
    public void onMoved(Runnable listener) {}
}
