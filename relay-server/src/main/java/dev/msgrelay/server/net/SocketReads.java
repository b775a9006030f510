package dev.msgrelay.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Makes a channel read straight into memory that its reader names. Nothing is allocated, and nothing is copied between
 * a socket and the memory in which frames are looked for.
 */
public final class SocketReads implements RecvByteBufAllocator {
    /** The owner of the memory. Called on the channel's loop. */
    public interface Reader {
        /** Prepares a read, and returns whether it may begin now. If there is no room, the reader begins to wait. */
        boolean prepareRead();

        /** The memory for the next read. Netty releases it, so the reader retains it once more. */
        ByteBuf whereToRead();

        /** Reports that a read has filled its memory, so that more bytes are expected. */
        void moreExpected();
    }

    private static final int GUESS_BYTES = 64 << 10;

    private final Reader reader;
    private final int most;

    /**
     * @param most reads of the socket in one cycle, while each fills its memory: then other channels have their turn
     */
    public SocketReads(Reader reader, int most) {
        this.reader = reader;
        this.most = most;
    }

    @Override
    @SuppressWarnings("deprecation") // the interface itself asks for the deprecated type
    public Handle newHandle() {
        return new ReadHandle(reader, most);
    }

    /** One for each channel; used on its loop's thread. */
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
