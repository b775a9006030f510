package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.server.batch.RunScan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A publisher: finds the whole frames in what its socket brings, checks them and hands them in as one run. An incomplete
 * frame waits for its rest; it is never handed in.
 *
 * <pre>
 *   read buffer (the loop's):  |rest of last read| bytes read now ................. |
 *                              | frame | frame | frame | frame | part of a frame    |
 *                              `------- one run --------------'  `- kept in partial -'
 * </pre>
 *
 * Where the ring has no room, the session keeps the buffer, stops reading, and goes on when it is resumed. Owned by its
 * loop's thread.
 */
public final class PublisherSession extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /** An incomplete frame up to this length is moved in front of the next read; a longer one is read into on its own. */
    private static final int MOVE_BYTES = 64 << 10;

    private static final int FIRST_PARTIAL = 4 << 10;
    private static final int LINGER_MILLIS = 1000;

    private final SessionContext context;
    private final Intake intake;
    private final ByteBufAllocator allocator;

    private Channel channel;
    // What the channel reads into at present: the loop's buffer, taken for one read, or kept while held back.
    private ReadBuffer reading;
    private ReadBuffer partial;
    private int partialBytes;
    private int partialFrame;
    // Bytes in the buffer whose whole frames the ring had no room for; 0 while it is not held back.
    private int heldBytes;
    private boolean readWhileHeld;
    private CloseReason closing;
    private boolean ended;

    public PublisherSession(SessionContext context, Intake intake, ByteBufAllocator allocator) {
        this.context = context;
        this.intake = intake;
        this.allocator = allocator;
    }

    /** To be set on the channel before it is registered. */
    public io.netty.channel.RecvByteBufAllocator reads() {
        return new PublisherReads(this);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
        context.connections().opened(this);
    }

    // ---- reading ----------------------------------------------------------------------------------------------

    /** Where the next read goes. Netty releases what it is given, so it is counted once more. */
    ByteBuf bufferForRead() {
        if (heldBytes > 0) {
            // A half-closed socket is read once more even though reading is switched off: end that, nothing is lost.
            readWhileHeld = true;
            throw HeldBack.INSTANCE;
        }
        ReadBuffer buffer = partialFrame > MOVE_BYTES ? partial : loopBuffer();
        ByteBuf memory = buffer.memory();
        if (buffer == partial) {
            memory.setIndex(0, partialBytes);
            // Not behind the end of the frame: what follows belongs into the loop's buffer.
            return memory.capacity() == partialFrame ? memory.retain() : limited(memory);
        }
        memory.setIndex(0, 0);
        if (partialBytes > 0) {
            memory.writeBytes(partial.memory(), 0, partialBytes);
        }
        return memory.retain();
    }

    private ByteBuf limited(ByteBuf memory) {
        return memory.retainedSlice(0, partialFrame).setIndex(0, partialBytes);
    }

    private ReadBuffer loopBuffer() {
        if (reading == null) {
            reading = intake.take();
        }
        return reading;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf bytes = (ByteBuf) msg;
        int length = bytes.writerIndex();
        bytes.release();
        if (closing == null) {
            handIn(length);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (heldBytes == 0 && intake.sharesBuffers()) {
            giveBackBuffer();
        }
    }

    void moreExpected() {
        if (heldBytes == 0 && closing == null) {
            intake.moreExpected(true);
        }
    }

    /** Looks for frames in the first {@code length} bytes of what was read into. */
    private void handIn(int length) {
        ReadBuffer buffer = partialFrame > MOVE_BYTES ? partial : reading;
        RunScan scan = intake.scan(buffer.view(), length);
        if (scan.end() > 0 && !intake.offer(buffer.view(), scan)) {
            hold(length);
            return;
        }
        keepRest(buffer, scan, length);
        if (scan.problem() != null) {
            fail(scan.problem(), scan.problemText());
        }
    }

    private void keepRest(ReadBuffer buffer, RunScan scan, int length) {
        // Behind a broken frame nothing is kept: what still comes is read and thrown away.
        int rest = scan.problem() == null ? length - scan.end() : 0;
        int frame = scan.incompleteFrame();
        if (rest > 0) {
            ReadBuffer to = roomFor(Math.max(frame, rest));
            if (to != buffer || scan.end() > 0) {
                buffer.memory().getBytes(scan.end(), to.memory(), 0, rest);
            }
            if (to != partial && partial != null && partial != buffer) {
                partial.release();
            }
            partial = to;
        }
        partialBytes = rest;
        partialFrame = rest > 0 ? frame : 0;
        if (rest == 0 && partial != null && partial.capacity() > MOVE_BYTES) {
            // A large frame is done; the next one may be long in coming.
            partial.release();
            partial = null;
        }
    }

    private ReadBuffer roomFor(int bytes) {
        if (partial != null && partial.capacity() >= bytes) {
            return partial;
        }
        return new ReadBuffer(allocator, Math.max(bytes, FIRST_PARTIAL));
    }

    // ---- back pressure ----------------------------------------------------------------------------------------

    private void hold(int length) {
        heldBytes = length;
        channel.config().setAutoRead(false);
        context.connections().heldBack();
        intake.hold(this);
    }

    /** Any thread. */
    void scheduleResume() {
        channel.eventLoop().execute(this::resume);
    }

    private void resume() {
        if (heldBytes == 0) {
            return;
        }
        int length = heldBytes;
        heldBytes = 0;
        handIn(length);
        if (heldBytes == 0) {
            if (intake.sharesBuffers()) {
                giveBackBuffer();
            }
            if (ended) {
                releaseAll();
            } else if (readWhileHeld) {
                readWhileHeld = false;
                readAgainFromScratch();
            } else {
                channel.config().setAutoRead(true);
            }
        }
    }

    /**
     * Netty's epoll transport forgets a socket that ended while it was not read: no event of it is of interest any more,
     * so it is taken out of the epoll set, and switching reading on again then fails. Registered anew it is read to its
     * end.
     */
    @SuppressWarnings("deprecation") // as in Listener: a loop of one's own
    private void readAgainFromScratch() {
        EventLoop loop = channel.eventLoop();
        channel.deregister().addListener(done -> {
            channel.config().setAutoRead(true);
            loop.register(channel);
        });
    }

    // ---- the end ----------------------------------------------------------------------------------------------

    /** Tells the publisher what is wrong, and closes once it has had the time to read it. */
    private void fail(CloseReason reason, String text) {
        if (closing != null) {
            return;
        }
        closing = reason;
        context.connections().closed(this, reason, text);
        channel.writeAndFlush(Unpooled.wrappedBuffer(ErrorFrame.encode(reason, text)));
        if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        }
        // Closing with unread input resets the connection, and the reset may overtake the error: read on for a while.
        channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Closes the connection for a reason of the relay's. On the loop's thread. */
    public void close(CloseReason reason, String text) {
        fail(reason, text);
        channel.close();
    }

    /** No more is read from now on: the relay drains. On the loop's thread. */
    public void stopReading() {
        channel.config().setAutoRead(false);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (closing == null) {
            boolean cut = partialBytes > 0 && heldBytes == 0;
            closing = cut ? CloseReason.TRUNCATED_FRAME : CloseReason.PEER_CLOSED;
            String missing = partialFrame == 0 ? "a header" : partialFrame + " bytes";
            context.connections().closed(this, closing, cut ? partialBytes + " of " + missing + " dropped" : "");
        }
        ended = true;
        if (heldBytes == 0) {
            releaseAll();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause == HeldBack.INSTANCE) {
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

    private void giveBackBuffer() {
        if (reading != null) {
            intake.giveBack(reading);
            reading = null;
        }
    }

    private void releaseAll() {
        giveBackBuffer();
        if (partial != null) {
            partial.release();
            partial = null;
        }
        partialBytes = 0;
        partialFrame = 0;
    }

    /** Whether it is held back because the ring had no room. */
    public boolean heldBack() {
        return heldBytes > 0;
    }

    /** The loop's thread is where its state may be touched. */
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    /** The peer, for people. */
    public String peer() {
        return SessionContext.peerName(channel);
    }

    /** Ends a read that Netty does although reading is switched off. No stack trace: it says nothing. */
    private static final class HeldBack extends RuntimeException {
        private static final long serialVersionUID = 1L;
        static final HeldBack INSTANCE = new HeldBack();

        private HeldBack() {
            super("held back", null, false, false);
        }
    }
}
