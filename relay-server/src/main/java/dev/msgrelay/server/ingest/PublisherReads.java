package dev.msgrelay.server.ingest;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Has a publisher's channel read straight into the memory its connection names: behind what is left of an incomplete frame.
 * Nothing is allocated and nothing is copied between a socket and the place where frames are looked for.
 */
final class PublisherReads implements RecvByteBufAllocator {
    /**
     * Most reads of one socket in a cycle, as long as each read takes all it could. Together they bring as much as one write
     * sends. With one read a cycle a single pair loses a sixth of its rate, to the cycle's own calls and to smaller writes.
     */
    static final int READS_A_CYCLE = 4;

    private final PublisherConnection connection;

    PublisherReads(PublisherConnection connection) {
        this.connection = connection;
    }

    @Override
    @SuppressWarnings("deprecation") // the interface's own deprecated type is what it asks for
    public Handle newHandle() {
        return new ReadHandle(connection);
    }

    /** One per channel, on its loop's thread. */
    @SuppressWarnings("deprecation")
    private static final class ReadHandle implements ExtendedHandle {
        private final PublisherConnection connection;
        private int reads;
        private int attempted;
        private int last;

        ReadHandle(PublisherConnection connection) {
            this.connection = connection;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator alloc) {
            return connection.whereToRead();
        }

        @Override
        public int guess() {
            return IngestPort.READ_BYTES;
        }

        @Override
        public void reset(ChannelConfig channelConfig) {
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
            // What they brought is packed and sent while it is in the cache, and the others want their turn.
            return reads < READS_A_CYCLE && filled() && connection.readsOn();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return continueReading();
        }

        @Override
        public void readComplete() {
            if (filled()) {
                connection.moreExpected();
            }
        }

        private boolean filled() {
            return last > 0 && last == attempted;
        }
    }
}
