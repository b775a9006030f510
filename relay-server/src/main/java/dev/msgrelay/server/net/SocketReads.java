package dev.msgrelay.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Reads of a channel straight into the memory that its reader names. Nothing is allocated and nothing is copied between a
 * socket and the place where its bytes are looked at.
 */
public final class SocketReads implements RecvByteBufAllocator {
    /** The owner of the memory. On the channel's loop. */
    public interface Reader {
        /** Gets ready for a read; returns whether one may go on now. Where there is no room, the reader begins to wait. */
        boolean prepareRead();

        /** Returns the memory that the next read goes to. Netty releases it, so it is counted once more. */
        ByteBuf whereToRead();

        /** Called when a read has taken all it could. */
        void moreExpected();
    }

    private static final int GUESS_BYTES = 64 << 10;

    private final Reader reader;
    private final int most;

    /** @param most reads of the socket in a cycle, as long as each takes all it could: the others want their turn */
    public SocketReads(Reader reader, int most) {
        this.reader = reader;
        this.most = most;
    }

    @Override
    @SuppressWarnings("deprecation") // the interface's own deprecated type is what it asks for
    public Handle newHandle() {
        return new ReadHandle(reader, most);
    }

    /** The handle of one channel, on its loop's thread. */
    @SuppressWarnings("deprecation")
    private static final class ReadHandle implements ExtendedHandle {
        private final Reader reader;
        private final int most;
        private int reads;
        private int attempted;
        private int last;

        ReadHandle(Reader reader, int most) {
            this.reader = reader;
            this.most = most;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator alloc) {
            return reader.whereToRead();
        }

        @Override
        public int guess() {
            return GUESS_BYTES;
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
            return reads < most && filled() && reader.prepareRead();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return continueReading();
        }

        @Override
        public void readComplete() {
            if (filled()) {
                reader.moreExpected();
            }
        }

        private boolean filled() {
            return last > 0 && last == attempted;
        }
    }
}
