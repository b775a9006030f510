package dev.msgrelay.server.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Has a publisher's channel read straight into the memory its session names: behind what is left of an incomplete frame.
 * Nothing is allocated and nothing is copied between a socket and the place where frames are looked for.
 */
final class PublisherReads implements RecvByteBufAllocator {
    /** Reads of one socket in one round: the others want their turn. */
    private static final int MAX_READS = 4;

    private final PublisherSession session;

    PublisherReads(PublisherSession session) {
        this.session = session;
    }

    @Override
    @SuppressWarnings("deprecation") // the interface's own deprecated type is what it asks for
    public Handle newHandle() {
        return new ReadHandle(session);
    }

    /** One per channel, on its loop's thread. */
    @SuppressWarnings("deprecation")
    private static final class ReadHandle implements ExtendedHandle {
        private final PublisherSession session;
        private ChannelConfig config;
        private int reads;
        private int attempted;
        private int last;

        ReadHandle(PublisherSession session) {
            this.session = session;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator alloc) {
            return session.bufferForRead();
        }

        @Override
        public int guess() {
            return Intake.READ_BYTES;
        }

        @Override
        public void reset(ChannelConfig channelConfig) {
            config = channelConfig;
            reads = 0;
        }

        @Override
        public void incMessagesRead(int count) {
            reads += count;
        }

        @Override
        public void lastBytesRead(int bytes) {
            last = bytes;
        }

        @Override
        public int lastBytesRead() {
            return last;
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            attempted = bytes;
        }

        @Override
        public int attemptedBytesRead() {
            return attempted;
        }

        @Override
        public boolean continueReading() {
            return filled() && reads < MAX_READS && config.isAutoRead();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return continueReading();
        }

        @Override
        public void readComplete() {
            if (filled()) {
                session.moreExpected();
            }
        }

        private boolean filled() {
            return last > 0 && last == attempted;
        }
    }
}
