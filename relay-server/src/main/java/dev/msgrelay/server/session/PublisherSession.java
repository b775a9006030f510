package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.transport.SegmentSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A publisher's connection: its life, and when it is read. What it brings is {@link PublisherInput}'s.
 *
 * <p>Where the ring has no room, or the log may not grow, it stops reading, and goes on when it is resumed. Owned by its
 * loop's thread.
 */
public final class PublisherSession extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final SessionContext context;
    private final Intake intake;
    private final PublisherInput input;

    private Channel channel;
    private SegmentSize segment;
    private ReadSwitch reads;
    private boolean paused;
    private boolean stopped;
    private volatile boolean quiet;
    private CloseReason closing;
    private boolean ended;

    public PublisherSession(SessionContext context, Intake intake, ByteBufAllocator allocator) {
        this.context = context;
        this.intake = intake;
        this.input = new PublisherInput(intake, allocator);
    }

    /** To be set on the channel before it is registered. */
    public io.netty.channel.RecvByteBufAllocator reads() {
        return new PublisherReads(this);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        segment = SegmentSize.of(channel);
        reads = new ReadSwitch(channel);
        context.connections().opened(this);
        if (context.connections().draining()) {
            stopReading();
        }
    }

    // ---- reading ----------------------------------------------------------------------------------------------

    /** Where the next read goes. */
    ByteBuf bufferForRead() {
        // With io_uring a read may be under way already, and must not be refused: a channel that fails in it never
        // closes.
        if (input.keeps() || ((paused || stopped) && intake.sharesBuffers())) {
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
            after(input.read(end));
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        input.giveBackBuffer();
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
        }
        if (!input.keeps()) {
            input.giveBackBuffer();
            quiet = stopped;
            if (ended) {
                input.release();
            } else if (!paused && !stopped) {
                reads.on();
            }
        }
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /** Tells the publisher what is wrong, and closes once it has had the time to read it. */
    private void fail(CloseReason reason, String text) {
        if (closing != null) {
            return;
        }
        closing = reason;
        context.connections().closed(this, reason, text);
        Farewell.say(channel, reason, text);
    }

    /** Closes the connection for a reason of the relay's. On the loop's thread. */
    public void close(CloseReason reason, String text) {
        fail(reason, text);
        channel.close();
    }

    /** No more is read from now on: the relay drains. On the loop's thread. */
    void stopReading() {
        stopped = true;
        reads.off();
        quiet = !input.keeps();
    }

    /** Whether it has stopped reading for good and everything it has read is in the ring. Any thread. */
    boolean quiet() {
        return quiet;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (closing == null) {
            int bytes = input.keeps() ? 0 : input.restBytes();
            closing = bytes > 0 ? CloseReason.TRUNCATED_FRAME : CloseReason.PEER_CLOSED;
            String of = input.restFrame() == 0 ? "a header" : input.restFrame() + " bytes";
            context.connections().closed(this, closing, bytes > 0 ? bytes + " of " + of + " dropped" : "");
        }
        ended = true;
        if (!input.keeps()) {
            input.release();
        }
        context.connections().channelGone();
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
        return SessionContext.peerName(channel);
    }
}
