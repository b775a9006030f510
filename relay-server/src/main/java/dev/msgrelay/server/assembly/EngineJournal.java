package dev.msgrelay.server.assembly;

import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Stopwatch;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.StreamHead;
import dev.msgrelay.server.stream.WindowGate;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The link between the core and the journal. The log keeps bytes until they are written to the journal. Sessions can
 * wait until bytes are written or forced, and the core then informs them.
 *
 * <pre>
 *   core  --head has moved--> journal's threads --written--> gate: publishers may go on
 *     ^                                         --written, forced, if a session waits for that--.
 *     '------------------------- look: the listener is told -------------------------------'
 * </pre>
 */
final class EngineJournal implements JournalLink, Journal.Watch, WindowGate.Limit {
    /** The wanted position while no session waits. */
    private static final long NOTHING = -1;

    private final Journal journal;
    private volatile Life life;
    private final WindowGate gate;
    private final EngineLoop core;
    private final long ahead;
    private final Consumer<Throwable> onFailure;
    private final Stopwatch heldBack = new Stopwatch();
    private final Lag writtenLag = new Lag();
    private final Lag forcedLag = new Lag();
    // Written by the core, read by the journal's threads.
    private volatile long wantedWritten = NOTHING;
    private volatile long wantedForced = NOTHING;
    private volatile boolean failed;

    // Owned by the core.
    private Runnable listener = () -> {};
    private long toldWritten;
    private long toldForced;

    /**
     * @param ahead bytes by which the journal may lag more than a subscriber may, before publishers wait
     * @param onFailure called on the core's thread, after the listener, if the journal has failed
     */
    EngineJournal(Journal journal, WindowGate gate, EngineLoop core, long ahead, Consumer<Throwable> onFailure) {
        this.journal = journal;
        this.life = lifeOf(journal);
        this.gate = gate;
        this.core = core;
        this.ahead = ahead;
        this.onFailure = onFailure;
        toldWritten = journal.written().position();
        toldForced = toldWritten;
        gate.add(this);
    }

    @Override
    public void goesOnAt(Mark start) {
        start.copy(journal.goesOnAt());
    }

    @Override
    public void feed(PacketLog log, long nowNanos) {
        journal.follow(log, this, nowNanos);
    }

    @Override
    public void restore(NameTable names, long nowNanos) {
        names.keepIn(journal.moves());
        names.restore(journal.recovered().states(), nowNanos);
    }

    // ---- the gate, and the journal's threads -------------------------------------------------------------------

    @Override
    public long position() {
        return journal.written().position() + ahead;
    }

    @Override
    public Stopwatch heldBack(Stopwatch common) {
        return heldBack;
    }

    @Override
    public void written(long position) {
        gate.wakeIfRoom(position + ahead);
        // Full fence: either the core sees the new position before it sleeps, or this thread sees the wanted one.
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
            core.io().execute(() -> failOnCore(cause));
        } catch (RejectedExecutionException e) {
            // The core has ended. When the journal is closed, its close throws the failure.
        }
    }

    private void failOnCore(Throwable cause) {
        failed = true;
        journal.moves().stop();
        gate.remove(this);
        try {
            listener.run();
        } finally {
            onFailure.accept(cause);
        }
    }

    // ---- the core ----------------------------------------------------------------------------------------------

    @Override
    public void signal() {
        journal.signal();
    }

    @Override
    public void look() {
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

    @Override
    public boolean pending() {
        return wantedWritten != NOTHING && journal.written().position() != toldWritten
                || wantedForced != NOTHING && journal.forced().position() != toldForced;
    }

    @Override
    public boolean namesMayGoOn() {
        return journal.moves().mayGoOn();
    }

    @Override
    public void tick(long head, long nowNanos) {
        writtenLag.tick(head, journal.written().position(), nowNanos);
        forcedLag.tick(head, journal.forced().position(), nowNanos);
    }

    // ---- sessions ----------------------------------------------------------------------------------------------

    @Override
    public long forkOf(long epoch) {
        return journal.epochs().forkOf(epoch);
    }

    @Override
    public Life life() {
        return life;
    }

    private static Life lifeOf(Journal journal) {
        return new Life(journal.epochs().last().epoch(), journal.epochs().newest());
    }

    @Override
    public void begins(EpochTable.Epoch later) {
        journal.addLife(later);
        life = lifeOf(journal);
    }

    @Override
    public boolean keepsStream() {
        return true;
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
    public void onMoved(Runnable added) {
        listener = added;
    }

    // ---- reports: any thread -----------------------------------------------------------------------------------

    @Override
    public long forcedPosition() {
        return failed ? Long.MAX_VALUE : journal.forced().position();
    }

    @Override
    public void makeRoom() {
        journal.limitHold();
    }

    @Override
    public Optional<TimeHistogram.Times> report(Map<Counter, Long> values, long head, long nowNanos) {
        Journal.Stats now = journal.stats();
        TimeHistogram.Times forces = now.forces();
        long written = journal.written().position();
        long forced = journal.forced().position();
        values.put(Counter.JOURNAL_POSITION, written);
        values.put(Counter.JOURNAL_WRITTEN_LAG_BYTES, Math.max(0, head - written));
        values.put(Counter.JOURNAL_WRITTEN_LAG_MILLIS, millis(writtenLag.nanos(written, nowNanos)));
        values.put(Counter.JOURNAL_FORCED_LAG_BYTES, Math.max(0, head - forced));
        values.put(Counter.JOURNAL_FORCED_LAG_MILLIS, millis(forcedLag.nanos(forced, nowNanos)));
        values.put(Counter.JOURNAL_WAITS, heldBack.starts());
        values.put(Counter.JOURNAL_WAIT_MILLIS, millis(heldBack.nanos(nowNanos)));
        values.put(Counter.JOURNAL_FULL_MILLIS, millis(now.fullNanos()));
        values.put(Counter.JOURNAL_UNPREPARED_MILLIS, millis(now.unpreparedNanos()));
        values.put(Counter.JOURNAL_UNHELD, now.unheld());
        values.put(Counter.JOURNAL_FORCES, forces.count());
        values.put(Counter.JOURNAL_FORCE_MILLIS, millis(forces.nanos()));
        values.put(Counter.JOURNAL_SEGMENTS, (long) now.segments());
        values.put(Counter.JOURNAL_FILE_BYTES, now.fileBytes());
        values.put(Counter.JOURNAL_FREE_BYTES, now.freeBytes());
        values.put(Counter.JOURNAL_FAILED, failed ? 1L : 0L);
        return Optional.of(forces);
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    /** The age of the oldest byte that is not written, or not forced, to within a tick. Updated by the core. */
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
