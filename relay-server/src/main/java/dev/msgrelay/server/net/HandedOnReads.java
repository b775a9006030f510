package dev.msgrelay.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * The reads of a channel whose first bytes belong to a PROXY header: by one allocator until the channel is given
 * another one, from then on by that. Netty asks a channel's allocator for a handle only once, at the first read.
 */
public final class HandedOnReads implements RecvByteBufAllocator {
    private final RecvByteBufAllocator first;

    public HandedOnReads(RecvByteBufAllocator first) {
        this.first = first;
    }

    @Override
    @SuppressWarnings("deprecation") // the interface itself requires this deprecated type
    public Handle newHandle() {
        return new Reads();
    }

    private final class Reads implements ExtendedHandle {
        private RecvByteBufAllocator from = HandedOnReads.this;
        private ExtendedHandle reads = (ExtendedHandle) first.newHandle();

        private ChannelConfig config;

        @Override
        public void reset(ChannelConfig channel) {
            config = channel;
            handOn();
            reads.reset(channel);
        }

        /** Asked at each read, since with epoll all reads of a socket that its peer has ended are of one cycle. */
        @Override
        public ByteBuf allocate(ByteBufAllocator alloc) {
            if (handOn()) {
                reads.reset(config);
            }
            return reads.allocate(alloc);
        }

        private boolean handOn() {
            RecvByteBufAllocator now = config.getRecvByteBufAllocator();
            boolean other = now != from;
            if (other) {
                from = now;
                reads = (ExtendedHandle) now.newHandle();
            }
            return other;
        }

        @Override
        public int guess() {
            return reads.guess();
        }

        @Override
        public void incMessagesRead(int messages) {
            reads.incMessagesRead(messages);
        }

        @Override
        public void lastBytesRead(int bytes) {
            reads.lastBytesRead(bytes);
        }

        @Override
        public int lastBytesRead() {
            return reads.lastBytesRead();
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            reads.attemptedBytesRead(bytes);
        }

        @Override
        public int attemptedBytesRead() {
            return reads.attemptedBytesRead();
        }

        @Override
        public boolean continueReading() {
            return reads.continueReading();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return reads.continueReading(maybeMoreData);
        }

        @Override
        public void readComplete() {
            reads.readComplete();
        }
    }
}
