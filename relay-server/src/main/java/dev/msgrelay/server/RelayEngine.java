package dev.msgrelay.server;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.access.AccessControl;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.core.EngineLoop;
import dev.msgrelay.server.core.FrameRing;
import dev.msgrelay.server.core.LoopWakeup;
import dev.msgrelay.server.core.NetworkBatchHandler;
import dev.msgrelay.server.core.Order;
import dev.msgrelay.server.core.Orderer;
import dev.msgrelay.server.core.RunScan;
import dev.msgrelay.server.core.RunStage;
import dev.msgrelay.server.fanout.DurableEnds;
import dev.msgrelay.server.fanout.PinRelief;
import dev.msgrelay.server.fanout.Placement;
import dev.msgrelay.server.fanout.ReplayPages;
import dev.msgrelay.server.fanout.SendGroup;
import dev.msgrelay.server.fanout.SlowPolicies;
import dev.msgrelay.server.fanout.SubscriberConnection;
import dev.msgrelay.server.flow.HeldSources;
import dev.msgrelay.server.flow.WindowGate;
import dev.msgrelay.server.ingest.InPlacePort;
import dev.msgrelay.server.ingest.IngestPort;
import dev.msgrelay.server.ingest.NameTable;
import dev.msgrelay.server.ingest.OrdererPort;
import dev.msgrelay.server.ingest.PublisherConnection;
import dev.msgrelay.server.ingest.ReaderLoops;
import dev.msgrelay.server.ingest.RingPort;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Kind;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.ops.Admission;
import dev.msgrelay.server.ops.CloseLog;
import dev.msgrelay.server.ops.ConnectionRow;
import dev.msgrelay.server.ops.Counter;
import dev.msgrelay.server.ops.Counters;
import dev.msgrelay.server.session.ConnectionTable;
import dev.msgrelay.server.session.Durability;
import dev.msgrelay.server.session.RelayIdentity;
import dev.msgrelay.server.session.Services;
import dev.msgrelay.server.session.Session;
import dev.msgrelay.server.tls.TlsContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Ticker;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The relay without its sockets and threads: everything between a channel that has been accepted and one that is written to.
 *
 * <pre>
 *   PublisherConnection --InPlacePort-------------------.
 *   PublisherConnection --RingPort--.                    v
 *   LocalPublisher ------RunStage---+-> FrameRing -> NetworkBatchHandler -> PacketLog -> SendGroup -> SubscriberConnection
 * </pre>
 *
 * One cycle of the core's loop: sockets are read, the order drained, subscribers sent to, acknowledgements told, and whoever
 * was held back goes on. Who drives the loops, and by which clock, is the caller's business.
 */
final class RelayEngine {
    /** Not longer than the shortest heartbeat. */
    private static final long HOUSEKEEPING_MILLIS = 100;

    /** A loop that waits for memory that another thread gives back looks so often. */
    private static final long STARVED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    // Memory, and what holds some.
    private final Startup taken = new Startup();
    private final RelayConfig config;
    private final EngineLoop core;
    private final MemoryBudget budget;
    private final FrameRing ring;
    private final PacketLog log;
    private final WindowGate gate;
    // Null: there is none.
    private final EngineJournal journal;
    private final Order order;
    private final HeldSources held;
    private final NameTable names;
    private final MemoryLine line;
    private final Services services;
    // Of the core's own loop.
    private final IngestPort corePort;
    private final boolean readsElsewhere;
    // One a loop that may send, the core's first.
    private final SendGroup[] groups;
    // Of those who get the stream from the journal; null: nobody does.
    private final SendGroup replayGroup;
    private final ReplayPages pages;
    private final PinRelief relief;
    private final DurableEnds durable;
    private final ChannelSetup setup;
    // Where the stream began, or went on.
    private final Mark first;
    // Written by the core, read by whoever asks whether it lives.
    private volatile long tickNanos;
    // Where the head was when the other loops were last told.
    private long toldHead;

