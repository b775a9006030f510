package dev.msgrelay.server.publish;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.assembly.NoJournal;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.connection.Durability;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.figures.TimeHistogram;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Hello;
import dev.msgrelay.server.harness.ScarceAllocator;
import dev.msgrelay.server.harness.Wire;
import dev.msgrelay.server.journal.format.JournalName;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.stream.Chunk;
import dev.msgrelay.server.stream.FrameRing;
import dev.msgrelay.server.stream.Mark;
import dev.msgrelay.server.stream.NetworkBatchHandler;
import dev.msgrelay.server.stream.PacketLog;
import dev.msgrelay.server.stream.RunScan;
import dev.msgrelay.server.stream.WaitingSources;
import dev.msgrelay.server.stream.WindowGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Everything between a publisher's socket and the log, driven by hand on one thread: bytes go in in any pieces, what
 * the relay answers comes out, the log says what was taken, and time is a number.
 */
final class PublisherRig implements AutoCloseable {
    static final long EPOCH = 77;
    static final int MAX_BODY = 100_000;
    /** Long frames that can be put together at once. */
    static final int LONG_FRAMES = 2;

    private static final int CELLS = 16_384;
    private static final int MAX_RUN = 256 << 10;
    private static final int CHUNK = 64 << 10;
    private static final int PACKET = 1460;
    /** Buffers for begun frames of up to 64 KiB. */
    static final int SHORTS = 4;

    final NameTable names;
    final PacketLog log;
    final FrameRing ring;
    final NetworkBatchHandler handler;
    final MemoryBudget budget;
    final MemoryLine line;
    BooleanSupplier logMayGrow = () -> true;
    private final MockTicker clock = Ticker.newMockTicker();
    private final ByteBuf memory = Frames.direct(FrameRing.slabBytes(CELLS, MAX_RUN));
    private final WaitingSources waiting;
    private final Inlet inlet;
    private final Services services;
    private final PublisherConnection.Shared shared;
    final ScarceAllocator ofConnections = new ScarceAllocator();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final List<Publisher> publishers = new ArrayList<>();

    PublisherRig() {
        this(JournalName.MOST, RelayConfig.builder().build());
    }

    PublisherRig(int maxNames, RelayConfig config) {
        this(maxNames, config, new NoJournal(EPOCH));
    }

    PublisherRig(Durability durability) {
        this(JournalName.MOST, RelayConfig.builder().build(), durability);
        durability.onMoved(names::journalMoved);
    }

    PublisherRig(HeldOrderer orderer) {
        this(JournalName.MOST, RelayConfig.builder().build(), new NoJournal(EPOCH), orderer);
    }

    private PublisherRig(int maxNames, RelayConfig config, Durability durability) {
        this(maxNames, config, durability, null);
    }

    private PublisherRig(int maxNames, RelayConfig config, Durability durability, HeldOrderer orderer) {
        budget = new MemoryBudget(Map.of(
                Part.CONNECTIONS,
                1000L * (FrameAssembler.SMALL + PublisherConnection.SAID_BYTES),
                Part.SESSIONS,
                1000L * Session.HEAP_BYTES,
                Part.NAMES,
                (long) maxNames * NameTable.BYTES_PER_NAME,
                Part.RESTS,
                (long) SHORTS * FrameAssembler.SHORT,
                Part.FRAMES,
                LONG_FRAMES * (MAX_BODY + 8L + 1024)));
        names = new NameTable(
                budget.pool(Part.NAMES),
                config.limits().nameHold().toNanos(),
                clock::nanoTime,
                new TimeHistogram(Counters.BOUNDS));
        line = new MemoryLine(budget.pool(Part.FRAMES));
        ring = new FrameRing(CELLS, MAX_RUN, memory, () -> {});
        log = new PacketLog(
                allocator, 64 * CHUNK, CHUNK, PACKET, 4, MAX_RUN, position -> logMayGrow.getAsBoolean(), Mark.of(0, 1));
        waiting = new WaitingSources(() -> true, clock::nanoTime);
        WindowGate gate = new WindowGate(1, null, null);
        RunScan scan = new RunScan(PACKET, MAX_BODY);
        handler = new NetworkBatchHandler(ring, log, gate, scan, clock::nanoTime, nanos -> {});
        LoopBuffers buffers = new LoopBuffers(allocator, budget, SHORTS);
        if (orderer == null) {
            inlet = new Inlet.InPlace(handler, log, names, new RunScan(PACKET, MAX_BODY), waiting, buffers);
        } else {
            inlet = new Inlet.ToOrderer(orderer, waiting, RunScan.unpacked(MAX_BODY), buffers);
            handler.decidedBy(orderer);
            names.decidedBy(orderer);
            orderer.into(handler, log);
        }
        services = Services.of(new RelayIdentity("relay", MAX_BODY), durability, config, budget, clock);
        shared = new PublisherConnection.Shared(log, names, line, new ArrayDeque<>());
    }

    Publisher connect() {
        Publisher publisher = new Publisher();
        publishers.add(publisher);
        return publisher;
    }

