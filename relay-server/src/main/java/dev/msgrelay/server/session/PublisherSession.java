package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.transport.SegmentSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A publisher's connection: its life, and when it is read. What it brings is {@link PublisherInput}'s, what it speaks of
 * itself {@link PublisherControl}'s.
 *
 * <p>Where the ring has no room, or the log may not grow, it stops reading, and goes on when it is resumed. Owned by its
 * loop's thread.
 */
public final class PublisherSession extends ChannelInboundHandlerAdapter {
    /** Direct memory that one that said HELLO takes for what it is told. */
    public static final int REPLY_BYTES = PublisherReplies.BYTES;

    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final SessionContext context;
    private final Intake intake;
    private final PublisherControl control;
    private final PublisherInput input;

    private Channel channel;
    private SegmentSize segment;
    private ReadSwitch reads;
    private boolean paused;
    private boolean stopped;
    private volatile boolean quiet;
    private CloseReason closing;
    private ChannelFuture farewell;
    private boolean ended;

    public PublisherSession(SessionContext context, Intake intake, PublisherNames names, ByteBufAllocator allocator) {
        this.context = context;
        this.intake = intake;
        this.control = new PublisherControl(context, names, this);
        this.input = new PublisherInput(intake, control, allocator);
    }

    /** To be set on the channel before it is registered. */
    public io.netty.channel.RecvByteBufAllocator reads() {
        return new PublisherReads(this);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        segment = SegmentSize.of(channel);
        reads = new ReadSwitch(channel, this::gone);
        control.connected(channel);
        context.connections().opened(this);
        if (context.connections().draining()) {
            stopReading(0);
        }
    }

    // ---- reading ----------------------------------------------------------------------------------------------

    /** Where the next read goes. */
    ByteBuf bufferForRead() {
        // With io_uring a read may be under way already, and must not be refused: a channel that fails in it never
        // closes.
        if (input.keeps() || (closing == null && (paused || stopped) && intake.sharesBuffers())) {
            throw reads.refuseRead();
        }
        return input.bufferForRead(segment.wholeUpTo(Intake.READ_BYTES));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf bytes = (ByteBuf) msg;
        int end = bytes.writerIndex();
        segment.written();
        bytes.release();
        if (closing == null && !stopped) {
            control.heard();
            after(input.read(end));
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        input.giveBackBuffer();
        control.send();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        control.send();
    }

    /** Told when a read has taken all it could. */
    void moreExpected() {
        if (!input.keeps() && closing == null) {
            intake.moreExpected();
        }
    }

    private void after(PublisherInput.Outcome outcome) {
        switch (outcome) {
            case KEPT -> holdBack();
            case EARLY -> reads.off();
            case ENDED -> {}
            case BROKEN -> fail(input.problem(), input.problemText());
            case TAKEN -> {
                if (intake.shouldPause()) {
                    pause();
                }
            }
        }
    }

    // ---- back pressure ----------------------------------------------------------------------------------------

    /** Reads no more until the log may grow again: what waits in the socket's own buffer costs nothing. */
    private void pause() {
        if (!paused && !ended) {
            paused = true;
            holdBack();
        }
    }

    private void holdBack() {
        reads.off();
        context.connections().heldBack();
        intake.hold(this);
    }

    /** Any thread. */
    void scheduleResume() {
        channel.eventLoop().execute(this::resume);
    }

    private void resume() {
        paused = false;
        if (input.keeps()) {
            after(input.readKept());
            control.send();
        }
        if (!input.keeps()) {
            input.giveBackBuffer();
            quiet = stopped;
            if (ended) {
                release();
            } else if (!paused && !stopped && channel.isOpen()) {
                reads.on();
            }
        }
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /** Tells the publisher what is wrong, and closes once it has had the time to read it. */
    void fail(CloseReason reason, String text) {
        if (closing != null) {
            return;
        }
        closing = reason;
        if (control.saidHello()) {
            // What it sent before is acknowledged before it is told that no more is.
            intake.pack();
            control.sendLast();
        }
        context.connections().closed(this, reason, text);
        farewell = Farewell.say(channel, reason, text);
    }

    /** Closes the connection for a reason of the relay's. On the loop's thread. */
    public void close(CloseReason reason, String text) {
        boolean waits = closing == null && control.saidHello() && !input.keeps();
        fail(reason, text);
        if (waits) {
            // It knows by now that it is to send nothing more, and closes when it has read the last ACK. What it has
            // sent
            // is thrown away meanwhile: left unread, it would have the ACK overtaken by a reset.
            reads.on();
        } else if (farewell != null) {
            farewell.addListener(said -> channel.close());
        } else {
            channel.close();
        }
    }

    /** The publisher has said ERROR. */
    void endedByPeer(String what) {
        closing = CloseReason.PEER_CLOSED;
        LOG.warn("publisher {} closes: {}", peer(), what);
        context.connections().closed(this, closing, what);
        channel.close();
    }

    /** A newer connection has its name: what is held back here was not accepted, and never will be. */
    void nameTaken(String name) {
        boolean off = paused || stopped || input.keeps();
        input.dropKept();
        quiet = stopped;
        if (closing == null) {
            fail(CloseReason.NAME_TAKEN, "another connection has said HELLO as " + name);
            if (off) {
                // To be thrown away, as always behind ERROR.
                reads.on();
            }
        } else if (ended) {
            release();
        }
    }

    /** A few times a second. On the loop's thread. */
    void tick(long nowNanos) {
        if (closing == null) {
            control.tick(nowNanos, !paused && !stopped && !input.keeps(), input.controlBegun());
        }
    }

    /**
     * No more is read from now on: the relay drains. On the loop's thread.
     *
     * @param closesInMillis what one that said HELLO is told
     */
    void stopReading(int closesInMillis) {
        stopped = true;
        reads.off();
        quiet = !input.keeps();
        if (closing == null) {
            control.goAway(closesInMillis);
        }
    }

    /** Whether it has stopped reading for good and everything it has read is in the ring. Any thread. */
    boolean quiet() {
        return quiet;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        gone();
    }

    private void gone() {
        if (ended) {
            return;
        }
        if (closing == null) {
            int bytes = input.keeps() ? 0 : input.restBytes();
            closing = bytes > 0 ? CloseReason.TRUNCATED_FRAME : CloseReason.PEER_CLOSED;
            String of = input.restFrame() == 0 ? "a header" : input.restFrame() + " bytes";
            context.connections().closed(this, closing, bytes > 0 ? bytes + " of " + of + " dropped" : "");
        }
        ended = true;
        if (closing == CloseReason.SHUTDOWN) {
            // The time is up, and nothing goes into the ring any more.
            input.dropKept();
        }
        if (!input.keeps()) {
            release();
        }
        context.connections().channelGone();
    }

    private void release() {
        input.release();
        control.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause == ReadSwitch.SwitchedOff.INSTANCE) {
            return;
        }
        if (closing == null) {
            closing = cause instanceof IOException ? CloseReason.CONNECTION_LOST : CloseReason.INTERNAL_ERROR;
            if (closing == CloseReason.INTERNAL_ERROR) {
                LOG.error("publisher {}", peer(), cause);
            }
            context.connections().closed(this, closing, String.valueOf(cause.getMessage()));
        }
        channel.close();
    }

    /** The loop's thread is where its state may be touched. */
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    /** The peer, for people. */
    public String peer() {
        return SessionContext.peerName(channel) + control.label();
    }
}
