package dev.msgrelay.server;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.batch.NetworkBatchHandler;
import dev.msgrelay.server.batch.RunScan;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.loop.LoopWakeup;
import dev.msgrelay.server.loop.RelayLoop;
import dev.msgrelay.server.ring.FrameRing;
import dev.msgrelay.server.ring.RunStage;
import dev.msgrelay.server.session.Admission;
import dev.msgrelay.server.session.BackpressureGate;
import dev.msgrelay.server.session.Connections;
import dev.msgrelay.server.session.GroupWork;
import dev.msgrelay.server.session.HeldPublishers;
import dev.msgrelay.server.session.Intake;
import dev.msgrelay.server.session.PublisherNames;
import dev.msgrelay.server.session.PublisherSession;
import dev.msgrelay.server.session.RefusedSession;
import dev.msgrelay.server.session.RelayIdentity;
import dev.msgrelay.server.session.RingDrain;
import dev.msgrelay.server.session.SendLoops;
import dev.msgrelay.server.session.SessionContext;
import dev.msgrelay.server.session.SubscriberGroup;
import dev.msgrelay.server.session.SubscriberSession;
import dev.msgrelay.server.transport.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

/**
 * A relay: what publishers send is put into one total order, and every subscriber gets that order. This file wires it.
 *
 * <pre>
 *  publisher sockets -> PublisherSession -.                               .-> SubscriberSession -> sockets
 *                                          +-> FrameRing -> PacketLog -> -+
 *  LocalPublisher threads ----------------'   NetworkBatchHandler         '-> SubscriberSession -> sockets
 * </pre>
 */
public final class RelayServer implements AutoCloseable {
    /** A write buffer's water marks that make a channel writable exactly while nothing is pending. */
    private static final WriteBufferWaterMark NOTHING_PENDING = new WriteBufferWaterMark(1, 1);

    /** Not longer than the shortest heartbeat. */
    private static final long HOUSEKEEPING_MILLIS = 100;

    private final RelayConfig config;
    private final Transport transport;
    private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final ByteBuf ringMemory;
    private final FrameRing ring;
    private final PacketLog log;
    private final Connections connections = new Connections();
    private final Admission admission;
    private final SessionContext context;
    private final RingDrain drain;
    private final RelayLoop[] loops;
    private final SendLoops sendLoops;
    private final Intake intake;
    private final PublisherNames names = new PublisherNames();
    private final RelayState state = new RelayState();
    private final Entrances entrances;
    private volatile RelayStats last;

    private RelayServer(RelayConfig config) {
        this.config = config;
        this.transport = config.transport().resolve();
        this.admission = new Admission(config.clients());
        StreamConfig stream = config.stream();

        // 1. The loops. The first one polls the ring.
        boolean auto = config.eventLoops() == RelayConfig.AUTO_EVENT_LOOPS;
        loops = new RelayLoop[auto ? autoLoops(transport) : config.eventLoops()];
        for (int i = 0; i < loops.length; i++) {
            loops[i] = new RelayLoop("relay-loop-" + i, transport.ioHandler());
        }
        entrances = new Entrances(config.listen(), transport, loops[0]);
        // 2. The ring, whose publishers wake that loop.
        int slab = FrameRing.slabBytes(stream.ringCells(), stream.maxRun());
        ringMemory = allocator.directBuffer(slab, slab);
        ring = new FrameRing(stream.ringCells(), stream.maxRun(), ringMemory, new LoopWakeup(loops[0]));
        // 3. The log, and what may hold its writer back.
        BackpressureGate gate = new BackpressureGate(stream.windowBytes(), loops[0]);
        log = newLog(stream, gate);
        context = new SessionContext(
                log,
                stream.logBytes(),
                gate,
                config.stallTimeout().toNanos(),
                new RelayIdentity(newEpoch(), serverName(), stream.maxBody()),
                config.clients(),
                connections);
        names.tick(System.nanoTime());
        // 4. Publishers -> ring -> log, on the first loop; subscribers there, or on the others.
        HeldPublishers held = new HeldPublishers(ring, gate);
        SubscriberGroup[] groups = new SubscriberGroup[loops.length];
        for (int i = 0; i < loops.length; i++) {
            groups[i] = new SubscriberGroup(log, loops[i]);
        }
        sendLoops = new SendLoops(groups, auto);
        NetworkBatchHandler handler = new NetworkBatchHandler(log, stream.packetBytes(), stream.maxBody(), names);
        SubscriberGroup[] others = Arrays.copyOfRange(groups, 1, groups.length);
        drain = new RingDrain(ring, handler, groups[0], others, gate, held, log);
        RunScan scan = new RunScan(stream.packetBytes(), stream.maxBody());
        intake = new Intake(ring, log, drain, held, allocator, scan, transport.readsAtOnce());
        for (int i = 0; i < loops.length; i++) {
            loops[i].start(i == 0 ? drain : new GroupWork(groups[i]));
        }
        loops[0].every(HOUSEKEEPING_MILLIS, this::tick);
    }