    /**
     * @param loops the core's first, then those that only send
     * @param readers loops on which plain publishers are read; their runs go through the ring
     * @param replayLoop on which subscribers are sent what lies in the journal: it may wait for the disk; null: nobody is
     * @param epoch of the stream
     * @param opened the journal, in which the stream goes on; null: it begins here, and is kept nowhere
     * @param orderer who decides the order; null: it is made here
     * @param failure told when the order is in doubt: nothing may be relayed any more; or, as a {@link JournalException}, that
     *     the journal has ended
     */
    RelayEngine(
            RelayConfig config,
            EngineLoop[] loops,
            EngineLoop[] readers,
            EngineLoop replayLoop,
            ByteBufAllocator allocator,
            Ticker clock,
            RelayIdentity identity,
            Journal opened,
            Orderer orderer,
            Consumer<Throwable> failure) {
        try {
            this.config = config;
            this.core = loops[0];
            StreamConfig stream = config.stream();

            // 1. What may hold the log's writer back: readers, and the journal.
            gate = new WindowGate(stream.windowBytes(), core, clock::nanoTime);
            long ahead = stream.journalWindowBytes() - stream.windowBytes();
            journal = opened == null
                    ? null
                    : new EngineJournal(
                            opened,
                            gate,
                            core,
                            ahead,
                            cause -> failure.accept(new JournalException(opened.failureText(), cause)));
            // 2. The budget, and what everybody shares.
            budget = MemoryPlan.of(config).budget();
            Counters counters = new Counters();
            services = new Services(
                    identity,
                    journal == null ? Durability.none(identity.epoch()) : journal,
                    config.clients(),
                    config.limits(),
                    budget,
                    new Admission(config.clients(), config.limits()),
                    new AccessControl(config.access()),
                    new ConnectionTable(),
                    counters,
                    new CloseLog(counters),
                    clock);
            // 3. The ring, whose publishers wake the core.
            int slab = FrameRing.slabBytes(stream.ringCells(), stream.maxRun());
            ByteBuf ringMemory = allocator.directBuffer(slab, slab);
            taken.taken(ringMemory::release);
            ring = new FrameRing(stream.ringCells(), stream.maxRun(), ringMemory, new LoopWakeup(core));
            // 4. The log.
            Mark start = new Mark();
            start.set(0, 1);
            if (orderer != null) {
                orderer.beginning(start);
            }
            if (journal != null) {
                start.copy(opened.goesOnAt());
            }
            log = new PacketLog(
                    allocator,
                    stream.logBytes(),
                    StreamConfig.CHUNK_BYTES,
                    stream.packetBytes(),
                    config.limits().pinBytes() / StreamConfig.CHUNK_BYTES,
                    stream.maxRun(),
                    gate,
                    start);
            taken.taken(log::close);
            first = start;
            if (journal != null) {
                journal.feed(log, clock.nanoTime());
            }
            NetworkBatchHandler handler = new NetworkBatchHandler(log, stream.packetBytes(), stream.maxBody());
            order = new Order(ring, handler, orderer, gate, log);
            taken.taken(order::dropStages);
            // 5. Publishers -> log, on the core's loop; or -> ring, on readers.
            held = new HeldSources(
                    () -> ring.remainingCells() >= ring.cells() / 2 && (orderer == null || orderer.hasPlentyOfRoom()),
                    clock::nanoTime);
            names = new NameTable(
                    budget.pool(Part.NAMES), config.limits().nameHold().toNanos());
            taken.taken(names::release);
            if (orderer != null) {
                names.decidedBy(orderer);
            } else if (journal != null) {
                names.keepIn(opened.moves());
                names.restore(opened.recovered().states(), clock.nanoTime());
            }
            line = new MemoryLine(budget.pool(Part.FRAMES));
            int shorts = MemoryPlan.SHORT_BUFFERS / ports(config);
            RunScan scan = new RunScan(stream.packetBytes(), stream.maxBody());
            corePort = orderer == null
                    ? new InPlacePort(order, log, names, scan, held, allocator, budget, shorts)
                    : new OrdererPort(orderer, held, stream.maxBody(), allocator, budget, shorts);
            taken.taken(corePort::close);
            readsElsewhere = readers.length > 0;
            List<ReaderLoops.Reader> reading = new ArrayList<>();
            for (EngineLoop reader : readers) {
                RingPort port = new RingPort(ring, held, stream.maxBody(), allocator, budget, shorts);
                taken.taken(port::close);
                reading.add(new ReaderLoops.Reader(reader, port));
            }
            var publishing = new PublisherConnection.Shared(log, names, orderer, line, new ReaderLoops(reading));
            // 6. Log -> subscribers, on the core's loop or on senders.
            groups = new SendGroup[loops.length];
            boolean replayed = journal != null && replayLoop != null;
            int senders = replayed ? groups.length + 1 : groups.length;
            for (int i = 0; i < groups.length; i++) {
                groups[i] = new SendGroup(log, loops[i], allocator, budget, counters, senders, true);
                taken.taken(groups[i]::close);
            }
            replayGroup = replayed ? new SendGroup(log, replayLoop, allocator, budget, counters, senders, false) : null;
            pages = replayed ? new ReplayPages(allocator, budget.pool(Part.REPLAYS), counters, clock::nanoTime) : null;
            Placement placement = new Placement(groups);
            if (replayed) {
                taken.taken(replayGroup::close);
                taken.taken(pages::close);
            }
            relief = new PinRelief(
                    log, services.table(), counters, budget.pool(Part.PINS).limit());
            durable = new DurableEnds(services.durability(), core.io());
            services.durability().onMoved(this::journalMoved);
            var subscribing = new SubscriberConnection.Shared(
                    log,
                    durable,
                    stream.logBytes(),
                    new SlowPolicies(gate),
                    config.stallTimeout().toNanos(),
                    replayed ? new SubscriberConnection.Replays(opened, pages, replayGroup, placement::place) : null,
                    orderer != null);
            setup = new ChannelSetup(services, allocator, publishing, subscribing, corePort, core, placement);
            // 7. What the loops do.
            core.duty(new CoreDuty(), failure);
            for (EngineLoop reader : readers) {
                reader.duty(EngineLoop.SOCKETS_ONLY, failure);
            }
            for (int i = 1; i < groups.length; i++) {
                groups[i].loop().duty(new SendDuty(groups[i], () -> 0), failure);
            }
            if (replayed) {
                replayLoop.duty(new SendDuty(replayGroup, pages::sleepNanos), failure);
                replayLoop.every(HOUSEKEEPING_MILLIS, replayGroup::tick);
            }
            if (orderer != null) {
                orderer.feed(new Ordered(handler, failure));
            }
            tickNanos = clock.nanoTime();
            core.every(HOUSEKEEPING_MILLIS, this::tick);
        } catch (Throwable e) {
            taken.close();
            throw e;
        }
    }

