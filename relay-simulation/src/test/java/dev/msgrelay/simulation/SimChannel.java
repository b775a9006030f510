package dev.msgrelay.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Set;

/**
 * A socket as Netty's epoll transport shows it, with a peer that is part of the test. What epoll does is done here in
 * the same order: OUT, then IN, then RDHUP; after RDHUP it reads to the end whatever reading is switched to; a socket
 * that is interested in nothing falls out of the set, and only a new registration brings it back.
 *
 * <pre>
 *   peer --deliver, finish, reset--> | arrived bytes | --read--> pipeline
 *   peer <-------- took ------------ | room          | <--doWrite-- ChannelOutboundBuffer
 * </pre>
 */
final class SimChannel extends AbstractChannel implements DuplexChannel {
    interface Other {
        /** The relay has read so many bytes. */
        default void wasRead(int length) {}

        /** The socket has taken these bytes. */
        default void took(byte[] bytes) {}

        /** A loop of the relay has it, for the first time or again. */
        default void registered() {}

        /** A write begins. */
        default void beforeWrite() {}

        /** The relay cuts it off, since what it holds is needed. */
        default void cutOff() {}

        /** The relay has closed the socket, or its output. */
        default void ended(boolean whole) {}
    }

    private static final int IN = 1;
    private static final int OUT = 2;
    private static final int RDHUP = 4;
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    /** Once for each event of epoll, and some more where it is registered anew. */
    private static final int MOST_ENDS_IN_VAIN = 8;

    private static final String FAULT = "a fault that the simulation made";

    /** Those that would hardly ever be hit by a count of calls. */
    private static final Set<String> RARE_STEPS =
            Set.of("publisher.whereToRead", "publisher.granted", "publisher.resume", "subscriber.moveTo");

    /** A name that is the same in each run of a seed. */
    private record Id(int number) implements ChannelId {
        @Override
        public String asShortText() {
            return Integer.toHexString(number);
        }

        @Override
        public String asLongText() {
            return asShortText();
        }

        @Override
        public int compareTo(ChannelId other) {
            return Integer.compare(number, ((Id) other).number);
        }
    }

    private enum Membership {
        OUTSIDE,
        INSIDE,
        /** Taken out since it was interested in nothing. */
        FORGOTTEN
    }

    private final World world;
    private final SocketAddress local;
    private final SocketAddress remote;
    private final Config config = new Config();
    Other other;
    // The loop that has it; null: none has.
    SimLoop at;

    private boolean open = true;
    private int ops = RDHUP;
    private Membership membership = Membership.OUTSIDE;
    private boolean readPending;
    private boolean receivedRdHup;
    private boolean inputShutdown;
    private boolean outputShutdown;
    // How often the relay has read the end of the input, and how often in a row while the socket took nothing.
    private int endsRead;
    private int endsReadInVain;

    // From the peer.
    private final ByteBuf arrived = Unpooled.buffer();
    private boolean finished;
    private boolean reset;
    private boolean resetTold;
    private boolean throwsOnce;
    private boolean throwsOnWrite;
    // Calls of the relay's own until one of them throws; 0: none does.
    private int callsToFault;

    // To the peer.
    long room;
    long taken;

    /** @param local see {@code SegmentSize}: an address of TCP that is none of this host's, or null */
    SimChannel(World world, int number, SocketAddress local, SocketAddress remote) {
        super(null, new Id(number));
        this.world = world;
        this.local = local;
        this.remote = remote;
    }

    /** The relay's process has gone: whatever is left of it does nothing that anybody sees. */
    void relayGone() {
        other = new Other() {};
        throwsOnce = false;
        throwsOnWrite = false;
        callsToFault = 0;
        reset();
    }

    /** Bytes have come: all that are left of these. */
    void deliver(ByteBuf bytes) {
        arrived.discardSomeReadBytes().writeBytes(bytes);
    }

    int unread() {
        return arrived.readableBytes();
    }