    private static int autoLoops(Transport transport) {
        return transport.movesChannels() && Runtime.getRuntime().availableProcessors() > 1 ? 2 : 1;
    }

    private void tick() {
        long now = System.nanoTime();
        sendLoops.tick(now);
        names.tick(now);
        connections.tickPublishers(now);
    }

    /** Random, so that a relay that is started anew, here or elsewhere, is never taken for the one before. */
    private static long newEpoch() {
        long epoch = new SecureRandom().nextLong();
        return epoch == 0 ? 1 : epoch;
    }

    private static String serverName() {
        String version = RelayServer.class.getPackage().getImplementationVersion();
        return version == null ? "relay" : "relay " + version;
    }

    private PacketLog newLog(StreamConfig stream, BackpressureGate gate) {
        try {
            return new PacketLog(allocator, stream.logBytes(), StreamConfig.CHUNK_BYTES, stream.packetBytes(), gate);
        } catch (OutOfMemoryError tooMuch) {
            ringMemory.release();
            throw tooMuch;
        }
    }

    /**
     * Starts a relay.
     *
     * @throws IOException an address cannot be listened on, or there is not enough direct memory; the message names it.
     *     Nothing is left behind
     * @throws IllegalArgumentException the transport is not available here
     */
    public static RelayServer start(RelayConfig config) throws IOException {
        RelayServer relay;
        try {
            relay = new RelayServer(config);
        } catch (OutOfMemoryError e) {
            throw new IOException(
                    "cannot take " + MemoryPlan.of(config).total() + " bytes of direct memory: " + e.getMessage(), e);
        }
        try {
            relay.entrances.open(relay::placePublisher, relay::placeSubscriber);
            return relay;
        } catch (IOException | RuntimeException e) {
            relay.close();
            throw e;
        }
    }

    private RelayLoop placePublisher(Channel accepted) {
        // The loop that packs also reads: what it has read need not be copied, or handed to another core.
        if (refused(accepted, true)) {
            return loops[0];
        }
        PublisherSession session = new PublisherSession(context, intake, names, allocator);
        equip(accepted);
        accepted.config().setRecvByteBufAllocator(session.reads());
        accepted.config().setWriteBufferWaterMark(NOTHING_PENDING);
        // A publisher that has gone and cannot be told anything any more is still read to its end.
        accepted.config().setAutoClose(false);
        accepted.pipeline().addLast(session);
        return loops[0];
    }

    private RelayLoop placeSubscriber(Channel accepted) {
        if (refused(accepted, false)) {
            return loops[0];
        }
        SubscriberGroup group = sendLoops.place();
        equip(accepted);
        accepted.config().setWriteBufferWaterMark(NOTHING_PENDING);
        accepted.pipeline().addLast(new SubscriberSession(context, group));
        return group.loop();
    }

    private boolean refused(Channel accepted, boolean publisher) {
        CloseReason refusal = admission.admit(publisher);
        if (refusal == null) {
            accepted.closeFuture().addListener(closed -> admission.left(publisher));
            return false;
        }
        accepted.pipeline().addLast(new RefusedSession(connections, refusal, admission.text(refusal)));
        return true;
    }

    private void equip(Channel accepted) {
        accepted.config().setAllocator(allocator);
        if (accepted.localAddress() instanceof InetSocketAddress) {
            // The relay batches by itself; whoever waits for more than an idle socket does so on purpose.
            accepted.config().setOption(ChannelOption.TCP_NODELAY, true);
        }
    }

    /** A publisher for one producer thread of this process. */
    public LocalPublisher newLocalPublisher() {
        RunStage stage = new RunStage(ring, config.stream().maxBody(), loops[0]::asleep);
        drain.add(stage);
        return new LocalPublisher(stage, state, ring, config.stream().maxBody());
    }

