package dev.msgrelay.server;

import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.flow.HeldTime;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalStats;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.log.StreamHead;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.session.Durability;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Where the core and the journal meet: the log waits for what is not written, and whoever waits for that is told.
 *
 * <pre>
 *   core  --head has moved--> journal's threads --written--> gate: publishers may go on
 *     ^                                         --written, forced, if anybody wants that--.
 *     '------------------------- look: who listens is told -------------------------------'
 * </pre>
 */
final class EngineJournal implements Durability, Journal.Watch, WindowGate.Limit {
    /** No position is before the first byte. */
    private static final long NOTHING = -1;

    private final Journal journal;
    private final WindowGate gate;
    private final EngineLoop core;
    private final long ahead;
    private final Consumer<Throwable> onFailure;
    private final HeldTime heldBack = new HeldTime();
    private final Lag writtenLag = new Lag();
    private final Lag forcedLag = new Lag();
    // Written by the core, read by the journal's threads.
    private volatile long wantedWritten = NOTHING;
    private volatile long wantedForced = NOTHING;
    private volatile boolean failed;

    // Of the core.
    private Runnable listener = () -> {};
    private long toldWritten;
    private long toldForced;

    /**
     * @param ahead how much further the log may run ahead of the journal than of a reader, in bytes
     * @param onFailure told on the core's thread that the journal has ended, after who listens
     */
    EngineJournal(Journal journal, WindowGate gate, EngineLoop core, long ahead, Consumer<Throwable> onFailure) {
        this.journal = journal;
        this.gate = gate;
        this.core = core;
        this.ahead = ahead;
        this.onFailure = onFailure;
        toldWritten = journal.written().position();
        toldForced = toldWritten;
        gate.add(this);
    }

    /** The log is there, and empty. */
    void feed(PacketLog log, long nowNanos) {
        journal.feed(log, this, nowNanos);
    }

    Journal journal() {
        return journal;
    }

    // ---- the gate, and the journal's threads -------------------------------------------------------------------

    @Override
    public long position() {
        return journal.written().position() + ahead;
    }

    @Override
    public HeldTime heldBack() {
        return heldBack;
    }

    @Override
    public void written(long position) {
        gate.wakeIfRoom(position + ahead);
        // The core has seen the new position before it sleeps, or is seen to want it.
        VarHandle.fullFence();
        if (wantedWritten != NOTHING || journal.moves().refused()) {
            core.signal();
        }
    }

    @Override
    public void forced(long position) {
        VarHandle.fullFence();
        if (wantedForced != NOTHING) {
            core.signal();
        }
    }

    @Override
    public void failed(Throwable cause) {
        try {
            core.io().execute(() -> end(cause));
        } catch (RejectedExecutionException e) {
            // The relay has ended; who closes the journal is told.
        }
    }

    private void end(Throwable cause) {
        failed = true;
        journal.moves().end();
        gate.remove(this);
        try {
            listener.run();
        } finally {
            onFailure.accept(cause);
        }
    }

    // ---- the core ----------------------------------------------------------------------------------------------

    /** Tells who listens, if there is something to tell. Once a cycle. */
    void look() {
        long written = journal.written().position();
        long forced = journal.forced().position();
        if (written != toldWritten || forced != toldForced) {
            toldWritten = written;
            toldForced = forced;
            if (written >= wantedWritten) {
                wantedWritten = NOTHING;
            }
            if (forced >= wantedForced) {
                wantedForced = NOTHING;
            }
            listener.run();
        }
    }

    /** Whether {@link #look} has something to tell to whoever waits: asked before the core sleeps. */
    boolean pending() {
        return wantedWritten != NOTHING && journal.written().position() != toldWritten
                || wantedForced != NOTHING && journal.forced().position() != toldForced;
    }

    /** A few times a second. */
    void tick(long head, long nowNanos) {
        writtenLag.tick(head, journal.written().position(), nowNanos);
        forcedLag.tick(head, journal.forced().position(), nowNanos);
    }

    // ---- sessions ----------------------------------------------------------------------------------------------

    @Override
    public long forkOf(long epoch) {
        return journal.epochs().forkOf(epoch);
    }

    @Override
    public StreamHead written() {
        return journal.written();
    }

    @Override
    public StreamHead forced() {
        return journal.forced();
    }

    @Override
    public boolean failed() {
        return failed;
    }

    @Override
    public void wantWritten(long position) {
        if (position > wantedWritten && position > journal.written().position()) {
            wantedWritten = position;
            journal.wantWritten(position);
        }
    }

    @Override
    public void wantForced(long position) {
        if (position > wantedForced && position > journal.forced().position()) {
            wantedForced = position;
            journal.wantForced(position);
        }
    }

    @Override
    public void onMoved(Runnable whom) {
        listener = whom;
    }

    // ---- reports: any thread -----------------------------------------------------------------------------------

    /** What there is to say of it, by counters; answers how long forces took. */
    RelayStats.Forces report(Map<Counter, Long> values, long head, long nowNanos) {
        JournalStats now = journal.stats();
        RelayStats.Forces forces = new RelayStats.Forces(JournalStats.BOUNDS, now.forcesUpTo(), now.forceNanos());
        long written = journal.written().position();
        long forced = journal.forced().position();
        values.put(Counter.JOURNAL_POSITION, written);
        values.put(Counter.JOURNAL_WRITTEN_LAG_BYTES, Math.max(0, head - written));
        values.put(Counter.JOURNAL_WRITTEN_LAG_MILLIS, millis(writtenLag.nanos(written, nowNanos)));
        values.put(Counter.JOURNAL_FORCED_LAG_BYTES, Math.max(0, head - forced));
        values.put(Counter.JOURNAL_FORCED_LAG_MILLIS, millis(forcedLag.nanos(forced, nowNanos)));
        values.put(Counter.JOURNAL_WAITS, heldBack.times());
        values.put(Counter.JOURNAL_WAIT_MILLIS, millis(heldBack.nanos(nowNanos)));
        values.put(Counter.JOURNAL_FULL_MILLIS, millis(now.fullNanos()));
        values.put(Counter.JOURNAL_UNPREPARED_MILLIS, millis(now.unpreparedNanos()));
        values.put(Counter.JOURNAL_FORCES, forces.count());
        values.put(Counter.JOURNAL_FORCE_MILLIS, millis(forces.nanos()));
        values.put(Counter.JOURNAL_SEGMENTS, (long) now.segments());
        values.put(Counter.JOURNAL_FILE_BYTES, now.fileBytes());
        values.put(Counter.JOURNAL_FREE_BYTES, now.freeBytes());
        values.put(Counter.JOURNAL_FAILED, failed ? 1L : 0L);
        Journal.Verified verified = journal.verified();
        values.put(Counter.JOURNAL_VERIFIED_BYTES, verified.bytes());
        values.put(Counter.JOURNAL_VERIFIED_ROUNDS, verified.rounds());
        values.put(Counter.JOURNAL_DAMAGED, verified.damaged());
        return forces;
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** How old the oldest byte is that a head has not passed; give or take a tick. The core's; reports read it. */
    private static final class Lag {
        private volatile long position = NOTHING;
        private volatile long sinceNanos;

        void tick(long head, long reached, long nowNanos) {
            if (reached >= position) {
                sinceNanos = nowNanos;
                position = head;
            }
        }

        long nanos(long reached, long nowNanos) {
            return reached >= position ? 0 : Math.max(0, nowNanos - sinceNanos);
        }
    }
}