    /** Loops on which publishers are read. */
    static int ports(RelayConfig config) {
        return 1 + config.readerLoops();
    }

    // ---- the cycle ---------------------------------------------------------------------------------------------

    /** What the core does in each cycle, after its sockets. */
    private final class CoreDuty implements EngineLoop.Duty {
        @Override
        public boolean work() {
            boolean more = order.drain();
            more |= corePort.takeMoreExpected();
            boolean left = groups[0].pump(!more);
            names.acknowledge();
            durable.want(log.head().position());
            if (journal != null) {
                journal.look();
            }
            if (log.starved()) {
                relief.relieve();
            }
            if (readsElsewhere) {
                // What was taken from the ring is to be seen before the look at who waits: who comes then looks itself.
                VarHandle.fullFence();
            }
            // Where readers hold the log back, half of its window has to be free as well. Where they do not, that could
            // take for ever: one that reads nothing is cut off only while it holds the log back.
            boolean namesWait = journal != null && !journal.journal().moves().mayGoOn();
            if (held.any() && !namesWait && !log.starved() && (!gate.blocked() || gate.halfOpen(log.endPosition()))) {
                held.resumeIfRoom();
            }
            tellOthers();
            return more || left;
        }

        @Override
        public boolean pending() {
            return order.pending() || groups[0].pending() || journal != null && journal.pending();
        }

        @Override
        public long sleepNanos() {
            return log.starved() ? STARVED_NANOS : order.sleepNanos();
        }
    }

    /** Where what others have put in order comes to the log. */
    private final class Ordered implements Orderer.Stream {
        private final NetworkBatchHandler handler;
        private final Consumer<Throwable> failure;

        Ordered(NetworkBatchHandler handler, Consumer<Throwable> failure) {
            this.handler = handler;
            this.failure = failure;
        }

        @Override
        public boolean makeReady() {
            return handler.makeReady();
        }

        @Override
        public void append(ByteBuffer buffer, int offset, int length) {
            handler.append(buffer, offset, length);
        }

        @Override
        public void end(Mark into) {
            into.set(log.endPosition(), log.lastSequence() + 1);
        }

        @Override
        public void takenElsewhere(String name) {
            names.takenElsewhere(name);
        }

        @Override
        public long forced() {
            return journal == null || journal.failed()
                    ? Long.MAX_VALUE
                    : journal.forced().position();
        }

        @Override
        public void force(long position) {
            if (journal != null) {
                core.io().execute(() -> journal.wantForced(position));
            }
        }

