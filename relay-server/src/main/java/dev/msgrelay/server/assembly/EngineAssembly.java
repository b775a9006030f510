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
import dev.msgrelay.server.journal.format.SnapshotFile;
import dev.msgrelay.server.memory.Bytes;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.publish.Inlet;
import dev.msgrelay.server.publish.LoopBuffers;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.stream.FrameRing;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import dev.msgrelay.server.stream.RunStage;
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
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds a {@link RelayEngine}: makes all its parts, links them, and gives the loops their duties. If any part cannot
 * be made, {@link #build} gives back all parts made before. The caller owns the loops, starts them after {@link
 * #build}, and stops them before {@link RelayEngine#release}.
 */
public final class EngineAssembly {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** Milliseconds between two ticks; not more than the shortest heartbeat. */
    private static final long TICK_MILLIS = 100;

    private final RelayConfig config;
    private final StreamConfig sizes;
    private final ByteBufAllocator allocator;
    private final Ticker clock;
    private final long epoch;
    private final RelayIdentity identity;
    private final Consumer<Throwable> failure;
    private final EngineLoop[] loops;
    private final EngineLoop core;
    EngineLoop[] readerLoops = {};
    private Optional<EngineLoop> replayLoop = Optional.empty();
    private Optional<Journal> journal = Optional.empty();
    private Optional<Orderer> orderer = Optional.empty();

    // Parts, in the order in which they are made.
    private final Releases releases = new Releases();
    WindowGate gate;
    JournalLink journalLink;
    private MemoryBudget budget;
    Services services;
    private FrameRing ring;
    PacketLog log;
    NetworkBatchHandler handler;
    WaitingSources waiting;
    Optional<StateDesk> state = Optional.empty();
    private Optional<StateFold> fold = Optional.empty();
    NameTable names;
    private Inlet coreInlet;
    DurableEnds durable;
    SendLoops sends;

    /**
     * @param epoch epoch of a stream that begins here, never 0; the stream of a journal or a cluster has its own epoch
     * @param failure called if the order is in doubt and nothing may be relayed any more; or, with a {@link
     *     JournalException}, if the journal has failed
     * @param loops the core's loop, then the loops that only send
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
        this.sizes = config.stream();
        this.allocator = allocator;
        this.clock = clock;
        this.epoch = epoch;
        this.identity = identity;
        this.failure = failure;
        this.loops = loops;
        this.core = loops[0];
    }

    /** Adds loops that only read plain publishers; the messages go through the ring. */
    public EngineAssembly readers(EngineLoop... more) {
        readerLoops = more;
        return this;
    }

    /**
     * Adds a journal, whose stream this relay continues.
     *
     * @param replays loop that sends the journal to subscribers, and may wait for the disk; if empty, it is not sent
     */
    public EngineAssembly journal(Optional<Journal> added, Optional<EngineLoop> replays) {
        journal = added;
        replayLoop = replays;
        return this;
    }

    /** Adds the orderer of a cluster; without an orderer the core makes the order. */
    public EngineAssembly orderer(Optional<Orderer> added) {
        orderer = added;
        return this;
    }

    /** Makes the engine. Called once. */
    public RelayEngine build() {
        try {
            makeShared();
            makeStream();
            return makeEngine(makePublishing(), makeSubscribing());
        } catch (Throwable e) {
            releases.close();
            throw e;
        }
    }

    /** Makes the gate of the log, the budget, and the services that all connections share. */
    private void makeShared() {
        gate = new WindowGate(sizes.windowBytes(), core, clock::nanoTime);
        long ahead = sizes.journalWindowBytes() - sizes.windowBytes();
        journalLink = journal.<JournalLink>map(kept -> new EngineJournal(
                        kept,
                        gate,
                        core,
                        ahead,
                        cause -> failure.accept(new JournalException(kept.failureText(), cause))))
                .or(() -> orderer.map(others -> new NoJournal(true, others.lives())))
                .orElseGet(() -> new NoJournal(epoch));
        budget = MemoryPlan.of(config).budget();
        services = Services.of(identity, journalLink, config, budget, clock);
    }

    /** Makes the ring, the log, and the handler between them, which orders messages. */
    private void makeStream() {
        int slab = FrameRing.slabBytes(sizes.ringCells(), sizes.maxRun());
        ByteBuf ringMemory = allocator.directBuffer(slab, slab);
        releases.add(ringMemory::release);
        Mark start = Mark.of(0, 1);
        orderer.map(Orderer::lives).ifPresent(lives -> start.set(lives.forcedPosition(), lives.forcedSequence()));
        journalLink.goesOnAt(start);
        ring = new FrameRing(sizes.ringCells(), sizes.maxRun(), ringMemory, core::signal);
        int chunk = StreamConfig.CHUNK_BYTES;
        int pinned = config.limits().pinBytes() / chunk;
        log = new PacketLog(
                allocator, sizes.logBytes(), chunk, sizes.packetBytes(), pinned, sizes.maxRun(), gate, start);
        releases.add(log::close);
        journalLink.feed(log, clock.nanoTime());
        TimeHistogram transits = services.counters().transits();
        if (config.state().on()) {
            state = Optional.of(makeState());
        }
        handler = new NetworkBatchHandler(ring, log, gate, packingScan(), clock::nanoTime, transits::add);
        releases.add(() -> handler.stages().forEach(RunStage::drop));
    }

    /** Makes the walker over bytes that are packed. It notes the stretches of equal headers if the state needs them. */
    private RunScan packingScan() {
        return new RunScan(sizes.packetBytes(), sizes.maxBody(), config.state().on());
    }

    private StateDesk makeState() {
        int bytes = (int) MemoryPlan.of(config).of(Part.STATE);
        ByteBuf memory = allocator.directBuffer(bytes, bytes);
        releases.add(memory::release);
        long seed = new SecureRandom().nextLong();
        StateIndex index = new StateIndex(
                log,
                Bytes.view(memory, bytes),
                config.state().bytes(),
                config.state().types(),
                seed);
        journal.ifPresent(kept -> recall(kept, index, seed));
        log.keptBy(index);
        StateDesk desk = new StateDesk(index, core.io(), allocator, budget.pool(Part.STATE_BATCHES), clock::nanoTime);
        releases.add(desk::close);
        return desk;
    }

    /** Fills the index from the journal, and makes the next snapshots if a thread may wait for the disk. */
    private void recall(Journal kept, StateIndex index, long seed) {
        int size = config.state().bytes();
        MemoryBudget.Pool pages = budget.pool(Part.REPLAYS);
        Optional<SnapshotFile> last = new StateRecall(kept, index, size, sizes.maxBody(), allocator, pages)
                .read(log.head().mark());
        replayLoop.ifPresent(loop -> {
            int bytes = (int) MemoryPlan.of(config).of(Part.STATE_FOLD);
            ByteBuf memory = allocator.directBuffer(bytes, bytes);
            releases.add(memory::release);
            StateFold made = new StateFold(kept, index.kept(), size, sizes.maxBody(), memory, seed, last, LOG::warn);
            releases.add(made);
            kept.hold(last.map(SnapshotFile::position).orElse(0L));
            made.workOn(loop);
            fold = Optional.of(made);
        });
    }

    /** Makes the parts that read publishers, on the core's loop into the log, on reader loops into the ring. */
    private PublisherConnection.Shared makePublishing() {
        waiting = new WaitingSources(handler::hasPlentyOfRoom, clock::nanoTime);
        long hold = config.limits().nameHold().toNanos();
        TimeHistogram times = services.counters().acknowledgements();
        names = new NameTable(budget.pool(Part.NAMES), hold, clock::nanoTime, times);
        releases.add(names::release);
        if (orderer.isEmpty()) {
            journalLink.restore(names, clock.nanoTime());
            coreInlet = new Inlet.InPlace(handler, log, names, packingScan(), waiting, loopBuffers());
        } else {
            handler.decidedBy(orderer.get());
            names.decidedBy(orderer.get());
            coreInlet = new Inlet.ToOrderer(orderer.get(), waiting, RunScan.unpacked(sizes.maxBody()), loopBuffers());
        }
        Deque<PublisherConnection.ReaderLoop> reading = new ArrayDeque<>();
        for (EngineLoop reader : readerLoops) {
            Inlet inlet = new Inlet.ToRing(ring, waiting, RunScan.unpacked(sizes.maxBody()), loopBuffers());
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

    /** Makes the parts that send the log and the journal to subscribers. */
    private FanoutParts makeSubscribing() {
        int senders = loops.length + (replayLoop.isPresent() ? 1 : 0);
        SendGroup[] groups = new SendGroup[loops.length];
        for (int i = 0; i < groups.length; i++) {
            groups[i] = new SendGroup(log, loops[i], filterBuffers(senders), Optional.empty());
        }
        durable = new DurableEnds(services.durability(), core.io());
        Optional<FanoutParts.Replays> replays =
                journal.flatMap(kept -> replayLoop.map(loop -> makeReplays(kept, loop, senders)));
        sends = new SendLoops(groups, replays.map(FanoutParts.Replays::group));
        long stall = config.stallTimeout().toNanos();
        return new FanoutParts(
                log,
                durable,
                sizes.logBytes(),
                gate,
                stall,
                replays,
                state,
                config.state().conflateAfter(),
                sends::place,
                orderer.isPresent());
    }

    private FanoutParts.Replays makeReplays(Journal kept, EngineLoop loop, int senders) {
        ReplayPages pages = new ReplayPages(allocator, budget.pool(Part.REPLAYS), services.counters(), clock::nanoTime);
        releases.add(pages::close);
        SendGroup group = new SendGroup(log, loop, filterBuffers(senders), Optional.of(pages));
        return new FanoutParts.Replays(kept, pages, group);
    }

    private FilterBuffers filterBuffers(int senders) {
        FilterBuffers buffers = new FilterBuffers(allocator, budget.pool(Part.FILTERS), services.counters(), senders);
        releases.add(buffers::close);
        return buffers;
    }

    private RelayEngine makeEngine(PublisherConnection.Shared publishing, FanoutParts subscribing) {
        long pins = budget.pool(Part.PINS).limit();
        PinRelief relief = new PinRelief(log, services.table(), services.counters(), pins);
        CoreDuty duty = new CoreDuty(this, relief);
        journalLink.onMoved(duty::journalMoved);
        core.duty(duty, failure);
        for (EngineLoop reader : readerLoops) {
            reader.duty(EngineLoop.SOCKETS_ONLY, failure);
        }
        sends.start(TICK_MILLIS, failure);
        orderer.ifPresent(others -> others.setStream(new OrderedStream(
                core, handler, log, names, services.table(), journalLink, failure, new ArrayList<>())));
        core.every(TICK_MILLIS, duty::tick);
        ChannelSetup setup = new ChannelSetup(
                services, allocator, publishing, subscribing, coreInlet, core, new RefusedConnection.Newest());
        MemoryLine line = publishing.line();
        Mark first = log.head().mark();
        return new RelayEngine(
                core,
                services,
                ring,
                log,
                first,
                gate,
                handler,
                waiting,
                line,
                journalLink,
                state,
                fold,
                setup,
                duty,
                releases);
    }
}
