package dev.msgrelay.server.assembly;

import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.WaitingSources;
import dev.msgrelay.server.stream.WindowGate;
import dev.msgrelay.server.subscribe.DurableEnds;
import dev.msgrelay.server.subscribe.PinRelief;
import dev.msgrelay.server.subscribe.SendGroup;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * The core's work in each cycle, after its sockets: the order is drained, subscribers are sent to, acknowledgements are
 * told, and publishers that were held back go on. Owned by the core's thread.
 */
final class CoreDuty implements EngineLoop.Duty {
    /** Sleep of a loop that waits for memory which another thread gives back. */
    private static final long STARVED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Services services;
    private final PacketLog log;
    private final WindowGate gate;
    private final NetworkBatchHandler handler;
    private final WaitingSources waiting;
    private final NameTable names;
    private final SendLoops sends;
    private final SendGroup own;
    private final DurableEnds durable;
    private final PinRelief relief;
    private final JournalLink journal;
    private final boolean keepsStream;
    // Whether other loops read publishers too.
    private final boolean readsElsewhere;
    // Whether other loops, or the journal's threads, wait for the head.
    private final boolean signals;
    // The head at the last signal to others.
    private long toldHead;
    // Written by the core; any thread may ask whether it lives.
    private volatile long tickNanos;

    CoreDuty(EngineAssembly made, PinRelief relief) {
        this.services = made.services;
        this.log = made.log;
        this.gate = made.gate;
        this.handler = made.handler;
        this.waiting = made.waiting;
        this.names = made.names;
        this.sends = made.sends;
        this.own = sends.own();
        this.durable = made.durable;
        this.relief = relief;
        this.journal = made.journal;
        this.keepsStream = journal.keepsStream();
        this.readsElsewhere = made.readers.length > 0;
        this.signals = sends.hasOthers() || keepsStream;
        this.tickNanos = services.clock().nanoTime();
    }

    @Override
    public boolean work() {
        boolean more = handler.drain();
        boolean left = own.pump(!more);
        handler.handedOver();
        names.acknowledge();
        if (keepsStream) {
            durable.want(log.head().position());
            journal.look();
        }
        if (log.starved()) {
            relief.relieve();
        }
        if (readsElsewhere) {
            // Full fence: the ring's consumed position is visible before the look at held sources. A reader loop that
            // holds a publisher back later looks at the ring itself.
            VarHandle.fullFence();
        }
        // While readers hold the log back, half of its window has to be free as well. Otherwise that could take for
        // ever: a reader that reads nothing is cut off only while it holds the log back.
        if (waiting.any()
                && journal.namesMayGoOn()
                && !log.starved()
                && (!gate.blocked() || gate.halfOpen(log.endPosition()))) {
            waiting.resumeIfRoom();
        }
        long head = log.head().position();
        if (signals && head != toldHead) {
            toldHead = head;
            VarHandle.fullFence();
            sends.signalOthers();
            journal.signal();
        }
        return more || left;
    }

    @Override
    public boolean pending() {
        return handler.pending() || own.pending() || keepsStream && journal.pending();
    }

    @Override
    public long sleepNanos() {
        return log.starved() ? STARVED_NANOS : handler.sleepNanos();
    }

    /** Tells sessions that wait for the journal that it has moved, or failed. */
    void journalMoved() {
        names.journalMoved();
        if (durable.any()) {
            sends.durableMoved();
        }
        if (services.durability().failed()) {
            // Subscribers that wait for the journal first get the bytes that were written.
            sends.pumpAll();
            services.table().live().forEach(c -> c.execute(c::journalFailed));
        }
    }

    /** Checks everything that depends on time. Called a few times a second. */
    void tick(long nowNanos) {
        tickNanos = nowNanos;
        sends.tick(nowNanos);
        journal.tick(log.head().position(), nowNanos);
        boolean anyWaits = !handler.isEmpty();
        for (Session c : services.table().live()) {
            if (c.role() instanceof PublisherConnection publisher) {
                anyWaits |= publisher.waitsForRoom();
                if (c.isHere()) {
                    c.tick(nowNanos);
                } else {
                    // The time of that loop, which may be late.
                    c.execute(() -> c.tick(services.clock().nanoTime()));
                }
            }
        }
        gate.settle(anyWaits);
        services.closes().tick(nowNanos);
    }

    /** Time since the last {@link #tick}. Any thread. */
    long silentNanos() {
        return services.clock().nanoTime() - tickNanos;
    }
}