    /** Where publishers connect over TCP; null where there is none. */
    public InetSocketAddress publishAddress() {
        return entrances.publishAddress();
    }

    /** Where subscribers connect over TCP; null where there is none. */
    public InetSocketAddress subscribeAddress() {
        return entrances.subscribeAddress();
    }

    /** All addresses that are listened on. */
    public List<SocketAddress> addresses() {
        return entrances.addresses();
    }

    /** What it was started with. */
    public RelayConfig config() {
        return config;
    }

    /** How its sockets are driven: never AUTO. */
    public Transport transport() {
        return transport;
    }

    /** Threads that drive its sockets; how many of them have something to do just now, {@link #stats} tells. */
    public int eventLoops() {
        return loops.length;
    }

    /** Its memory, itemised. */
    public MemoryPlan memory() {
        return MemoryPlan.of(config);
    }

    /** What it has done so far. Any thread; the parts are read one after the other. */
    public RelayStats stats() {
        RelayStats atTheEnd = last;
        if (atTheEnd != null) {
            return atTheEnd;
        }
        Mark head = new Mark();
        log.head().read(head);
        long slowest = head.position();
        for (SubscriberSession s : connections.subscribers()) {
            slowest = Math.min(slowest, s.cursor());
        }
        long now = System.nanoTime();
        long lagMessages = slowest == head.position() ? 0 : head.sequence() - log.sequenceNear(slowest);
        return new RelayStats(
                head.sequence() - 1,
                head.position(),
                connections.messagesSent(),
                connections.bytesSent(),
                connections.messagesSkipped(),
                connections.publishers().size(),
                connections.subscribers().size(),
                head.position() - slowest,
                lagMessages,
                connections.duplicates(),
                connections.timesHeldBack(),
                intake.heldBackNanos(now),
                context.gate().blockedNanos(now),
                ring.cells(),
                ring.cells() - ring.remainingCells(),
                log.chunksAside(),
                sendLoops.inUse(),
                connections.closes());
    }

    /**
     * Ends the relay: no new connections, no more input; what is in the ring and the log goes out to the subscribers, for
     * at most the drain timeout; then everything is closed. Returns when it is done.
     */
    @Override
    public void close() {
        new RelayShutdown(this, config.drainTimeout()).run();
    }

    // ---- for tests ---------------------------------------------------------------------------------------------

    /** Moves subscribers to the other loops or back, whatever the load. */
    void spread(boolean toOthers) {
        loops[0].io().execute(() -> sendLoops.spread(toOthers));
    }

    // ---- for RelayShutdown, in its order ----------------------------------------------------------------------

    boolean beginClose() {
        synchronized (state) {
            if (state.closing()) {
                return false;
            }
            state.close();
        }
        entrances.close();
        return true;
    }

    void sayGoAway() {
        int millis = drainMillis();
        for (SubscriberSession s : connections.subscribers()) {
            s.execute(() -> s.goAway(millis));
        }
    }

    void stopReading() {
        connections.stopPublishers(drainMillis());
        drain.endStages();
    }

    private int drainMillis() {
        return (int) Math.min(Integer.MAX_VALUE, config.drainTimeout().toMillis());
    }

    boolean drained() {
        if (!connections.publishersStopped() || !drain.isEmpty()) {
            return false;
        }
        long head = log.head().position();
        for (SubscriberSession s : connections.subscribers()) {
            if (s.cursor() < head) {
                return false;
            }
        }
        return true;
    }

    void closeSessions() {
        for (PublisherSession s : connections.publishers()) {
            s.execute(() -> s.close(CloseReason.SHUTDOWN, CloseReason.SHUTDOWN.text()));
        }
        for (SubscriberSession s : connections.subscribers()) {
            s.execute(() -> s.close(CloseReason.SHUTDOWN, CloseReason.SHUTDOWN.text()));
        }
    }

    boolean sessionsClosed() {
        return connections.allGone();
    }

    void release() throws InterruptedException {
        boolean stopped = true;
        for (RelayLoop loop : loops) {
            stopped &= loop.stop(1000);
        }
        last = stats();
        if (stopped) {
            // A loop that hangs may still touch this memory; then it is left to the end of the process.
            intake.close();
            log.close();
            ringMemory.release();
        }
    }
}
