package dev.msgrelay.server.subscribe;

import static dev.msgrelay.server.config.RelayOption.*;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.assembly.NoJournal;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.connection.ConnectionTable;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Wire;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.state.StateDesk;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Everything between the log and subscribers' sockets, driven by hand on one thread; time is a number. */
final class FanoutRig implements AutoCloseable {
    static final int CHUNK = 1024;
    static final int LOG = 16 * CHUNK;

    /** The log of a rig with state: more than a write. */
    static final int LONG_LOG = 512 * CHUNK;

    /** A subscriber with the policy latest conflates when it is so many bytes behind. */
    static final int MOST_BEHIND = LONG_LOG / 16;

    static final int PACKET = 300;
    static final int WINDOW = 1 << 20;

    /** More than the log has: one write of a single subscriber may hold all of that. */
    static final int PINNED = 24;

    static final int FILTER_BUFFERS = 4;
    static final long EPOCH = 7;
    static final long CONTROL_BYTES = 64 << 10;
    private static final int STATE_BYTES = 4 << 20;

    private static final int MAX_RUN = 4 * CHUNK;
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    final MockTicker clock = Ticker.newMockTicker();
    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    final EngineLoop loop = new EngineLoop(Transport.NIO.ioHandler(), clock);
    final WindowGate gate = new WindowGate(WINDOW, loop, clock::nanoTime);
    final PacketLog log;
    final MemoryBudget budget = new MemoryBudget(Map.of(
            Part.CONTROL, CONTROL_BYTES,
            Part.FILTERS, (long) FILTER_BUFFERS * FilterBuffers.BYTES,
            Part.STATE_BATCHES, StateDesk.bufferBytes(MAX_RUN),
            Part.CONNECTIONS, 1000L * SubscriberConnection.SAID_BYTES,
            Part.SESSIONS, 1000L * Session.HEAP_BYTES));
    final Counters counters;
    final ConnectionTable table;
    private final FilterBuffers buffers;
    final SendGroup group;
    final Services services;
    final DurableEnds durable;
    final FanoutParts shared;
    // Null if there is no state.
    private final StateIndex index;
    private final StateDesk desk;
    private final RunScan scan = new RunScan(PACKET, MAX_RUN, true);
    private final List<Subscriber> subscribers = new ArrayList<>();

    FanoutRig() {
        this(Policy.DISCONNECT);
    }

    FanoutRig(Policy policy) {
        this(settings(policy), new NoJournal(EPOCH), false);
    }

    FanoutRig(Durability durability) {
        this(settings(Policy.DISCONNECT), durability, false);
    }

    FanoutRig(Policy policy, Durability durability) {
        this(settings(policy), durability, false);
    }

    static FanoutRig oneOfSeveral() {
        return new FanoutRig(settings(Policy.DISCONNECT), new NoJournal(EPOCH), true);
    }

    /** One that keeps the state of all types. Its batches come by {@link #cycles}. */
    static FanoutRig withState() {
        return new FanoutRig(stateOf(TypeRanges.ALL), new NoJournal(EPOCH), false);
    }

    /** One that keeps the state of {@code kept}. */
    static FanoutRig withState(TypeRanges kept, AccessPolicy access) {
        return new FanoutRig(stateOf(kept).set(ACCESS, access), new NoJournal(EPOCH), false);
    }

    private static RelayConfig.Builder stateOf(TypeRanges kept) {
        return settings(Policy.DISCONNECT)
                .set(STATE, STATE_BYTES)
                .set(STATE_TYPES, kept)
                .set(REPLAYS_PER_ADDRESS, 100_000);
    }

    private static RelayConfig.Builder settings(Policy policy) {
        return RelayConfig.builder().set(SLOW_SUBSCRIBER, policy);
    }

    private FanoutRig(RelayConfig.Builder settings, Durability durability, boolean elsewhere) {
        RelayConfig config = settings.build();
        boolean keepsState = config.state().on();
        int logBytes = keepsState ? LONG_LOG : LOG;
        log = new PacketLog(allocator, logBytes, CHUNK, PACKET, PINNED, MAX_RUN, gate, Mark.of(0, 1));
        loop.duty(
                new EngineLoop.Duty() {
                    @Override
                    public boolean work() {
                        return false;
                    }

                    @Override
                    public boolean pending() {
                        return true;
                    }
                },
                failure -> {
                    throw new AssertionError(failure);
                });
        services = Services.of(new RelayIdentity("relay", CHUNK), durability, config, budget, clock);
        counters = services.counters();
        table = services.table();
        buffers = new FilterBuffers(allocator, budget.pool(Part.FILTERS), counters, 1);
        group = new SendGroup(log, loop, buffers, Optional.empty());
        durable = new DurableEnds(durability, Runnable::run);
        index = keepsState
                ? new StateIndex(log, stateMemory(), STATE_BYTES, config.state().types(), 4711)
                : null;
        desk = keepsState
                ? new StateDesk(index, Runnable::run, allocator, budget.pool(Part.STATE_BATCHES), clock::nanoTime)
                : null;
        if (keepsState) {
            log.keptBy(index);
        }
        shared = new FanoutParts(
                log,
                durable,
                logBytes,
                gate,
                STALL_NANOS,
                Optional.empty(),
                Optional.ofNullable(desk),
                MOST_BEHIND,
                group::takeSeat,
                elsewhere);
    }