        @Override
        public void wake() {
            VarHandle.fullFence();
            core.signal();
        }

        @Override
        public void failed(Throwable cause) {
            failure.accept(cause);
        }
    }

    /** Wakes the other loops, and the journal, where the head has moved. */
    private void tellOthers() {
        long head = log.head().position();
        if ((groups.length > 1 || journal != null) && head != toldHead) {
            toldHead = head;
            VarHandle.fullFence();
            for (int i = 1; i < groups.length; i++) {
                groups[i].signal();
            }
            if (journal != null) {
                journal.journal().signal();
            }
        }
    }

    /** More of the stream is written or forced, or no more will be. */
    private void journalMoved() {
        names.journalMoved();
        if (durable.any()) {
            for (SendGroup group : groups) {
                group.durableMoved();
            }
            if (replayGroup != null) {
                replayGroup.durableMoved();
            }
        }
        if (services.durability().failed()) {
            journalFailed();
        }
    }

    /** Subscribers that wait for the journal get what was written, and are told then; each by its own loop. */
    private void journalFailed() {
        for (SendGroup group : groups) {
            group.loop().io().execute(() -> group.pump(true));
        }
        if (replayGroup != null) {
            replayGroup.loop().io().execute(() -> replayGroup.pump(true));
        }
        services.table().live().forEach(c -> c.execute(c::journalFailed));
    }

    /**
     * What a loop does that sends only.
     *
     * @param rest see {@link #sleepNanos}
     */
    private record SendDuty(SendGroup group, LongSupplier rest) implements EngineLoop.Duty {
        @Override
        public boolean work() {
            return group.pump(true);
        }

        @Override
        public boolean pending() {
            return group.pending();
        }

        @Override
        public long sleepNanos() {
            return rest.getAsLong();
        }
    }

    /** A few times a second. */
    private void tick(long nowNanos) {
        tickNanos = nowNanos;
        groups[0].tick(nowNanos);
        for (int i = 1; i < groups.length; i++) {
            groups[i].tickThere();
        }
        if (journal != null) {
            journal.tick(log.head().position(), nowNanos);
        }
        boolean anyWaits = !order.isEmpty();
        for (Session c : services.table().live()) {
            if (c.role() instanceof PublisherConnection publisher) {
                anyWaits |= publisher.waitsForRoom();
                if (c.onItsThread()) {
                    c.tick(nowNanos);
                } else {
                    // A loop that is late has its own time.
                    c.execute(() -> c.tick(services.clock().nanoTime()));
                }
            }
        }
        gate.settle(anyWaits);
        services.closes().tick(nowNanos);
    }

    // ---- connections -------------------------------------------------------------------------------------------

    /**
     * Equips a connection that was accepted, or refuses it; answers the loop that it lives on. On the core's thread.
     *
     * @param tls of its port; null: a plain one
     */
    EngineLoop place(Channel accepted, Role role, TlsContext tls) {
        return setup.place(accepted, role, tls);
    }

    /** A stage for one producer thread. Any thread. */
    RunStage newStage() {
        RunStage stage = new RunStage(ring, config.stream().maxBody(), core::asleep);
        order.add(stage);
        return stage;
    }

    FrameRing ring() {
        return ring;
    }

    /** Who may do what. */
    AccessControl access() {
        return services.access();
    }

    ConnectionTable table() {
        return services.table();
    }

    /** The thread that makes the order. */
    EngineLoop core() {
        return core;
    }

    /** Of its stream. */
    long epoch() {
        return services.identity().epoch();
    }

    /** What of the stream outlives it. */
    Durability durability() {
        return services.durability();
    }

    MemoryBudget budget() {
        return budget;
    }

    PacketLog log() {
        return log;
    }

    // ---- the end, in its order ----------------------------------------------------------------------------------

    /** Subscribers that said HELLO are told to go elsewhere. Any thread. */
    void sayGoAway(int closesInMillis) {
        for (Session c : services.table().live()) {
            if (c.role() instanceof SubscriberConnection) {
                c.execute(() -> c.goAway(closesInMillis));
            }
        }
    }

    /** No publisher is read any more, nor one that is about to connect. Any thread. */
    void stopReading(int closesInMillis) {
        // Before the look at who is there: who comes later sees it.
        services.table().drain();
        for (Session c : services.table().live()) {
            if (c.role() instanceof PublisherConnection publisher) {
                c.execute(() -> publisher.stopReading(closesInMillis));
            }
        }
        order.endStages();
    }