    void finish() {
        finished = true;
    }

    /** The peer, or something on the way, breaks the connection. */
    void reset() {
        reset = true;
        finished = true;
    }

    /**
     * The next read, the next write, or one of the relay's next calls throws what no socket throws; or only a rare
     * step.
     */
    void throwOnce(boolean onlyWhenItGoesOn) {
        int what = onlyWhenItGoesOn ? 2 : world.below(5);
        throwsOnce |= what == 0;
        throwsOnWrite |= what == 1;
        world.injected += what == 0 ? 1 : 0;
        if (what > 1) {
            callsToFault = onlyWhenItGoesOn ? Integer.MAX_VALUE : 1 + world.skewed(7);
        }
    }

    /**
     * Counts a call of one of the relay's own steps down to the one that throws: whatever a connection is doing at the
     * time has gone wrong half way. Netty's own calls do not count, since what it throws to itself is not the relay's.
     *
     * @param rare whether the one that throws has come, however many were to come before
     */
    private void step(boolean rare) {
        if (callsToFault > 0 && !world.calm) {
            String step = Steps.ofCaller();
            if (step != null && (rare || RARE_STEPS.contains(step) || --callsToFault == 0)) {
                callsToFault = 0;
                world.injected++;
                world.saw(step, 1);
                world.trace(step, "throws", 0, 0);
                // What no step throws, nor any exception: the one wall is there for both.
                if (world.onceIn(3)) {
                    throw new Error("an error that the simulation made");
                }
                throw new RuntimeException(FAULT);
            }
        }
    }

    /** The peer has read: so many bytes more may be written. */
    void read(long bytes) {
        room = Math.min(Long.MAX_VALUE / 2, room + bytes);
    }

    private int events() {
        if (membership != Membership.INSIDE) {
            return 0;
        }
        int events = 0;
        if ((ops & OUT) != 0 && (room > 0 || reset)) {
            events |= OUT;
        }
        if ((ops & IN) != 0 && (arrived.isReadable() || finished || throwsOnce)) {
            events |= IN;
        }
        if ((ops & RDHUP) != 0 && finished) {
            events |= RDHUP;
        }
        if (reset && !resetTold) {
            // EPOLLERR comes unasked.
            events |= IN | OUT;
        }
        return events;
    }

    boolean ready() {
        return events() != 0;
    }

    void handle() {
        int events = events();
        if ((events & OUT) != 0) {
            simUnsafe().outReady();
        }
        if ((events & IN) != 0) {
            simUnsafe().inReady();
        }
        if ((events & RDHUP) != 0) {
            simUnsafe().rdHupReady();
        }
    }

