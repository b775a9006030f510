package dev.msgrelay.server.session;

import com.lmax.disruptor.BusySpinWaitStrategy;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.batch.NetworkBatchHandler;
import dev.msgrelay.server.batch.RunScan;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Control;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.log.Chunk;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.loop.RelayLoop;
import dev.msgrelay.server.ring.FrameRing;
import dev.msgrelay.server.transport.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Everything between a publisher's socket and the log, driven by hand on one thread: bytes go in in any pieces, what the
 * relay answers comes out, the log says what was taken, and time is a number.
 */
final class PublisherRig implements AutoCloseable {
    static final long EPOCH = 77;
    static final int MAX_BODY = 100_000;
    private static final int CELLS = 16_384;
    private static final int MAX_RUN = 256 << 10;
    private static final int CHUNK = 64 << 10;

    final RelayConfig config;
    final Connections connections = new Connections();
    final PublisherNames names;
    final PacketLog log;
    final FrameRing ring;
    final RingDrain drain;
    BooleanSupplier logMayGrow = () -> true;
    private final ByteBuf memory = Frames.direct(FrameRing.slabBytes(CELLS, MAX_RUN));
    private final RelayLoop loop = new RelayLoop("publisher-rig", Transport.NIO.ioHandler());
    private final Intake intake;
    private final SessionContext context;
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final List<Publisher> publishers = new ArrayList<>();

    PublisherRig() {
        this(PublisherNames.MAX_NAMES, RelayConfig.builder().build());
    }

    PublisherRig(int maxNames, RelayConfig config) {
        this.config = config;
        names = new PublisherNames(maxNames);
        loop.start(new RelayLoop.Work() {
            @Override
            public boolean run() {
                return false;
            }

            @Override
            public boolean pending() {
                return false;
            }
        });
        BackpressureGate gate = new BackpressureGate(1 << 20, loop);
        ring = new FrameRing(CELLS, MAX_RUN, memory, new BusySpinWaitStrategy());
        log = new PacketLog(allocator, 64 * CHUNK, CHUNK, 1460, position -> logMayGrow.getAsBoolean());
        HeldPublishers held = new HeldPublishers(ring, gate);
        NetworkBatchHandler handler = new NetworkBatchHandler(log, 1460, MAX_BODY, names);
        drain = new RingDrain(ring, handler, new SubscriberGroup(log, loop), new SubscriberGroup[0], gate, held, log);
        intake = new Intake(ring, log, drain, held, allocator, new RunScan(1460, MAX_BODY), true);
        context = new SessionContext(
                log,
                64L * CHUNK,
                gate,
                1_000_000_000L,
                new RelayIdentity(EPOCH, "relay", MAX_BODY),
                config.clients(),
                connections);
    }

    Publisher connect() {
        Publisher publisher = new Publisher();
        publishers.add(publisher);
        return publisher;
    }

    /** The end of a round of the loop, and what comes in before the next one ends. */
    void round() {
        drain.run();
        publishers.forEach(Publisher::deliver);
        drain.run();
        publishers.forEach(p -> p.channel.runPendingTasks());
    }

    void tick(long millis) {
        names.tick(millis * 1_000_000);
        connections.tickPublishers(millis * 1_000_000);
    }

    /** All of the stream. */
    byte[] stream() {
        int length = (int) log.head().position();
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at += CHUNK) {
            Chunk chunk = log.acquire(at);
            chunk.memory().getBytes(0, bytes, at, Math.min(CHUNK, length - at));
            chunk.release();
        }
        return bytes;
    }

    long messages() {
        Mark head = new Mark();
        log.head().read(head);
        return head.sequence() - 1;
    }

    long closed(CloseReason reason) {
        return connections.closes().getOrDefault(reason, 0L);
    }

    @Override
    public void close() {
        publishers.forEach(p -> p.channel.finishAndReleaseAll());
        round();
        intake.close();
        log.close();
        memory.release();
        try {
            loop.stop(1000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One connection. */
    final class Publisher {
        final PublisherSession session = new PublisherSession(context, intake, names, allocator);
        final EmbeddedChannel channel;
        private final Wire wire = new Wire();
        private final ByteArrayOutputStream inbox = new ByteArrayOutputStream();

        private Publisher() {
            channel = new EmbeddedChannel();
            channel.config().setAllocator(allocator);
            channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 1));
            channel.pipeline().addLast(wire, session);
            session.channelActive(channel.pipeline().context(session));
        }

        /** Bytes arrive, are read in as many reads as the session wants while it wants any; then the round ends. */
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
                ByteBuf buffer = session.bufferForRead();
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

        /** The peer reads nothing: what is written stays with the channel. */
        void block() {
            wire.blocked = true;
        }

        void unblock() {
            wire.blocked = false;
            channel.flush();
        }

        /** The peer is gone. */
        void hangUp() {
            channel.close();
            channel.runPendingTasks();
            publishers.remove(this);
        }

        /** What it was told since the last call of this. */
        List<Control> told() {
            ByteBuffer bytes = ByteBuffer.wrap(wire.written.toByteArray());
            wire.written.reset();
            return Control.all(bytes);
        }

        /** The only frame that it was told. */
        Control toldOnce(int type) {
            List<Control> told = told();
            if (told.size() != 1 || told.get(0).type() != type) {
                throw new AssertionError("told " + told + ", not one frame of type " + Integer.toHexString(type));
            }
            return told.get(0);
        }
    }

    /** The socket's other end: copies what is written once it is flushed. */
    private static final class Wire extends ChannelOutboundHandlerAdapter {
        final ByteArrayOutputStream written = new ByteArrayOutputStream();
        boolean blocked;
        private final List<byte[]> pending = new ArrayList<>();

        @Override
        public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
            ByteBuf bytes = (ByteBuf) msg;
            byte[] copy = new byte[bytes.readableBytes()];
            bytes.getBytes(bytes.readerIndex(), copy);
            pending.add(copy);
            ctx.write(msg, promise);
        }

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (!blocked) {
                pending.forEach(written::writeBytes);
                pending.clear();
                ctx.flush();
                EmbeddedChannel channel = (EmbeddedChannel) ctx.channel();
                for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
                    sent.release();
                }
            }
        }
    }
}
