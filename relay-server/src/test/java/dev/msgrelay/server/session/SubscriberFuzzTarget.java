package dev.msgrelay.server.session;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.log.Mark;
import dev.msgrelay.server.log.PacketLog;
import dev.msgrelay.server.loop.RelayLoop;
import dev.msgrelay.server.transport.Transport;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;

/**
 * For a coverage-guided fuzzer: whatever a subscriber sends, and however it comes in pieces, its session answers or
 * closes, throws nothing, and leaves nothing of the log held.
 *
 * <pre>
 *   first byte: length of the pieces; the rest is what the subscriber sends
 * </pre>
 */
public final class SubscriberFuzzTarget {
    private static final int MESSAGES = 100;
    private static final int STRIDE = 1 << 16;
    private static final int ROUNDS = 200;

    private static final RelayLoop LOOP = new RelayLoop("fuzz", Transport.NIO.ioHandler());
    private static final BackpressureGate GATE = new BackpressureGate(1 << 20, LOOP);
    private static final PacketLog LOG = new PacketLog(UnpooledByteBufAllocator.DEFAULT, 16384, 1024, 300, GATE);
    private static final SessionContext CONTEXT = new SessionContext(
            LOG,
            16384,
            GATE,
            1_000_000_000L,
            new RelayIdentity(7, "relay", 1024),
            RelayConfig.builder().build().clients(),
            new Connections());

    static {
        LOOP.start(new RelayLoop.Work() {
            @Override
            public boolean run() {
                return false;
            }

            @Override
            public boolean pending() {
                return false;
            }
        });
        ByteBuffer frame = new Frames().frame(1, 300).nativeBuffer();
        for (int i = 0; i < MESSAGES; i++) {
            LOG.append(frame, 0, 308, 1);
            LOG.publish();
            LOG.packetStartsAt(0, 0);
        }
    }

    private SubscriberFuzzTarget() {}

    /** One input. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        SubscriberGroup group = new SubscriberGroup(LOG, null);
        SubscriberSession session = new SubscriberSession(CONTEXT, group);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 1));
        channel.pipeline().addLast(session);
        channel.pipeline().fireChannelActive();
        int piece = Math.max(1, data[0] & 0xFF);
        for (int at = 1; at < data.length && channel.isActive(); at += piece) {
            channel.writeInbound(Unpooled.copiedBuffer(data, at, Math.min(piece, data.length - at)));
            group.pump(true);
            channel.releaseOutbound();
        }
        Mark head = new Mark();
        LOG.head().read(head);
        int rounds = 0;
        while (session.send(head, STRIDE, 1, true)) {
            channel.releaseOutbound();
            if (++rounds > ROUNDS) {
                throw new AssertionError("sends for ever, from " + session.cursor());
            }
        }
        channel.finishAndReleaseAll();
        channel.checkException();
        GATE.remove(session);
        if (LOG.chunksAside() > 0) {
            throw new AssertionError("chunks still held");
        }
    }
}