    private void submit(int newOps) {
        if (newOps == ops) {
            return;
        }
        if (membership == Membership.FORGOTTEN) {
            throw new UncheckedIOException(new IOException("epoll_ctl: not in the set"));
        }
        ops = newOps;
        if (membership == Membership.INSIDE && ops == 0) {
            membership = Membership.FORGOTTEN;
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new SimUnsafe();
    }

    private SimUnsafe simUnsafe() {
        return (SimUnsafe) super.unsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return true;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        SimLoop to = world.loopOf(eventLoop());
        if (to.isCurrent()) {
            register(to, promise);
        } else {
            // All loops have one thread here. With threads of their own, this would be a task of the other one, too.
            to.loop.io().execute(() -> register(to, promise));
        }
    }

    private void register(SimLoop to, ChannelPromise promise) {
        if (!open) {
            promise.setFailure(new ClosedChannelException());
            return;
        }
        at = to;
        at.channels.add(this);
        membership = Membership.INSIDE;
        other.registered();
        promise.setSuccess();
    }

    @Override
    protected void doDeregister() {
        if (at != null) {
            at.channels.remove(this);
            at = null;
        }
        membership = Membership.OUTSIDE;
        ops = RDHUP;
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        submit(ops | IN);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
        other.beforeWrite();
        while (true) {
            ByteBuf buffer = (ByteBuf) out.current();
            if (buffer == null) {
                submit(ops & ~OUT);
                return;
            }
            // Netty ends an output whose write has failed, and would be told for ever that it can be written to.
            if (reset) {
                resetTold = true;
                submit(ops & ~OUT);
                throw new IOException("Broken pipe");
            }
            if (throwsOnWrite) {
                throwsOnWrite = false;
                submit(ops & ~OUT);
                throw new RuntimeException(FAULT);
            }
            int length = (int) Math.min(room, buffer.readableBytes());
            if (length > 1 && !world.calm && world.onceIn(16)) {
                length = 1 + world.skewed(length - 1);
            }
            if (buffer.isReadable() && length == 0) {
                submit(ops | OUT);
                return;
            }
            room -= length;
            taken += length;
            endsReadInVain = 0;
            other.took(ByteBufUtil.getBytes(buffer, buffer.readerIndex(), length));
            out.removeBytes(length);
            if (length == 0) {
                out.remove();
            }
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        ByteBuf buffer = (ByteBuf) message;
        if (buffer.isDirect()) {
            return buffer;
        }
        // As Netty's native transports do.
        ByteBuf direct =
                config.getAllocator().directBuffer(buffer.readableBytes(), Math.max(1, buffer.readableBytes()));
        direct.writeBytes(buffer);
        buffer.release();
        return direct;
    }

    private final class SimUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException());
        }

        @Override
        protected void flush0() {
            // What waits for room is written when there is.
            if ((ops & OUT) == 0) {
                super.flush0();
            }
        }

        void outReady() {
            if (!outputShutdown) {
                super.flush0();
            }
        }

        void rdHupReady() {
            receivedRdHup = true;
            if (!isActive()) {
                shutdownInput();
            } else {
                inReady();
            }
            try {
                submit(ops & ~RDHUP);
            } catch (UncheckedIOException e) {
                pipeline().fireExceptionCaught(e.getCause());
                close(voidPromise());
            }
        }

        void inReady() {
            if (inputShutdown) {
                clearIn();
            } else {
                read();
            }
        }

