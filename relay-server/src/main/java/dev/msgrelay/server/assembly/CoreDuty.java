package dev.msgrelay.server.assembly;

import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.state.StateDesk;
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
 * The core's work in each cycle, after its sockets: it drains the ring, sends to subscribers, acknowledges, and reads
 * waiting publishers again. Owned by the core's thread.
 */
final class CoreDuty implements EngineLoop.Duty {
    /** Sleep of the core while it waits for memory that another thread gives back. */
    private static final long STARVED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Services services;
    private final PacketLog log;
    private final WindowGate gate;
    private final NetworkBatchHandler handler;
    private final WaitingSources waiting;
    private final NameTable names;
    private final SendLoops sends;
    private final SendGroup coreGroup;
    private final DurableEnds durable;
    private final PinRelief relief;
    private final JournalLink journal;
    // Null without --state.
    private final StateDesk state;
    private final boolean keepsStream;
    // Whether reader loops read publishers too.
    private final boolean readsElsewhere;
    // Whether other loops, or the journal's threads, wait for the log's head to move.
    private final boolean signals;
    private long signaledHead;
    // Written by the core, read by any thread.
    private volatile long tickNanos;

    CoreDuty(EngineAssembly made, PinRelief relief) {
        this.services = made.services;
        this.log = made.log;
        this.gate = made.gate;
        this.handler = made.handler;
        this.waiting = made.waiting;
        this.names = made.names;
        this.sends = made.sends;
        this.coreGroup = sends.coreGroup();
        this.durable = made.durable;
        this.relief = relief;
        this.journal = made.journalLink;
        this.state = made.state.orElse(null);
        this.keepsStream = journal.keepsStream();
        this.readsElsewhere = made.readerLoops.length > 0;
        this.signals = sends.hasOthers() || keepsStream;
        this.tickNanos = services.clock().nanoTime();
    }

    @Override
    public boolean work() {
        boolean more = handler.drain();
        boolean left = coreGroup.pump(!more);
        handler.handedOver();
        if (state != null) {
            // Behind the subscribers of the stream, and while the head is at the log's end.
            left |= state.serve();
        }
        names.acknowledge();
        if (keepsStream) {
            durable.want(log.head().position());
            journal.look();
        }
        if (log.starved()) {
            relief.relieve();
        }
        if (readsElsewhere) {
            // Full fence: waiting publishers are looked for only after the ring's consumed position is visible. A
            // reader loop checks the ring for room once more before one of its publishers waits.
            VarHandle.fullFence();
        }
        // Publishers wait for half of the gate's window only while the gate is blocked. Otherwise they could wait for
        // ever, because a subscriber that reads nothing is disconnected only while it blocks the gate.
        if (waiting.any()
                && journal.namesMayGoOn()
                && !log.starved()
                && (!gate.blocked() || gate.halfOpen(log.endPosition()))) {
            waiting.resumeIfRoom();
        }
        long head = log.head().position();
        if (signals && head != signaledHead) {
            signaledHead = head;
            VarHandle.fullFence();
            sends.signalOthers();
            journal.signal();
        }
        return more || left;
    }

    @Override
    public boolean pending() {
        return handler.pending() || coreGroup.pending() || keepsStream && journal.pending();
    }

    @Override
    public long sleepNanos() {
        long most = log.starved() ? STARVED_NANOS : handler.sleepNanos();
        long rest = coreGroup.sleepNanos();
        return most == 0 ? rest : rest == 0 ? most : Math.min(most, rest);
    }

    /** Called when the journal has written or forced bytes, or has failed. Informs the sessions that wait for that. */
    void journalMoved() {
        names.journalMoved();
        if (durable.any()) {
            sends.durableMoved();
        }
        if (services.durability().failed()) {
            // Subscribers get the bytes that the journal has written, before they are informed of its failure.
            sends.pumpAll();
            services.table().live().forEach(c -> c.execute(c::journalFailed));
        }
    }

    /** Checks time-outs. Called a few times a second. */
    void tick(long nowNanos) {
        tickNanos = nowNanos;
        sends.tick(nowNanos);
        journal.tick(log.head().position(), nowNanos);
        if (state != null) {
            state.tick();
        }
        boolean anyWaits = !handler.isEmpty();
        for (Session c : services.table().live()) {
            if (c.role() instanceof PublisherConnection publisher) {
                anyWaits |= publisher.waitsForRoom();
                if (c.isHere()) {
                    c.tick(nowNanos);
                } else {
                    // The clock is read on the other loop, since this task may run late there.
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
