package dev.msgrelay.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/** Has a channel read into the memory that its reader names, without an allocation or a copy. */
public final class SocketReads extends DefaultMaxMessagesRecvByteBufAllocator {
    /** The owner of the memory. On the channel's loop. */
    public interface Reader {
        /** Whether a read may go on now, as far as is known. */
        default boolean mayRead() {
            return true;
        }

        /**
         * Returns the memory for the next read, counted once more; null: there is none, and the reader begins to wait
         * for room.
         */
        ByteBuf whereToRead();

        /** Takes note that a read without memory was refused. Nothing is lost. */
        default void refused() {}

        /** Takes note that a read has filled its memory. */
        default void readWasFull() {}

        /** Whether nothing is taken any more, for good: what still comes is thrown away. */
        boolean isDeaf();

        /**
         * Takes note that the input has ended. Returns whether the channel closes by that; otherwise the end comes
         * again with the next read.
         */
        boolean mayEnd();
    }

    /**
     * Ends a read for which there is no memory. Netty begins one if the socket was ready before reading was switched
     * off, or has ended since, and takes an empty buffer for the end of the input. Without a stack trace.
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
            public void lastBytesRead(int bytes) {
                // Netty's own half-closure does not do. It is not there for NIO's Unix sockets. A socket of epoll
                // leaves the set by it, so that a write of which the socket has taken a part never goes on.
                super.lastBytesRead(bytes < 0 && !reader.mayEnd() ? 0 : bytes);
            }

            @Override
            public boolean continueReading(UncheckedBooleanSupplier lastReadWasFull) {
                return super.continueReading(lastReadWasFull) && reader.mayRead();
            }

            @Override
            public void readComplete() {
                if (lastBytesRead() > 0 && lastBytesRead() == attemptedBytesRead()) {
                    reader.readWasFull();
                }
            }
        };
    }
}
