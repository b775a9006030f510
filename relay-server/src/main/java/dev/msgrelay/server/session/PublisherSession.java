package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.server.batch.RunScan;
import dev.msgrelay.server.transport.SegmentSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
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
    static final int MOVE_BYTES = 64 << 10;

    private static final int FIRST_PARTIAL = 4 << 10;

    private final SessionContext context;
    private final Intake intake;
    private final ByteBufAllocator allocator;

    private Channel channel;
    private SegmentSize segment;
    // What the last read went to: a part of the log, the loop's buffer, or the incomplete frame's own.
    private ByteBuffer readView;
    private int readStart;
    private boolean inPlace;
    // The loop's buffer, taken for one read, or kept while held back.
    private ReadBuffer reading;
    private ReadBuffer partial;
    private int partialBytes;
    private int partialFrame;
    // Bytes in the buffer whose whole frames the ring had no room for; 0 while it is not held back.
    private int heldBytes;
    private boolean paused;
    private boolean readWhileHeld;
    private boolean stopped;
    private volatile boolean quiet;
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
        segment = SegmentSize.of(channel);
        context.connections().opened(this);
        if (context.connections().draining()) {
            stopReading();
        }
    }

    // ---- reading ----------------------------------------------------------------------------------------------

    /** Where the next read goes. Netty releases what it is given, so it is counted once more. */
    ByteBuf bufferForRead() {
        // With io_uring a read may be under way already, and must not be refused: a channel that fails in it never
        // closes.
        if (heldBytes > 0 || ((paused || stopped) && intake.sharesBuffers())) {
            // A half-closed socket is read once more even though reading is switched off: end that, nothing is lost.
            readWhileHeld = true;
            throw HeldBack.INSTANCE;
        }
        readStart = 0;
        inPlace = false;
        if (partialFrame > MOVE_BYTES) {
            // Not behind the end of the frame: what follows belongs elsewhere.
            readView = partial.view();
            return partial.window(partialFrame).setIndex(0, partialBytes).retain();
        }
        int room = partialBytes + segment.wholeUpTo(Intake.READ_BYTES);
        ByteBuf memory = intake.inPlace(partialBytes, room);
        if (memory == null) {
            memory = loopBuffer().window(partialBytes + intake.copiedRead());
            readView = reading.view();
        } else {
            inPlace = true;
            readStart = memory.writerIndex();
            readView = intake.inPlaceView();
        }
        if (partialBytes > 0) {
            memory.writeBytes(partial.memory(), 0, partialBytes);
        }
        return memory.retain();
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
        int length = bytes.writerIndex() - readStart;
        segment.written();
        bytes.release();
        if (closing == null && !stopped) {
            handIn(length);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (heldBytes == 0 && intake.sharesBuffers()) {
            giveBackBuffer();
        }
    }

    /** Told when a read has taken all it could. */
    void moreExpected() {
        if (heldBytes == 0 && closing == null) {
            intake.moreExpected();
        }
    }

    /** Looks for frames in the {@code length} bytes that lie where the last read went. */
    private void handIn(int length) {
        RunScan scan = intake.scan(readView, readStart, length, inPlace);
        boolean restKept = inPlace;
        if (restKept) {
            // The rest lies where the log goes on: with the offer, others' messages may be written over it.
            keepRest(scan, length);
        }
        if (scan.end() > 0 && !intake.offer(readView, readStart, scan, inPlace)) {
            hold(length);
            return;
        }
        if (!restKept) {
            keepRest(scan, length);
        }
        if (scan.problem() != null) {
            fail(scan.problem(), scan.problemText());
        } else if (intake.shouldPause()) {
            pause();
        }
    }

    private void keepRest(RunScan scan, int length) {
        int rest = scan.problem() == null ? length - scan.end() : 0;
        int frame = scan.incompleteFrame();
        if (rest > 0) {
            boolean alreadyThere = partial != null && readView == partial.view() && partial.capacity() >= frame;
            if (!alreadyThere) {
                ReadBuffer old = partial;
                partial = roomFor(Math.max(frame, rest));
                partial.view().put(0, readView, readStart + scan.end(), rest);
                if (old != null && old != partial) {
                    old.release();
                }
            }
        } else if (partial != null && partial.capacity() > MOVE_BYTES) {
            // A large frame is done; the next one may be long in coming.
            partial.release();
            partial = null;
        }
        partialBytes = rest;
        partialFrame = rest > 0 ? frame : 0;
    }

    private ReadBuffer roomFor(int bytes) {
        if (partial != null && partial.capacity() >= bytes) {
            return partial;
        }
        return new ReadBuffer(allocator, Math.max(bytes, FIRST_PARTIAL));
    }

    // ---- back pressure ----------------------------------------------------------------------------------------

    /** Reads no more until the log may grow again: what waits in the socket's own buffer costs nothing. */
    private void pause() {
        if (!paused && !ended) {
            paused = true;
            channel.config().setAutoRead(false);
            context.connections().heldBack();
            intake.hold(this);
        }
    }

    private void hold(int length) {
        if (inPlace) {
            // The log goes on while this waits: it moves out of the way.
            ReadBuffer own = loopBuffer();
            own.view().put(0, readView, readStart, length);
            readView = own.view();
            readStart = 0;
            inPlace = false;
        }
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
        paused = false;
        int length = heldBytes;
        if (length > 0) {
            heldBytes = 0;
            handIn(length);
        }
        if (heldBytes == 0) {
            if (intake.sharesBuffers()) {
                giveBackBuffer();
            }
            quiet = stopped;
            if (ended) {
                releaseAll();
            } else if (!paused && !stopped) {
                readAgain();
            }
        }
    }

    /**
     * Netty's epoll transport forgets a socket that ended while it was not read: no event of it is of interest any more,
     * so it is taken out of the epoll set, and switching reading on again then fails. Registered anew it is read to its
     * end.
     */
    @SuppressWarnings("deprecation") // as in Listener: a loop of one's own
    private void readAgain() {
        if (!readWhileHeld) {
            channel.config().setAutoRead(true);
            return;
        }
        readWhileHeld = false;
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
        channel.config().setAutoRead(false);
        quiet = heldBytes == 0;
    }

    /** Whether it has stopped reading for good and everything it has read is in the ring. Any thread. */
    boolean quiet() {
        return quiet;
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
        context.connections().channelGone();
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