        private void read() {
            RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) recvBufAllocHandle();
            ChannelPipeline pipeline = pipeline();
            handle.reset(config);
            ByteBuf buffer = null;
            boolean allRead = false;
            try {
                do {
                    buffer = handle.allocate(config.getAllocator());
                    handle.lastBytesRead(readInto(buffer, handle));
                    if (handle.lastBytesRead() <= 0) {
                        buffer.release();
                        buffer = null;
                        allRead = handle.lastBytesRead() < 0;
                        readPending &= !allRead;
                        break;
                    }
                    handle.incMessagesRead(1);
                    readPending = false;
                    ByteBuf read = buffer;
                    buffer = null;
                    pipeline.fireChannelRead(read);
                    if (inputShutdown) {
                        break;
                    }
                } while (receivedRdHup
                        || handle.continueReading(() -> handle.lastBytesRead() == handle.attemptedBytesRead()));
                handle.readComplete();
                pipeline.fireChannelReadComplete();
                if (allRead) {
                    shutdownInput();
                }
            } catch (Throwable e) {
                if (buffer != null) {
                    buffer.release();
                }
                handle.readComplete();
                pipeline.fireChannelReadComplete();
                pipeline.fireExceptionCaught(e);
                if (allRead || e instanceof IOException) {
                    shutdownInput();
                }
            } finally {
                if (!readPending && !config.isAutoRead()) {
                    clearIn();
                }
            }
        }

        private void clearIn() {
            readPending = false;
            if (membership != Membership.FORGOTTEN) {
                submit(ops & ~IN);
            } else {
                ops &= ~IN;
            }
        }

        /** Without half-closure the end of the input is the end. */
        private void shutdownInput() {
            if (!inputShutdown) {
                close(voidPromise());
            }
        }
    }

    private int readInto(ByteBuf buffer, RecvByteBufAllocator.ExtendedHandle handle) throws IOException {
        handle.attemptedBytesRead(buffer.writableBytes());
        if (!open) {
            throw new ClosedChannelException();
        }
        if (throwsOnce) {
            throwsOnce = false;
            throw new RuntimeException(FAULT);
        }
        int length = Math.min(buffer.writableBytes(), unread());
        if (length > 1 && !world.calm && world.onceIn(8)) {
            length = 1 + world.skewed(length - 1);
        }
        if (length == 0) {
            if (arrived.isReadable()) {
                return 0;
            }
            if (reset && !resetTold) {
                resetTold = true;
                throw new IOException("Connection reset by peer");
            }
            return finished ? readEnd() : 0;
        }
        other.wasRead(length);
        buffer.writeBytes(arrived, length);
        return length;
    }

    private int readEnd() {
        endsRead++;
        endsReadInVain = (ops & OUT) == 0 ? 0 : endsReadInVain + 1;
        if (endsReadInVain > MOST_ENDS_IN_VAIN) {
            world.fail("a loop that might sleep reads the end of an input again and again: " + state());
        }
        return -1;
    }

    /** Whether nothing comes any more, nor goes, as the relay knows, and it is not closed. */
    boolean isForgotten() {
        return open && outputShutdown && endsRead > 0;
    }

    @Override
    protected void doClose() {
        boolean was = open;
        open = false;
        inputShutdown = true;
        doDeregister();
        if (was) {
            other.ended(true);
        }
    }

    @Override
    protected void doShutdownOutput() {
        outputShutdown = true;
        other.ended(false);
    }

    @Override
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    public ChannelConfig config() {
        step(false);
        return config;
    }

    @Override
    public EventLoop eventLoop() {
        step(false);
        return super.eventLoop();
    }

    @Override
    public Channel flush() {
        step(false);
        return super.flush();
    }

    @Override
    public ChannelFuture write(Object message, ChannelPromise promise) {
        stepWith(message);
        return super.write(message, promise);
    }

    @Override
    public ChannelFuture writeAndFlush(Object message, ChannelPromise promise) {
        stepWith(message);
        return super.writeAndFlush(message, promise);
    }

    /** What a write is given is released whatever becomes of it: so do Netty's own where they throw. */
    private void stepWith(Object message) {
        try {
            step(false);
        } catch (RuntimeException | Error e) {
            ReferenceCountUtil.release(message);
            throw e;
        }
    }

    /** It is about to go to another loop, or to be registered anew. */
    @Override
    public ChannelFuture deregister() {
        step(true);
        return super.deregister();
    }

    /** Closing never throws, but where it is one of many that are closed to make room. */
    @Override
    public ChannelFuture close() {
        if (Steps.ofRelief()) {
            other.cutOff();
            step(true);
        }
        return super.close();
    }

    @Override
    public Unsafe unsafe() {
        step(false);
        return super.unsafe();
    }

    @Override
    public boolean isOpen() {
        step(false);
        return open;
    }

    @Override
    public boolean isActive() {
        step(false);
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    /** As epoll's: reading that is switched off is no longer of interest. */
    private final class Config extends DefaultChannelConfig {
        Config() {
            super(SimChannel.this);
        }

        @Override
        protected void autoReadCleared() {
            simUnsafe().clearIn();
        }
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown;
    }

    @Override
    public boolean isShutdown() {
        return inputShutdown && outputShutdown;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        simUnsafe().shutdownOutput(promise);
        return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdown() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        throw new UnsupportedOperationException();
    }

    String state() {
        return "ops " + ops + " " + membership + " unread " + unread() + " room " + room + " autoRead "
                + config.isAutoRead() + (finished ? " finished" : "") + (reset ? " reset" : "")
                + (open ? "" : " closed");
    }
}
