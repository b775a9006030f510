package dev.msgrelay.server.publish;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.FrameException;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.access.Refusal;
import dev.msgrelay.server.connection.Closing;
import dev.msgrelay.server.connection.Dialogue;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.Services;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.connection.SessionRole;
import dev.msgrelay.server.connection.SessionState;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryLine;
import dev.msgrelay.server.net.SocketReads;
import dev.msgrelay.server.producers.NameTable;
import dev.msgrelay.server.producers.Producer;
import dev.msgrelay.server.producers.Replies;
import dev.msgrelay.server.publish.Intake.Wait;
import dev.msgrelay.server.stream.PacketLog;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The connection of a publisher. Passes on to its parts what the channel and the {@link Session} report. A read begins
 * in {@link SocketReads}, which asks the {@link Intake} for memory. Owned by its loop's thread, unless a method says
 * otherwise.
 */
public final class PublisherConnection extends ChannelInboundHandlerAdapter implements SessionRole {
    /** Bytes of the last frames to a publisher: the frames that are due, and an ERROR. */
    public static final int SAID_BYTES = Dialogue.MOST_BYTES + Closing.ERROR_BYTES;

    /** Bytes of a publisher's direct memory: a small begun frame, the replies, and the last frames to the publisher. */
    public static final int DIRECT_BYTES = FrameAssembler.SMALL + Replies.BYTES + SAID_BYTES;

    /**
     * The parts that all publishers of a relay share.
     *
     * @param readers the reader loops. A publisher without HELLO moves to the next of them after its first message, and
     *     its later messages go through the ring. If empty, publishers stay with the core. Owned by the core's thread
     */
    public record Shared(PacketLog log, NameTable names, MemoryLine line, Deque<ReaderLoop> readers) {}

    public record ReaderLoop(EngineLoop loop, Inlet inlet) {}

    private final Services services;
    private final Shared shared;
    private final Session session;
    private final FrameAssembler assembler;
    private final Producer producer;
    private final Intake intake;
    private boolean atReader;
    // The time of the last tick that found new bytes, and the number of bytes read until then.
    private long spokeNanos;
    private long spokeBytes;

    public PublisherConnection(Services services, Shared shared, Inlet coreInlet, ByteBufAllocator alloc) {
        this.services = services;
        this.shared = shared;
        session = new Session(services, Role.PUBLISHER, this, SAID_BYTES);
        assembler = new FrameAssembler(alloc, services.budget().pool(Part.CONNECTIONS), shared.line, coreInlet);
        producer = new Producer(session, services, shared.log, shared.names, this::goOnWithName);
        intake = new Intake(session, services, shared.line, assembler, producer, coreInlet);
    }

    public Session session() {
        return session;
    }

    /** Returns the reader, which provides the memory into which the socket or TLS reads. */
    public SocketReads.Reader reader() {
        return intake;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        intake.received((ByteBuf) msg);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        producer.speak();
        if (!atReader && !shared.readers.isEmpty() && session.state() == SessionState.PLAIN && intake.movable()) {
            ReaderLoop reader = shared.readers.pollFirst();
            shared.readers.addLast(reader);
            moveTo(reader);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        producer.speak();
        session.writabilityChanged();
    }

    private void moveTo(ReaderLoop reader) {
        atReader = true;
        intake.pauseForMove();
        session.moveTo(reader.loop(), () -> {
            intake.resumeAt(reader.inlet());
            if (services.table().draining()) {
                stopReading(0);
            }
        });
    }

    @Override
    public void opened() {
        intake.opened();
        spokeNanos = services.clock().nanoTime();
    }

    @Override
    public void greeted(HelloFrame said) throws FrameException {
        producer.greeted(said);
    }

    private void goOnWithName() {
        intake.goOnAfter(Wait.NAME);
    }

    @Override
    public Progress progress() {
        boolean listening = intake.waitsFor() == Wait.NOTHING;
        String begun = listening ? assembler.text() : "";
        boolean control = listening && assembler.beginsControl();
        boolean holdsUp = assembler.isLong() && shared.line.length() > 0;
        return new Progress(intake.messages(), intake.bytesRead(), begun, control, listening, holdsUp);
    }

    @Override
    public void tick(long nowNanos) {
        producer.speak();
        if (intake.waitsFor() == Wait.RATE && !session.rights().isPaused(nowNanos)) {
            intake.goOnAfter(Wait.RATE);
        }
        long silence = services.limits().publisherSilence().toNanos();
        if (intake.bytesRead() != spokeBytes
                || intake.waitsFor() != Wait.NOTHING
                || session.state().speaks()) {
            spokeBytes = intake.bytesRead();
            spokeNanos = nowNanos;
        } else if (silence > 0 && nowNanos - spokeNanos > silence) {
            session.close(
                    CloseReason.IDLE_TIMEOUT,
                    "nothing was published for " + TimeUnit.NANOSECONDS.toMillis(silence) + " ms");
        }
    }

    /** Stops reading, because the relay drains. A client that said HELLO is told after what time it will be closed. */
    public void stopReading(int closesInMillis) {
        if (!session.state().ended()) {
            intake.stopReading();
            producer.stopClaiming();
            session.goAway(CloseReason.SHUTDOWN, closesInMillis);
            producer.speak();
        }
    }

    /**
     * Acknowledges the messages, then tells the publisher why its connection ends. Subscribers must see the messages
     * first, so this waits for the end of the batch and, in a cluster, for the order. Meanwhile the socket is read, and
     * the bytes are dropped.
     */
    @Override
    public void lastWords(SessionState before, Refusal why) {
        boolean spoke = before.speaks();
        producer.ended(before);
        intake.release();
        Runnable words = () -> sayLast(spoke, why);
        if (producer.waitForOrder(words)) {
            Closing.closeLater(session.channel());
        } else if (intake.allShown()) {
            words.run();
        } else {
            producer.release();
            Closing.closeLater(session.channel());
            shared.names.whenShown(() -> session.execute(words));
        }
        if (spoke || why.reason() != CloseReason.SHUTDOWN) {
            intake.readToTheEnd();
        }
    }

    private void sayLast(boolean spoke, Refusal why) {
        producer.release();
        if (session.state() == SessionState.GONE) {
            return;
        }
        if (spoke) {
            producer.sayLast();
        }
        ChannelFuture said = Closing.say(session.channel(), why);
        if (why.reason() == CloseReason.SHUTDOWN && !spoke) {
            said.addListener(done -> session.channel().close());
        }
    }

    @Override
    public void release() {
        intake.release();
        producer.release();
    }

    /** Returns whether the publisher is not read because there is no room. */
    public boolean waitsForRoom() {
        return intake.waitsFor() == Wait.ROOM || intake.waitsFor() == Wait.DRAINING;
    }

    /** Returns whether reading has stopped, and all messages are handed in and have reached the publisher's level. */
    public boolean quiet() {
        return intake.waitsFor() == Wait.DRAINED && !producer.unsettled()
                || session.state().ended();
    }

    @Override
    public Report report(long headPosition) {
        Wait why = intake.waitsFor();
        String waitsFor = why == Wait.NOTHING ? "" : why.name().toLowerCase(Locale.ROOT);
        return new Report(
                waitsFor,
                Policy.RELAY_DEFAULT,
                0,
                "",
                0,
                0,
                0,
                ConnectionRow.LIVE,
                0,
                intake.messages(),
                intake.bytes(),
                0);
    }
}