    private static ByteBuffer stateMemory() {
        int bytes = (int) StateIndex.memoryBytes(STATE_BYTES, 1000);
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    Subscriber connect() {
        Subscriber subscriber = new Subscriber();
        subscribers.add(subscriber);
        return subscriber;
    }

    /** One that has said HELLO, and been sent what there is. */
    Subscriber joined(HelloFrame.Builder hello) {
        Subscriber subscriber = connect().hello(hello);
        pump();
        return subscriber;
    }

    void publish(int type, int body) {
        ByteBuffer frame = new Frames().frame(type, body).nativeBuffer();
        if (log.openPacketBytes() > 0 && log.openPacketBytes() + frame.remaining() > PACKET) {
            log.packetStartsAt(0, 0);
        }
        if (index != null) {
            index.packed(
                    scan.scan(frame, 0, frame.remaining(), log.openPacketBytes()),
                    log.endPosition(),
                    log.lastSequence() + 1);
        }
        log.append(frame, 0, frame.remaining(), 1);
        log.publish();
    }

    void publishMany(int messages, int body) {
        for (int i = 0; i < messages; i++) {
            if (!log.hasRoom()) {
                throw new AssertionError("the log is held at " + log.endPosition());
            }
            publish(i, body);
        }
    }

    void pump() {
        int rounds = 0;
        while (group.pump(true)) {
            if (++rounds > 10_000) {
                throw new AssertionError("sends for ever");
            }
        }
        subscribers.forEach(s -> s.channel.runPendingTasks());
    }

    /** Cycles of the core, in each of which it fills one batch of the state, and everything is sent that there is. */
    void cycles(int count) {
        for (int i = 0; i < count; i++) {
            pump();
            desk.serve();
            subscribers.forEach(s -> s.channel.runPendingTasks());
        }
        pump();
    }

    Mark head() {
        Mark head = new Mark();
        log.head().read(head);
        return head;
    }

    long closed(CloseReason reason) {
        return services.closes().closes().getOrDefault(reason, 0L);
    }

    Map<CloseReason, Long> closes() {
        return services.closes().closes();
    }

    long sum(Counter counter) {
        return counters.sum(counter);
    }

    @Override
    public void close() {
        subscribers.forEach(s -> s.channel.finishAndReleaseAll());
        buffers.close();
        if (desk != null) {
            desk.close();
        }
        log.close();
        // The loop ends when time has passed, and only the test moves it.
        loop.io().shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        for (int i = 0; i < 100 && !loop.io().isTerminated(); i++) {
            clock.advanceMillis(1);
            loop.io().runNow();
        }
        for (Part part : List.of(Part.CONTROL, Part.FILTERS, Part.STATE_BATCHES)) {
            if (budget.pool(part).used() != 0) {
                throw new AssertionError(
                        "still reserved: " + part + " " + budget.pool(part).used());
            }
        }
    }

    /** A connection by no machine's interface: its segments are Ethernet's, and a write of whole ones cuts frames. */
    private static final class SegmentedChannel extends EmbeddedChannel {
        @Override
        protected SocketAddress localAddress0() {
            return new InetSocketAddress("192.0.2.1", 1);
        }
    }

    final class Subscriber {
        final SubscriberConnection connection = new SubscriberConnection(services, shared);
        final EmbeddedChannel channel = new SegmentedChannel();
        final Wire wire = new Wire();
        private final Told told = new Told();

        private Subscriber() {
            connection.takeSeat();
            channel.config().setAllocator(allocator);
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 1));
            channel.pipeline().addLast(wire, connection, connection.session());
            channel.pipeline().fireChannelActive();
        }

        Subscriber say(ByteBuffer frame) {
            channel.writeInbound(Unpooled.copiedBuffer(frame));
            return this;
        }

        Subscriber hello(HelloFrame.Builder hello) {
            return say(hello.build().encode());
        }

        Told told() {
            return told.add(wire.take());
        }

        void block() {
            wire.block();
        }

        void hangUp() {
            channel.finishAndReleaseAll();
            subscribers.remove(this);
        }

        void unblock() {
            wire.unblock(channel);
        }
    }
}