    Publisher welcomed(Hello hello) {
        Publisher publisher = connect().read(hello);
        publisher.told();
        return publisher;
    }

    /** The end of a cycle of the loop, and what comes in before the next one ends. */
    void round() {
        duty();
        publishers.forEach(p -> p.channel.runPendingTasks());
        publishers.forEach(Publisher::deliver);
        duty();
        publishers.forEach(p -> p.channel.runPendingTasks());
    }

    private void duty() {
        handler.drain();
        names.acknowledge();
        if (inlet.hasRoom()) {
            waiting.resumeIfRoom();
        }
    }

    void tick(long millis) {
        clock.advance(TimeUnit.MILLISECONDS.toNanos(millis) - clock.nanoTime(), TimeUnit.NANOSECONDS);
        services.table().live().forEach(c -> c.tick(clock.nanoTime()));
    }

    byte[] stream() {
        return stream(0);
    }

    byte[] stream(long from) {
        byte[] bytes = new byte[(int) (log.head().position() - from)];
        int done = 0;
        while (done < bytes.length) {
            Chunk chunk = log.acquire(from + done);
            int at = (int) ((from + done) % CHUNK);
            int length = Math.min(CHUNK - at, bytes.length - done);
            chunk.memory().getBytes(at, bytes, done, length);
            chunk.release();
            done += length;
        }
        return bytes;
    }

    long used(Part part) {
        return budget.pool(part).used();
    }

    long messages() {
        return log.lastSequence();
    }

    Map<CloseReason, Long> closes() {
        return services.closes().closes();
    }

    long closed(CloseReason reason) {
        return closes().getOrDefault(reason, 0L);
    }

    long duplicates() {
        return services.counters().sum(Counter.DUPLICATES);
    }

    /** What is reserved for connections and their frames; buffers that are kept for the next are not. */
    long reserved() {
        return used(Part.CONNECTIONS) + used(Part.FRAMES);
    }

    @Override
    public void close() {
        publishers.forEach(p -> p.channel.finishAndReleaseAll());
        round();
        inlet.buffers().close();
        log.close();
        memory.release();
        if (ofConnections.usedDirectMemory() != 0) {
            throw new AssertionError("still allocated: " + ofConnections.usedDirectMemory());
        }
        if (reserved() != 0 || used(Part.RESTS) != 0) {
            throw new AssertionError("still reserved: " + reserved() + " and " + used(Part.RESTS));
        }
    }

    final class Publisher {
        final PublisherConnection connection = new PublisherConnection(services, shared, inlet, ofConnections);
        final EmbeddedChannel channel;
        private final Wire wire = new Wire();
        private final ByteArrayOutputStream inbox = new ByteArrayOutputStream();

        private Publisher() {
            channel = new EmbeddedChannel();
            channel.config().setAllocator(allocator);
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 1));
            channel.pipeline().addLast(wire, connection, connection.session());
            channel.pipeline().fireChannelActive();
        }

        /** Bytes arrive, are read in as many reads as the connection wants while it wants any; then the cycle ends. */
        Publisher read(byte[] bytes) {
            inbox.writeBytes(bytes);
            deliver();
            round();
            return this;
        }

        private void deliver() {
            byte[] bytes = inbox.toByteArray();
            int at = 0;
            while (at < bytes.length && channel.isOpen() && channel.config().isAutoRead()) {
                SocketReads.Reader reader = connection.reader();
                ByteBuf buffer = reader.whereToRead();
                if (buffer == null) {
                    // As Netty's transports do.
                    reader.refused();
                    channel.pipeline().fireExceptionCaught(SocketReads.Refused.INSTANCE);
                    break;
                }
                int part = Math.min(bytes.length - at, buffer.writableBytes());
                buffer.writeBytes(bytes, at, part);
                at += part;
                channel.pipeline().fireChannelRead(buffer);
            }
            inbox.reset();
            inbox.write(bytes, at, bytes.length - at);
            if (at > 0) {
                channel.pipeline().fireChannelReadComplete();
            }
            channel.runPendingTasks();
        }

        Publisher read(Frames frames) {
            return read(frames.bytes());
        }

        Publisher read(Hello hello) {
            return read(hello.bytes());
        }

        Publisher read(Hello hello, Frames frames) {
            return read(new Frames().raw(hello.bytes()).raw(frames.bytes()));
        }

        String waitsFor() {
            return connection.report(0).waitsFor();
        }

        void block() {
            wire.block();
        }

        void unblock() {
            wire.unblock(channel);
        }

        void hangUp() {
            channel.close();
            channel.runPendingTasks();
            publishers.remove(this);
        }

        List<Control> told() {
            ByteBuffer bytes = ByteBuffer.wrap(wire.take());
            return Control.all(bytes);
        }

        Control toldOnce(int type) {
            List<Control> told = told();
            if (told.size() != 1 || told.get(0).type() != type) {
                throw new AssertionError("told " + told + ", not one frame of type " + Integer.toHexString(type));
            }
            return told.get(0);
        }
    }
}
