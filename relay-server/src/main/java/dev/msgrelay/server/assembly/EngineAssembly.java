package dev.msgrelay.server.assembly;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.RefusedConnection;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalException;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.publish.Inlet;
import dev.msgrelay.server.publish.LoopBuffers;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.stream.FrameRing;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import dev.msgrelay.server.stream.WaitingSources;
import dev.msgrelay.server.stream.WindowGate;
import dev.msgrelay.server.subscribe.DurableEnds;
import dev.msgrelay.server.subscribe.FanoutParts;
import dev.msgrelay.server.subscribe.FilterBuffers;
import dev.msgrelay.server.subscribe.PinRelief;
import dev.msgrelay.server.subscribe.ReplayPages;
import dev.msgrelay.server.subscribe.SendGroup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Builds a {@link RelayEngine}: makes all its parts, links them, and gives the loops their duties. If any part cannot
 * be made, {@link #build} gives back all parts made before. The caller owns the loops, starts them after {@link
 * #build}, and stops them before {@link RelayEngine#release}.
 */
public final class EngineAssembly {
    /** Milliseconds between two ticks, not more than the shortest heartbeat. */
    private static final long TICK_MILLIS = 100;

    // Settings.
    private final RelayConfig config;
    private final StreamConfig stream;
    private final ByteBufAllocator allocator;
    private final Ticker clock;
    private final long epoch;
    private final RelayIdentity identity;
    private final Consumer<Throwable> failure;
    private final EngineLoop[] loops;
    private final EngineLoop core;
    EngineLoop[] readers = {};
    private EngineLoop replayLoop;
    private Journal opened;
    private Orderer orderer;

    // Parts, in the order in which they are made.
    private final Releases releases = new Releases();
    WindowGate gate;
    JournalLink journal;
    private MemoryBudget budget;
    Services services;
    private FrameRing ring;
    PacketLog log;
    NetworkBatchHandler handler;
    WaitingSources waiting;
    NameTable names;
    private Inlet coreInlet;
    DurableEnds durable;
    SendLoops sends;

    /**
     * @param epoch tells the stream from that of another start, where neither a journal nor others know more; never 0
     * @param failure told that the order is in doubt, and nothing may be relayed any more; or, with a {@link
     *     JournalException}, that the journal has ended
     * @param loops the core's first, then those that only send
     */
    public EngineAssembly(
            RelayConfig config,
            ByteBufAllocator allocator,
            Ticker clock,
            long epoch,
            RelayIdentity identity,
            Consumer<Throwable> failure,
            EngineLoop... loops) {
        this.config = config;
        this.stream = config.stream();
        this.allocator = allocator;
        this.clock = clock;
        this.epoch = epoch;
        this.identity = identity;
        this.failure = failure;
        this.loops = loops;
        this.core = loops[0];
    }

    /** Adds loops on which plain publishers are read; their runs go through the ring. */
    public EngineAssembly readers(EngineLoop... more) {
        readers = more;
        return this;
    }

    /**
     * Adds a journal, in which the stream goes on.
     *
     * @param journal null: the stream begins here, and is kept nowhere
     * @param replays loop on which subscribers are sent the journal, and which may wait for the disk; null: nobody is
     *     sent it
     */
    public EngineAssembly journal(Journal journal, EngineLoop replays) {
        opened = journal;
        replayLoop = journal == null ? null : replays;
        return this;
    }

    /**
     * Sets who decides the order.
     *
     * @param others null: the order is made here
     */
    public EngineAssembly orderer(Orderer others) {
        orderer = others;
        return this;
    }

    /** Makes the engine. Called once. */
    public RelayEngine build() {
        try {
            shared();
            stream();
            return engine(publishers(), subscribers());
        } catch (Throwable e) {
            releases.close();
            throw e;
        }
    }

    /** The limits of the log's writer, the budget, and the services of every connection. */
    private void shared() {
        gate = new WindowGate(stream.windowBytes(), core, clock::nanoTime);
        long ahead = stream.journalWindowBytes() - stream.windowBytes();
        Consumer<Throwable> ended = cause -> failure.accept(new JournalException(opened.failureText(), cause));
        journal = opened == null ? noJournal() : new EngineJournal(opened, gate, core, ahead, ended);
        budget = MemoryPlan.of(config).budget();
        services = Services.of(identity, journal, config, budget, clock);
    }

    private NoJournal noJournal() {
        return orderer == null ? new NoJournal(epoch) : NoJournal.shared(orderer.lives());
    }

    /** The ring, the log, and the order between them. */
    private void stream() {
        int slab = FrameRing.slabBytes(stream.ringCells(), stream.maxRun());
        ByteBuf ringMemory = allocator.directBuffer(slab, slab);
        releases.add(ringMemory::release);
        // The place where the stream begins, or goes on.
        Mark start = Mark.of(0, 1);
        if (orderer != null) {
            start.set(orderer.lives().forcedPosition(), orderer.lives().forcedSequence());
        }
        journal.goesOnAt(start);
        ring = new FrameRing(stream.ringCells(), stream.maxRun(), ringMemory, core::signal);
        int chunk = StreamConfig.CHUNK_BYTES;
        int pinned = config.limits().pinBytes() / chunk;
        log = new PacketLog(
                allocator, stream.logBytes(), chunk, stream.packetBytes(), pinned, stream.maxRun(), gate, start);
        releases.add(log::close);
        journal.feed(log, clock.nanoTime());
        TimeHistogram transits = services.counters().transits();
        RunScan scan = new RunScan(stream.packetBytes(), stream.maxBody());
        handler = new NetworkBatchHandler(ring, log, gate, scan, clock::nanoTime, transits::add);
        releases.add(handler::dropStages);
    }

    /** The way from publishers to the log, on the core's loop; or to the ring, on readers' loops. */
    private PublisherConnection.Shared publishers() {
        waiting = new WaitingSources(handler::hasPlentyOfRoom, clock::nanoTime);
        long hold = config.limits().nameHold().toNanos();
        TimeHistogram times = services.counters().acknowledgements();
        names = new NameTable(budget.pool(Part.NAMES), hold, clock::nanoTime, times);
        releases.add(names::release);
        if (orderer == null) {
            journal.restore(names, clock.nanoTime());
            RunScan scan = new RunScan(stream.packetBytes(), stream.maxBody());
            coreInlet = new Inlet.InPlace(handler, log, names, scan, waiting, loopBuffers());
        } else {
            handler.decidedBy(orderer);
            names.decidedBy(orderer);
            coreInlet = new Inlet.ToOrderer(orderer, waiting, RunScan.unpacked(stream.maxBody()), loopBuffers());
        }
        Deque<PublisherConnection.ReaderLoop> reading = new ArrayDeque<>();
        for (EngineLoop reader : readers) {
            Inlet inlet = new Inlet.ToRing(ring, waiting, RunScan.unpacked(stream.maxBody()), loopBuffers());
            reading.add(new PublisherConnection.ReaderLoop(reader, inlet));
        }
        MemoryLine line = new MemoryLine(budget.pool(Part.FRAMES));
        return new PublisherConnection.Shared(log, names, line, reading);
    }

    private LoopBuffers loopBuffers() {
        LoopBuffers buffers = new LoopBuffers(allocator, budget, MemoryPlan.SHORT_BUFFERS / MemoryPlan.inlets(config));
        releases.add(buffers::close);
        return buffers;
    }

    /** The way from the log to subscribers, on the core's loop or on those that only send; and from the journal. */
    private FanoutParts subscribers() {
        boolean replayed = replayLoop != null;
        int senders = replayed ? loops.length + 1 : loops.length;
        SendGroup[] groups = new SendGroup[loops.length];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = new SendGroup(log, loops[i], filterBuffers(senders), Optional.empty());
        }
        durable = new DurableEnds(services.durability(), core.io());
        Optional<FanoutParts.Replays> replays = replayed ? Optional.of(replays(senders)) : Optional.empty();
        sends = new SendLoops(groups, replays.map(FanoutParts.Replays::group).orElse(null));
        long stall = config.stallTimeout().toNanos();
        return new FanoutParts(log, durable, stream.logBytes(), gate, stall, replays, sends::place, orderer != null);
    }

    private FanoutParts.Replays replays(int senders) {
        ReplayPages pages = new ReplayPages(allocator, budget.pool(Part.REPLAYS), services.counters(), clock::nanoTime);
        releases.add(pages::close);
        SendGroup group = new SendGroup(log, replayLoop, filterBuffers(senders), Optional.of(pages));
        return new FanoutParts.Replays(opened, pages, group);
    }

    private FilterBuffers filterBuffers(int senders) {
        FilterBuffers buffers = new FilterBuffers(allocator, budget.pool(Part.FILTERS), services.counters(), senders);
        releases.add(buffers::close);
        return buffers;
    }

    private RelayEngine engine(PublisherConnection.Shared publishing, FanoutParts subscribing) {
        long pins = budget.pool(Part.PINS).limit();
        PinRelief relief = new PinRelief(log, services.table(), services.counters(), pins);
        CoreDuty duty = new CoreDuty(this, relief);
        journal.onMoved(duty::journalMoved);
        core.duty(duty, failure);
        for (EngineLoop reader : readers) {
            reader.duty(EngineLoop.SOCKETS_ONLY, failure);
        }
        sends.start(TICK_MILLIS, failure);
        if (orderer != null) {
            orderer.setStream(new OrderedStream(core, handler, log, names, services.table(), journal, failure));
        }
        core.every(TICK_MILLIS, duty::tick);
        ChannelSetup setup = new ChannelSetup(
                services, allocator, publishing, subscribing, coreInlet, core, new RefusedConnection.Newest());
        MemoryLine line = publishing.line();
        Mark first = log.head().mark();
        return new RelayEngine(
                core, services, ring, log, first, gate, handler, waiting, line, journal, setup, duty, releases);
    }
}
