package dev.msgrelay.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Has a channel read straight into the memory that its reader names. Nothing is allocated and nothing is copied between a
 * socket and the place where its bytes are looked at.
 */
public final class SocketReads extends DefaultMaxMessagesRecvByteBufAllocator {
    /** Whose memory it is. On the channel's loop. */
    public interface Reader {
        /** Whether a read may go on now, as far as is known. */
        boolean mayRead();

        /**
         * Returns the memory that the next read goes to; null: nowhere now, and where there is no room, the reader begins to wait
         * for it. Netty releases the memory, so it is counted once more.
         */
        ByteBuf whereToRead();

        /** Told that Netty has begun a read of the socket all the same, which was refused. Nothing is lost. */
        void refused();

        /** Told when a read has taken all it could. */
        void moreExpected();
    }

    /**
     * Ends a read for which there is no memory: Netty begins one of a socket that was ready before reading was switched off, or
     * that has ended since, and takes no other no (an empty buffer would be the end of the input). Without a stack trace.
     */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
        public static final Refused INSTANCE = new Refused();

        private Refused() {
            super("reading is switched off", null, false, false);
        }
    }

    private static final int GUESS_BYTES = 64 << 10;

    private final Reader reader;

    /** @param most reads of the socket in a cycle, as long as each takes all it could: the others want their turn */
    public SocketReads(Reader reader, int most) {
        super(most);
        this.reader = reader;
    }

    @Override
    @SuppressWarnings("deprecation") // the interface's own deprecated type is what it asks for
    public Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public ByteBuf allocate(ByteBufAllocator alloc) {
                ByteBuf memory = reader.whereToRead();
                if (memory == null) {
                    reader.refused();
                    throw Refused.INSTANCE;
                }
                return memory;
            }

            @Override
            public int guess() {
                return GUESS_BYTES;
            }

            @Override
            public boolean continueReading(UncheckedBooleanSupplier lastReadWasFull) {
                return super.continueReading(lastReadWasFull) && reader.mayRead();
            }

            @Override
            public void readComplete() {
                if (lastBytesRead() > 0 && lastBytesRead() == attemptedBytesRead()) {
                    reader.moreExpected();
                }
            }
        };
    }
}