    /**
     * Whether everything that was read is in the stream, and has been handed to all subscribers. On the core's thread: only
     * there the log shows what was packed and is not published yet.
     */
    boolean drained() {
        // Upstream first: bytes leave a place only for one that is looked at later.
        boolean done = services.table().draining();
        for (Session c : services.table().live()) {
            done &= !(c.role() instanceof PublisherConnection publisher) || publisher.quiet();
        }
        long head = log.head().position();
        done = done && order.isEmpty() && head == log.endPosition();
        for (Session c : services.table().live()) {
            // Subscribers that replay may go on with the journal at the next relay.
            done &= !(c.role() instanceof SubscriberConnection subscriber)
                    || subscriber.replays()
                    || subscriber.position() >= head;
        }
        return done;
    }

    void closeConnections() {
        for (Session c : services.table().live()) {
            c.execute(() -> c.close(CloseReason.SHUTDOWN, CloseReason.SHUTDOWN.text()));
        }
    }

    /** Nobody is connected any more: says what there is left to say. */
    void ended() {
        services.closes().end();
    }

    /** Gives all memory back. No loop may be at work any more. */
    void release() {
        taken.close();
    }

    // ---- reports: any thread ------------------------------------------------------------------------------------

    /** One row for each connection. */
    List<ConnectionRow> rows() {
        return services.table().rows(log.head().position(), services.clock().nanoTime());
    }

    /** Time since the core last looked after its house, which it does ten times a second. */
    long silentMillis() {
        return TimeUnit.NANOSECONDS.toMillis(services.clock().nanoTime() - tickNanos);
    }

    /** Counts something that happened outside. */
    void count(Counter counter) {
        services.counters().increment(counter);
    }

    /** Every counter; the parts are read one after the other. */
    RelayStats stats() {
        long now = services.clock().nanoTime();
        Mark head = new Mark();
        log.head().read(head);
        long slowest = head.position();
        long farthest = slowest;
        long replays = 0;
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            values.put(counter, services.counters().sum(counter));
        }
        for (Session c : services.table().live()) {
            if (c.role() instanceof SubscriberConnection s && s.replays()) {
                replays++;
                farthest = Math.min(farthest, s.position());
            } else if (c.role() instanceof SubscriberConnection s) {
                slowest = Math.min(slowest, s.position());
            }
        }
        values.put(Counter.JOURNAL_REPLAYS, replays);
        values.put(Counter.JOURNAL_REPLAY_LAG_BYTES, head.position() - farthest);
        values.put(Counter.MESSAGES_IN, head.sequence() - first.sequence());
        values.put(Counter.BYTES_IN, head.position() - first.position());
        values.put(Counter.PUBLISHERS, (long) services.table().publishers());
        values.put(Counter.SUBSCRIBERS, (long) services.table().subscribers());
        values.put(Counter.LARGEST_LAG_BYTES, head.position() - slowest);
        values.put(Counter.LARGEST_LAG_MESSAGES, log.messagesFrom(slowest, head));
        values.put(Counter.HELD_BACK_MILLIS, TimeUnit.NANOSECONDS.toMillis(held.nanos(now)));
        values.put(Counter.BACKPRESSURE_MILLIS, TimeUnit.NANOSECONDS.toMillis(gate.blockedNanos(now)));
        values.put(Counter.RING_CELLS, (long) ring.cells());
        values.put(Counter.RING_USED_CELLS, ring.cells() - ring.remainingCells());
        values.put(Counter.CHUNKS_ASIDE, (long) log.chunksAside());
        values.put(Counter.LOCAL_PUBLISHERS, (long) order.stages());
        values.put(Counter.ASSEMBLY_WAITING, (long) line.length());
        values.put(Counter.MEMORY_DIRECT_BYTES, budget.used(Kind.DIRECT));
        values.put(Counter.MEMORY_HEAP_BYTES, budget.used(Kind.HEAP));
        RelayStats.Forces forces = null;
        if (journal == null) {
            values.keySet().removeIf(Counter::ofJournal);
        } else {
            forces = journal.report(values, head.position(), now);
        }
        Map<Part, Long> memory = new EnumMap<>(Part.class);
        budget.pools().forEach((part, pool) -> memory.put(part, pool.used()));
        return new RelayStats(
                values, services.closes().closes(), services.closes().recent(), memory, forces);
    }
}
